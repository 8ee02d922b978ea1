import DictationCapture
import DictationCore
import DictationEngines
import Synchronization
import TestSupport
import Testing

@testable import DictationDesktop
@testable import DictationService

/// A service that writes through the keyboards that are connected to it.
@Suite struct ConnectedKeyboardTests {
    /// A keyboard with a field of its own, which writes what it is told to.
    private final class Keyboard: Sendable {
        private let written = Mutex<[String]>([])
        private let shown = Mutex<[String]>([])
        private let keyboard = Mutex<DictationKeyboard?>(nil)
        private let outcome: @Sendable (Int) -> KeyboardMachine.Event?

        init(
            _ control: any DictationControl,
            outcome: @escaping @Sendable (Int) -> KeyboardMachine.Event? = { .written($0) }
        ) {
            self.outcome = outcome
            let keyboard = DictationKeyboard(control: control) { [weak self] in self?.perform($0) }
            self.keyboard.withLock { $0 = keyboard }
        }

        var texts: [String] { written.withLock { $0 } }
        var previews: [String] { shown.withLock { $0 } }

        func handle(_ event: KeyboardMachine.Event) { keyboard.withLock { $0 }?.handle(event) }
        func end() { keyboard.withLock { $0 = nil } }

        private func perform(_ action: KeyboardMachine.Action) {
            switch action {
            case .write(let text, _, let number):
                written.withLock { $0.append(text) }
                if let event = outcome(number) { handle(event) }
            case .preview(let text): shown.withLock { $0.append(text) }
            default: break
            }
        }
    }

    private func text(_ words: String) -> DictatedText { DictatedText(words) }

    /// - Returns: A service, and the keyboard that is connected to it through its socket or in its process.
    private func connected(inProcess: Bool) async throws -> (OpenListener, Keyboard) {
        let open = try OpenListener()
        let keyboard = Keyboard(inProcess ? open.service : try open.client())
        let keyboards = open.service.keyboards
        try #require(await eventually { keyboards.areThere })
        return (open, keyboard)
    }

    @Test(arguments: [true, false]) func theServiceWritesIntoTheFieldWithTheFocus(inProcess: Bool) async throws {
        let (open, keyboard) = try await connected(inProcess: inProcess)
        let (keyboards, destination) = (open.service.keyboards, KeyboardDestination(open.service.keyboards))
        #expect(await destination.problem() == nil)
        #expect(await destination.focusedField() == nil)
        #expect(await destination.deliver(text("Lost."), into: nil) == .noField)
        keyboard.handle(.focused(KeyboardField(id: "a letter")))
        #expect(await eventually { keyboards.focusedField != nil })
        let letter = try #require(await destination.focusedField())
        await destination.preview("may change", in: letter)
        #expect(await eventually { keyboard.previews.contains("may change") })
        #expect(await destination.deliver(text("Hello."), into: letter) == .delivered)
        #expect(keyboard.texts == ["Hello."])
        keyboard.handle(.focused(KeyboardField(id: "another")))
        #expect(await eventually { keyboards.focusedField != letter })
        #expect(await destination.deliver(text("No."), into: letter).name == "refused", "A text went to another field.")
        keyboard.handle(.focused(KeyboardField(id: "secret", secret: .password)))
        #expect(await destination.deliver(text("No."), into: nil).name == "refused", "A text went into a password.")
        #expect(keyboard.texts == ["Hello."])
    }

    @Test(arguments: [true, false]) func aKeyboardThatEndsOwesAnAnswerAndThenThereIsNone(inProcess: Bool) async throws {
        let open = try OpenListener()
        let keyboard = Keyboard(inProcess ? open.service : try open.client()) { _ in nil }
        let (keyboards, destination) = (open.service.keyboards, KeyboardDestination(open.service.keyboards))
        keyboard.handle(.focused(KeyboardField(id: "a letter")))
        try #require(await eventually { keyboards.focusedField != nil })
        let outcome = Task { await destination.deliver(DictatedText("Hello."), into: nil) }
        #expect(await eventually { keyboard.texts == ["Hello."] })
        keyboard.end()
        #expect(await outcome.value.name == "incomplete", "Somebody knew.")
        #expect(await eventually { !keyboards.areThere })
        #expect(await destination.deliver(text("No."), into: nil).name == "unavailable", "A text went nowhere.")
        #expect(await destination.problem()?.code == .notRunning)
    }

    /// The service was started again, as after an update.
    @Test func aKeyboardFindsTheNextService() async throws {
        let first = try OpenListener()
        let path = first.path
        let keyboard = Keyboard(try first.client())
        keyboard.handle(.focused(KeyboardField(id: "a letter")))
        let keyboards = first.service.keyboards
        try #require(await eventually { keyboards.focusedField != nil })
        await first.listener.close()
        let service = try OpenListener().service
        let listener = try ServiceListener.open(service, at: path)
        #expect(await eventually { service.keyboards.focusedField != nil })
        #expect(await KeyboardDestination(service.keyboards).deliver(text("Again."), into: nil) == .delivered)
        await listener.close()
    }

    @Test func theKeyboardWithTheFocusGetsTheText() async throws {
        let open = try OpenListener()
        let keyboards = open.service.keyboards
        let (one, two) = (Keyboard(open.service), Keyboard(open.service))
        one.handle(.focused(KeyboardField(id: "a letter")))
        try #require(await eventually { keyboards.focusedField != nil })
        let letter = keyboards.focusedField
        two.handle(.focused(KeyboardField(id: "a letter")))
        try #require(await eventually { keyboards.focusedField != letter })
        let destination = KeyboardDestination(keyboards)
        #expect(await destination.deliver(text("Two."), into: nil) == .delivered)
        #expect(await destination.deliver(text("One."), into: letter) == .delivered)
        #expect(one.texts == ["One."] && two.texts == ["Two."])
        two.handle(.focused(nil))
        #expect(await eventually { keyboards.focusedField == letter })
    }

    @Test func aProfileWritesThroughTheKeyboardOfItsService() async throws {
        let script: ScriptedEngine.Script = [
            .final("one two", at: .milliseconds(100)), .repeats(every: .milliseconds(100)),
        ]
        let profile = DictationProfile(
            engine: ScriptedEngine(script), destinations: DestinationChain([KeyboardDestination()]))
        let service = DictationService(
            profiles: DictationProfiles(usual: profile),
            capturer: ScriptedCapturer([.tone(440, for: .seconds(3_600))]), converters: BasicConverter.Provider())
        let keyboard = Keyboard(service)
        keyboard.handle(.focused(KeyboardField(id: "a letter")))
        let keyboards = service.keyboards
        try #require(await eventually { keyboards.focusedField != nil })
        try await service.start()
        let publisher = service.publisher
        #expect(await eventually { publisher.status.finalText.contains("two") })
        let said = try #require(try await service.stop())
        #expect(said.delivery?.destination == "keyboard")
        #expect(keyboard.texts.joined().lowercased() == said.text.lowercased())
    }

    @Test func withoutAServiceThereIsAReason() async {
        let destination = KeyboardDestination()
        #expect(await destination.focusedField() == nil)
        #expect(await destination.deliver(text("No."), into: nil).name == "unavailable", "A text went nowhere.")
    }
}
