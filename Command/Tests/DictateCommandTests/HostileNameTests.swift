import DictationCore
import Foundation
import Testing

@testable import DictateCommand

/// Tests with names that Swift, the system and a shell interpret differently.
@Suite struct HostileNameTests {
    @Test(arguments: [
        ("a/b.wav", "b.wav"), ("a/b/", "b"), ("/", "/"), ("", ""), ("b", "b"), ("a/\u{301}b", "\u{301}b"),
        ("a\u{600}/b", "b"), ("a/\u{301}Z\u{600}/..", ".."),
    ])
    func theLastNameIsWhatTheSystemTakes(_ path: String, _ name: String) {
        #expect(FilePath.lastName(of: path).utf8.elementsEqual(name.utf8))
    }

    @Test func namesBesideAFileStayBesideIt() {
        let path = FilePath("out\u{600}/\u{301}a.b")
        #expect(path.numbered(2).utf8.elementsEqual("out\u{600}/\u{301}a-2.b".utf8))
        #expect(path.withEnding("srt").utf8.elementsEqual("out\u{600}/\u{301}a.srt".utf8))
        #expect(path.folderToOpen.utf8.elementsEqual("out\u{600}/".utf8))
        #expect(path.unfinished.utf8.starts(with: "out\u{600}/.".utf8) && path.unfinished != path.unfinished)
        #expect(FilePath("é/a").hasEnding("txt") == false && FilePath("é/a.TXT").hasEnding("txt"))
        #expect(!FilePath.isBelow("/a/bc", "/a/b") && FilePath.isBelow("/a/b/c", "/a/b"))
        #expect(!FilePath.isBelow("/e\u{301}/c", "/é"))
    }

    /// Two names that Swift considers equal can name two files.
    @Test func recordingsOfAlikeNamesHaveAFileEach() {
        let paths = Destination.folder("out").paths(for: ["a/é.wav", "a/e\u{301}.wav"], format: .text)
        #expect(Set(paths.map { Array($0.utf8) }).count == 2)
    }

    static let hostile = [
        "plain.wav", "", "a b", "it's", "$(touch proof)", "a;b", "-rf", "--", "a\nb", "\u{1B}[31m", "é", "\u{202E}gpj",
        "*", "~", "a\\b", "'", "''\n'", "#x", "!!", "\u{85}",
    ]

    /// A shell reads the original text from the quoted text, which is one line.
    @Test(arguments: hostile) func aSuggestedCommandNamesTheFile(_ name: String) throws {
        let quoted = quotedForShell(name)
        #expect(quoted.visible == quoted)
        let shell = Process()
        shell.executableURL = URL(filePath: "/bin/bash")
        shell.arguments = ["-c", "printf %s \(quoted)"]
        let output = Pipe()
        shell.standardOutput = output
        try shell.run()
        let bytes = try output.fileHandleForReading.readToEnd() ?? Data()
        shell.waitUntilExit()
        let file = name.utf8.first == UInt8(ascii: "-") ? "./" + name : name
        #expect(Array(bytes) == Array(file.utf8))
    }

    @Test(arguments: hostile) func noNameForgesALine(_ name: String) {
        let error = DictationError(.fileUnreadable, "“\(name)” is not a file.", recovery: "Look at \(name).")
        var changed = error
        changed.message = "x\(name)"
        changed.underlying = .init(domain: "errno", code: 1, message: name)
        for text in [error.message, error.recovery, error.description, changed.message, changed.description] {
            #expect(text?.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control } == true)
            #expect(text?.unicodeScalars.allSatisfy { !$0.properties.isBidiControl } == true)
        }
    }
}
