import DictationCore
import Foundation
import TestSupport
import Testing

@testable import DictationDesktop
@testable import DictationService

/// The clipboards of desktops without a screen.
@Suite(.serialized) struct ClipboardProofTests {
    private let key: KeyboardKey
    init() throws { key = try KeyboardKey("ctrl+v") }

    /// A picture of one point.
    private static let picture = Clipboard.Contents(
        kind: "image/png",
        bytes: Array(
            Data(
                base64Encoded:
                    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=")
                ?? Data()))

    private func text(_ words: String, on kind: TestDesktop.Kind) -> Clipboard.Contents {
        Clipboard.Contents(
            kind: kind == .wayland ? "text/plain;charset=utf-8" : "UTF8_STRING", bytes: Array(words.utf8))
    }

    @Test(arguments: TestDesktop.Kind.allCases)
    func aTextIsOnTheClipboardForTheUserToPaste(_ kind: TestDesktop.Kind) async throws {
        let desktop = try await TestDesktop(kind)
        let clipboard = try Clipboard(desktop.environment)
        #expect(try await clipboard.contents() == nil)
        let destination = ClipboardDestination(environment: desktop.environment)
        #expect(await destination.problem() == nil)
        let words = "Ж 日本 😀\nand more\n"
        #expect(await destination.deliver(DictatedText(words), into: nil) == .delivered)
        #expect(try await clipboard.contents() == text(words, on: kind))
        let large = String(repeating: "0123456789", count: 100_000)
        #expect(await destination.deliver(DictatedText(large), into: nil) == .delivered)
        #expect(await clipboard.has(large))
    }

    /// What was on the clipboard before: nothing, a text, a picture.
    @Test(arguments: TestDesktop.Kind.allCases, [0, 1, 2])
    func aPasteRestoresWhatWasThereBefore(_ kind: TestDesktop.Kind, _ before: Int) async throws {
        let desktop = try await TestDesktop(kind)
        let field = try TestField(.gtk, on: desktop)
        try field.fresh()
        let clipboard = try Clipboard(desktop.environment)
        let contents = [nil, text("Before, ж\n", on: kind), Self.picture][before]
        if let contents { try await clipboard.restore(contents) }
        let destination = PasteDestination(key: key, restoreDelay: .seconds(1), environment: desktop.environment)
        #expect(await destination.problem() == nil)
        let place = await destination.focusedField()
        #expect(await destination.deliver(DictatedText("Pasted, 日本 😀."), into: place) == .delivered)
        #expect(try await field.text(expecting: "Pasted, 日本 😀.") == "Pasted, 日本 😀.")
        // An empty clipboard of X11 has an empty text.
        let wanted = contents ?? (kind == .x11 ? text("", on: kind) : nil)
        await destination.settle()
        #expect(try await clipboard.contents() == wanted)
    }

    @Test(arguments: TestDesktop.Kind.allCases)
    func whatAnotherProgramCopiesMeanwhileStays(_ kind: TestDesktop.Kind) async throws {
        let desktop = try await TestDesktop(kind)
        let field = try TestField(.gtk, on: desktop)
        try field.fresh()
        let clipboard = try Clipboard(desktop.environment)
        try await clipboard.copy("Before")
        let destination = PasteDestination(key: key, restoreDelay: .seconds(1), environment: desktop.environment)
        #expect(await destination.deliver(DictatedText("Pasted"), into: nil) == .delivered)
        #expect(try await field.text(expecting: "Pasted") == "Pasted")
        try await clipboard.copy("Of another program")
        await destination.settle()
        #expect(try await clipboard.contents() == text("Of another program", on: kind))
    }

    @Test(arguments: TestDesktop.Kind.allCases)
    func twoTextsInARowRestoreWhatWasThereBeforeBoth(_ kind: TestDesktop.Kind) async throws {
        let desktop = try await TestDesktop(kind)
        let field = try TestField(.gtk, on: desktop)
        try field.fresh()
        let clipboard = try Clipboard(desktop.environment)
        try await clipboard.restore(Self.picture)
        let destination = PasteDestination(key: key, restoreDelay: .seconds(2), environment: desktop.environment)
        #expect(await destination.deliver(DictatedText("One. "), into: nil) == .delivered)
        #expect(try await field.text(expecting: "One. ") == "One. ")
        #expect(await destination.deliver(DictatedText("Two."), into: nil) == .delivered)
        #expect(try await field.text(expecting: "One. Two.") == "One. Two.")
        await destination.settle()
        #expect(try await clipboard.contents() == Self.picture)
    }

    /// What can't be restored must not be replaced.
    @Test func aClipboardWhoseProgramDoesNotAnswerStays() async throws {
        let desktop = try await TestDesktop(.x11)
        let owner = Process()
        owner.executableURL = URL(filePath: "/usr/bin/xclip")
        owner.arguments = ["-selection", "clipboard", "-quiet"]
        owner.environment = desktop.environment
        let input = Pipe()
        (owner.standardInput, owner.standardOutput, owner.standardError) =
            (input, FileHandle.nullDevice, FileHandle.nullDevice)
        try owner.run()
        defer { kill(owner.processIdentifier, SIGKILL) }
        try input.fileHandleForWriting.write(contentsOf: Data("Before".utf8))
        try input.fileHandleForWriting.close()
        let clipboard = try Clipboard(desktop.environment)
        for _ in 0..<100 where await !clipboard.has("Before") { try await Task.sleep(for: .milliseconds(100)) }
        #expect(kill(owner.processIdentifier, SIGSTOP) == 0)
        let destination = PasteDestination(key: key, environment: desktop.environment)
        let outcome = await destination.deliver(DictatedText("Pasted"), into: nil)
        guard case .unavailable(let reason) = outcome, reason.contains("can't be kept") else {
            Issue.record("\(outcome)")
            return
        }
        // xclip itself ends when a program that asked it is gone.
        #expect(kill(owner.processIdentifier, SIGCONT) == 0)
        #expect(await !clipboard.has("Pasted"))
    }

    /// The program that serves a clipboard goes on after the one that filled it has ended.
    @Test func aCommandMayFillTheClipboard() async throws {
        let desktop = try await TestDesktop(.x11)
        let command = CommandDestination([
            "/usr/bin/env", "DISPLAY=" + (desktop.environment["DISPLAY"] ?? ""), "xclip", "-selection", "clipboard",
        ])
        #expect(await command.deliver(DictatedText("Served"), into: nil) == .delivered)
        #expect(try await Clipboard(desktop.environment).contents() == text("Served", on: .x11))
    }

    @Test(arguments: TestDesktop.Kind.allCases)
    func aPasteThatIsRefusedLeavesTheClipboardAsItWas(_ kind: TestDesktop.Kind) async throws {
        let desktop = try await TestDesktop(kind)
        let field = try TestField(.gtk, on: desktop)
        try field.fresh()
        let clipboard = try Clipboard(desktop.environment)
        try await clipboard.copy("Before")
        let destination = PasteDestination(key: key, environment: desktop.environment)
        let elsewhere = FocusedField(id: "window 1")
        guard case .refused = await destination.deliver(DictatedText("Pasted"), into: elsewhere) else {
            Issue.record("It was pasted.")
            return
        }
        #expect(try await clipboard.contents() == text("Before", on: kind))
        #expect(try field.text() == "")
    }

    @Test(arguments: TestDesktop.Kind.allCases, ["ctrl+v", "shift+Insert"])
    func aTextThatIsTooLongToTypeIsPasted(_ kind: TestDesktop.Kind, _ key: String) async throws {
        let desktop = try await TestDesktop(kind)
        let field = try TestField(.gtk, on: desktop)
        try field.fresh("area")
        let text = String(repeating: "Long, 日本 😀 e\u{301}. ", count: 1_000)
        let destination = PasteDestination(
            key: try KeyboardKey(key), restoreDelay: .seconds(1), environment: desktop.environment)
        #expect(await destination.deliver(DictatedText(text), into: nil) == .delivered)
        #expect(try await field.text(expecting: text) == text)
        await destination.settle()
    }

    /// wl-copy marks a text as sensitive from version 2.3 on. This one says that it can, and is an older one.
    @Test func aDictatedTextIsMarkedAsSensitiveWhereThatExists() async throws {
        let desktop = try await TestDesktop(.wayland)
        let folder = try TemporaryFolder()
        let script = """
            #!/bin/sh
            case "$1" in
            --help) exec echo "-S, --sensitive" ;;
            --sensitive) echo yes >>'\(folder.file("marks"))'; shift ;;
            *) echo no >>'\(folder.file("marks"))' ;;
            esac
            exec /usr/bin/wl-copy "$@"
            """
        let program = try folder.write(Array(script.utf8), to: "wl-copy")
        try #require(chmod(program, 0o755) == 0)
        let environment = desktop.environment.merging(["PATH": folder.path + ":/usr/bin:/bin"]) { $1 }
        let clipboard = try Clipboard(environment)
        try await clipboard.restore(text("Before", on: .wayland))
        let destination = ClipboardDestination(environment: environment)
        #expect(await destination.deliver(DictatedText("Secret"), into: nil) == .delivered)
        #expect(try await clipboard.contents() == text("Secret", on: .wayland))
        #expect(try String(contentsOfFile: folder.file("marks"), encoding: .utf8) == "no\nyes\n")
    }
}
