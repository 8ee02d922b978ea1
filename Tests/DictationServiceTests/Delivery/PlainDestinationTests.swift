import DictationCore
import Foundation
import TestSupport
import Testing

@testable import DictationDesktop
@testable import DictationService

/// Destinations that need no desktop.
@Suite struct PlainDestinationTests {
    private let folder: TemporaryFolder
    init() throws { folder = try TemporaryFolder() }

    private func content(_ name: String) throws -> String {
        try String(contentsOfFile: folder.file(name), encoding: .utf8)
    }

    @Test func aFileGetsALineForEachTextAndBelongsToTheUser() async throws {
        let destination = FileDestination(path: folder.file("notes"))
        #expect(await destination.problem() == nil)
        #expect(!isThere(folder.file("notes")))
        #expect(await destination.deliver(DictatedText("One."), into: nil) == .delivered)
        #expect(await destination.deliver(DictatedText("Zwei 😀."), into: nil) == .delivered)
        #expect(try content("notes") == "One.\nZwei 😀.\n")
        let mode = try FileManager.default.attributesOfItem(atPath: folder.file("notes"))[.posixPermissions] as? Int
        #expect(mode == 0o600)
    }

    @Test func aTextIsALineOfItsOwn() async throws {
        _ = try folder.write(Array("no end".utf8), to: "notes")
        #expect(
            await FileDestination(path: folder.file("notes")).deliver(DictatedText("One."), into: nil) == .delivered)
        #expect(try content("notes") == "no end\nOne.\n")
    }

    /// Programs open their input again, which works for a pipe only.
    @Test func aCommandMayOpenItsInputByName() async throws {
        let command = CommandDestination(["sh", "-c", "cat /dev/stdin | tr a-z A-Z >\"$1\"", "sh", folder.file("out")])
        #expect(await command.deliver(DictatedText("loud"), into: nil) == .delivered)
        #expect(try content("out") == "LOUD")
    }

    /// A terminal that shows the file, or into which the clipboard is pasted, would carry the sequences out.
    @Test func noDestinationWritesWhatCommandsATerminal() async throws {
        let hostile = DictatedText("\u{1B}]52;c;ZXZpbA==\u{7}a\u{9B}31m\r\nb\tc\u{202E}d\u{2066}\u{200F}e\u{0}\u{85}f")
        let written = "]52;c;ZXZpbA==a31m\nb\tcd\u{200F}e\nf"
        #expect(await FileDestination(path: folder.file("notes")).deliver(hostile, into: nil) == .delivered)
        #expect(try content("notes") == written + "\n")
        let pipe = Pipe()
        let output = OutputDestination(descriptor: pipe.fileHandleForWriting.fileDescriptor)
        #expect(await output.deliver(hostile, into: nil) == .delivered)
        try pipe.fileHandleForWriting.close()
        #expect(try pipe.fileHandleForReading.readToEnd() == Data((written + "\n").utf8))
        let command = CommandDestination(["sh", "-c", "cat >\"$1\"", "sh", folder.file("out")])
        #expect(await command.deliver(hostile, into: nil) == .delivered)
        #expect(try content("out") == written)
        let typed = TypedText.plain(hostile.text, .space)
        #expect(typed == "]52;c;ZXZpbA==a31m b cd\u{200F}e f")
    }

    @Test func aFileOfAnotherUserIsNotWrittenTo() async throws {
        let file = try folder.write([], to: "theirs")
        let destination = FileDestination(path: file, user: 4_000_000_000)
        guard case .unavailable(let reason) = await destination.deliver(DictatedText("secret"), into: nil) else {
            Issue.record("It was written.")
            return
        }
        #expect(reason.contains("another user") && byteCount(file) == 0)
        #expect(await destination.problem()?.code == .permissionDenied)
    }

    @Test func onlyLinksOfTheUserAreFollowed() async throws {
        let file = try folder.write([], to: "notes")
        for (link, target) in [("first", "second"), ("second", "notes"), ("new", "made"), ("loop", "loop")] {
            try FileManager.default.createSymbolicLink(atPath: folder.file(link), withDestinationPath: target)
        }
        #expect(await FileDestination(path: folder.file("first")).deliver(DictatedText("a"), into: nil) == .delivered)
        #expect(await FileDestination(path: folder.file("new")).deliver(DictatedText("b"), into: nil) == .delivered)
        #expect(try content("notes") == "a\n" && content("made") == "b\n")
        for (name, user) in [("first", uid_t(4_000_000_000)), ("loop", geteuid())] {
            let destination = FileDestination(path: folder.file(name), user: user)
            guard case .unavailable = await destination.deliver(DictatedText("x"), into: nil) else {
                Issue.record("\(name) was followed.")
                continue
            }
        }
        #expect(byteCount(file) == 2)
    }

    @Test func whatIsNoFileIsUnavailable() async throws {
        try #require(mkfifo(folder.file("pipe"), 0o600) == 0)
        for path in [folder.path, folder.file("pipe"), folder.file("no/such"), "/dev/null", "/dev/full", ""] {
            let destination = FileDestination(path: path)
            guard case .unavailable = await destination.deliver(DictatedText("x"), into: nil) else {
                Issue.record("\(path) took a text.")
                continue
            }
            #expect(await destination.problem() != nil, "\(path)")
        }
    }

    @Test func manyWritersOfAFileLoseNothing() async throws {
        let path = folder.file("notes")
        await withTaskGroup(of: Void.self) { group in
            for writer in 0..<8 {
                group.addTask {
                    let text = DictatedText(String(repeating: "\(writer)", count: 5_000))
                    #expect(await FileDestination(path: path).deliver(text, into: nil) == .delivered)
                }
            }
        }
        let lines = try content("notes").split(separator: "\n")
        #expect(lines.count == 8 && lines.allSatisfy { $0.count == 5_000 && Set($0).count == 1 })
    }

    @Test func aCommandGetsTheTextAndWhereItBelongs() async throws {
        var text = DictatedText("héllo\nworld")
        (text.profile, text.destination) = ("mail", "inbox")
        let script = "cat >\"$1\"; echo \" $DICTATION_PROFILE $DICTATION_DESTINATION\" >>\"$1\""
        let destination = CommandDestination(["sh", "-c", script, "sh", folder.file("out")])
        #expect(await destination.problem() == nil)
        #expect(await destination.deliver(text, into: nil) == .delivered)
        #expect(try content("out") == "héllo\nworld mail inbox\n")
    }

    @Test func aCommandThatFailsLeavesTheTextToTheNext() async throws {
        let failing = CommandDestination(["sh", "-c", "echo no paper >&2; exit 3"])
        let chain = DestinationChain([failing, FileDestination(path: folder.file("notes"))])
        let delivery = await chain.deliver(DictatedText("kept"))
        #expect(delivery.destination == "file")
        #expect(delivery.attempts.first?.outcome.reason?.contains("no paper") == true)
        #expect(try content("notes") == "kept\n")
    }

    @Test func aCommandThatReadsNothingHasTheTextIfItSaysSo() async throws {
        let large = DictatedText(String(repeating: "0123456789", count: 100_000))
        #expect(await CommandDestination(["true"]).deliver(large, into: nil) == .delivered)
        guard case .unavailable = await CommandDestination(["false"]).deliver(large, into: nil) else {
            Issue.record("It took the text.")
            return
        }
    }

    @Test func aCommandThatIsEndedMayHaveTheText() async throws {
        let chatty = CommandDestination(["sh", "-c", "cat >\"$1\"; exec yes", "sh", folder.file("out")])
        guard case .incomplete = await chatty.deliver(DictatedText("once"), into: nil) else {
            Issue.record("The next destination would get it as well.")
            return
        }
        #expect(try content("out") == "once")
    }

    @Test func aCommandThatHangsMayHaveTheText() async throws {
        let hanging = CommandDestination(["sh", "-c", "sleep 1000"], timeout: .milliseconds(50))
        guard case .incomplete = await hanging.deliver(DictatedText("x"), into: nil) else {
            Issue.record("It took the text.")
            return
        }
        #expect(await CommandDestination(["no-such-program"]).problem()?.code == .unsupportedOption)
        #expect(await CommandDestination([]).problem()?.code == .unsupportedOption)
    }

    @Test func anOpenFileGetsALineForEachText() async throws {
        let pipe = Pipe()
        let destination = OutputDestination(descriptor: pipe.fileHandleForWriting.fileDescriptor)
        #expect(await destination.deliver(DictatedText("One."), into: nil) == .delivered)
        #expect(try pipe.fileHandleForReading.read(upToCount: 5) == Data("One.\n".utf8))
        // A pipe without a reader is an error, not the end of the process. Until a program that another test starts has
        // begun, it holds the end for reading as well.
        try pipe.fileHandleForReading.close()
        var state = pollfd(fd: pipe.fileHandleForWriting.fileDescriptor, events: 0, revents: 0)
        try #require(poll(&state, 1, 60_000) == 1 && state.revents & Int16(POLLERR) != 0)
        let outcome = await destination.deliver(DictatedText("Two."), into: nil)
        guard case .unavailable = outcome else {
            Issue.record("It took the text: \(outcome)")
            return
        }
    }

    @Test func anOutputThatNobodyReadsKeepsNobodyWaiting() async throws {
        let pipe = Pipe()
        let destination = OutputDestination(
            descriptor: pipe.fileHandleForWriting.fileDescriptor, readerTimeout: .milliseconds(100))
        let large = DictatedText(String(repeating: "0123456789", count: 100_000))
        guard case .incomplete(let reason) = await destination.deliver(large, into: nil) else {
            Issue.record("A pipe took a megabyte.")
            return
        }
        #expect(reason.contains("reads"))
        guard case .unavailable = await destination.deliver(DictatedText("next"), into: nil) else {
            Issue.record("A full pipe took a text.")
            return
        }
    }

    @Test func aFileThatAnotherProgramLocksIsUnavailable() async throws {
        let file = try folder.write([], to: "notes")
        let descriptor = open(file, O_RDONLY)
        defer { close(descriptor) }
        try #require(flock(descriptor, LOCK_EX) == 0)
        let destination = FileDestination(path: file, lockTimeout: .milliseconds(50))
        guard case .unavailable(let reason) = await destination.deliver(DictatedText("x"), into: nil) else {
            Issue.record("It was written.")
            return
        }
        #expect(reason.contains("locked"))
        #expect(await destination.problem() != nil)
        try #require(flock(descriptor, LOCK_UN) == 0)
        #expect(await destination.deliver(DictatedText("x"), into: nil) == .delivered)
        #expect(try content("notes") == "x\n")
    }

    @Test func withoutADesktopNothingIsTyped() async throws {
        let destinations: [any TextDestination] = [
            WtypeDestination(environment: [:]), XdotoolDestination(environment: [:]),
            ClipboardDestination(environment: [:]), PasteDestination(key: try KeyboardKey("ctrl+v"), environment: [:]),
            XdotoolDestination(environment: ["DISPLAY": ":47110"]),
            XdotoolDestination(environment: ["DISPLAY": "far:0"]),
            XdotoolDestination(environment: ["DISPLAY": ":0", "WAYLAND_DISPLAY": "wayland-0"]),
            WtypeDestination(environment: ["WAYLAND_DISPLAY": "no", "XDG_RUNTIME_DIR": folder.path]),
        ]
        for destination in destinations {
            let problem = await destination.problem()
            #expect(problem?.recovery != nil, "\(destination)")
            guard case .unavailable = await destination.deliver(DictatedText("x"), into: nil) else {
                Issue.record("\(destination) took a text.")
                continue
            }
        }
    }
}
