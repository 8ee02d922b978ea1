#if SystemBus
import DictationCore
import TestSupport
import Testing

@testable import DictationDesktop
@testable import DictationService

/// A text that the daemon passed on to another field, because the focus moved just then.
@Suite struct TakeBackTests {
    private static let text = "Hello there."

    private final class Trial {
        let bus: TestBus
        let daemon: IBusDouble
        let destination: KeyboardDestination
        private let open: OpenListener
        private let running: Task<Void, any Error>

        init() async throws {
            let bus = try TestBus()
            (self.bus, daemon, open) = (bus, try IBusDouble(on: bus), try OpenListener())
            let keyboard = try IBusKeyboard(
                control: open.client(), keys: .init(), isSelected: true
            ) { bus.address }
            running = Task { try await keyboard.run() }
            let service = open.service
            destination = KeyboardDestination(service.keyboards)
            try #require(await eventually { service.keyboards.areThere })
            let daemon = daemon
            try #require(await eventually { daemon.seen.isSelected })
            daemon.move(to: "/context/1", text: "")
            await daemon.settle()
        }

        deinit { running.cancel() }

        /// Writes a text while the focus moves.
        func write(into contexts: [String]) async -> TextDelivery.Outcome {
            daemon.change { $0.contexts = contexts }
            return await destination.deliver(DictatedText(TakeBackTests.text), into: nil)
        }

        /// Tells the keyboard of the new focus, and what became of the text there.
        func move(finding texts: String...) async {
            daemon.move(from: "/context/1", to: "/context/2", text: texts[0])
            for text in texts.dropFirst() { daemon.tell(text) }
            await daemon.settle()
        }
    }

    @Test func aTextInItsFieldStays() async throws {
        let trial = try await Trial()
        #expect(await trial.write(into: ["/context/1"]) == .delivered)
        #expect(trial.daemon.seen.commits == [Self.text])
        await trial.move(finding: "Old. ", "Old. " + Self.text)
        #expect(trial.daemon.seen.deletions.isEmpty)
    }

    @Test func aTextInAnotherFieldIsDeletedThere() async throws {
        let trial = try await Trial()
        guard case .refused = await trial.write(into: ["/context/2"]) else {
            Issue.record("It was delivered.")
            return
        }
        await trial.move(finding: "Old é. ", "Old é. " + Self.text)
        #expect(trial.daemon.seen.deletions == [[-12, 12]])
        // Once is enough.
        trial.daemon.tell("Old é. ")
        trial.daemon.tell("Old é. " + Self.text)
        await trial.daemon.settle()
        #expect(trial.daemon.seen.deletions.count == 1)
    }

    @Test func aTextThatMayBeInEitherFieldIsDeletedInTheOther() async throws {
        let trial = try await Trial()
        guard case .incomplete = await trial.write(into: ["/context/1", "/context/2"]) else {
            Issue.record("Somebody knew.")
            return
        }
        await trial.move(finding: "", Self.text)
        #expect(trial.daemon.seen.deletions == [[-12, 12]])
    }

    /// The focus moved on before the program told that the text was there.
    @Test(arguments: [true, false]) func aTextIsDeletedWhenTheFocusComesBackToIt(wasThereBefore: Bool) async throws {
        let trial = try await Trial()
        if wasThereBefore {
            trial.daemon.move(from: "/context/1", to: "/context/2", text: "Old. ")
            trial.daemon.move(from: "/context/2", to: "/context/1", text: "")
            await trial.daemon.settle()
        }
        _ = await trial.write(into: ["/context/2"])
        trial.daemon.move(from: "/context/1", to: "/context/3", text: "Other. ")
        trial.daemon.move(from: "/context/3", to: "/context/2", text: "Old. " + Self.text)
        await trial.daemon.settle()
        #expect(trial.daemon.seen.deletions == [[-12, 12]])
    }

    @Test func aTextThatMayBeInItsFieldIsNotDeletedByGuessing() async throws {
        let trial = try await Trial()
        _ = await trial.write(into: ["/context/1", "/context/2"])
        await trial.move(finding: "Old. " + Self.text)
        #expect(trial.daemon.seen.deletions.isEmpty)
    }

    /// Nothing that the user wrote is deleted.
    @Test(arguments: [["Old. " + text + "!"], ["Old. ", "Old. " + text + "!"], ["Old. ", "Hello there."], ["", ""]])
    func aTextThatNobodyAddedIsNotDeleted(_ texts: [String]) async throws {
        let trial = try await Trial()
        _ = await trial.write(into: ["/context/2"])
        trial.daemon.move(from: "/context/1", to: "/context/2", text: texts[0])
        for text in texts.dropFirst() { trial.daemon.tell(text) }
        await trial.daemon.settle()
        #expect(trial.daemon.seen.deletions.isEmpty)
    }

    @Test func aTextInAThirdFieldIsNotTouched() async throws {
        let trial = try await Trial()
        _ = await trial.write(into: ["/context/3"])
        await trial.move(finding: "", Self.text)
        #expect(trial.daemon.seen.deletions.isEmpty)
    }
}
#endif
