#if SystemBus
import DictationCore
import DictationEngines
import Foundation
import TestSupport
import Testing

@testable import DictationDesktop
@testable import DictationService

/// The keyboard with a real ibus-daemon and real programs, and a service with a scripted engine.
final class KeyboardTrial: Sendable {
    let desktop: InputDesktop
    let open: OpenListener
    let running: Task<Void, any Error>

    init(
        script: ScriptedEngine.Script = .words, control: (any DictationControl)? = nil,
        configure: (inout DictationSession.Configuration) -> Void = { _ in }
    ) async throws {
        desktop = try await InputDesktop()
        open = try OpenListener(script: script, configure: configure)
        let file = desktop.folder.file("address")
        let keyboard = try IBusKeyboard(
            control: control ?? open.client(), keys: .init(hold: KeyboardKey("F8"), toggle: KeyboardKey("F9")),
            isSelected: true
        ) {
            IBusAddress.current { $0 == "IBUS_ADDRESS_FILE" ? file : nil }
        }
        running = Task { try await keyboard.run() }
    }

    deinit { running.cancel() }

    /// The service's way into the fields.
    var keyboards: ConnectedKeyboards { open.service.keyboards }

    func end() { running.cancel() }

    /// Presses the toggle key until a take is recorded: the engine may not be the program's yet.
    func start() async throws {
        let publisher = open.service.publisher
        var attempts = 0
        while !publisher.status.isActive, attempts < 200 {
            try await desktop.key("key", "F9")
            try await DictationRuntime.system.sleep(.milliseconds(200))
            attempts += 1
        }
        try #require(attempts < 200, "The key began no take.")
    }

    /// Ends the take with the key, and returns its text with the capital of a first word.
    func finish() async throws -> String {
        try await desktop.key("key", "F9")
        let service = open.service
        try #require(
            await eventually { !service.publisher.status.isActive && service.texts.openTakes == 0 }, "The take goes on."
        )
        let text = try #require(try await service.last()?.text)
        return text.prefix(1).uppercased() + text.dropFirst()
    }
}

extension ScriptedEngine.Script {
    /// A word every 100 ms, first as volatile text, and two at a time as final text.
    static let words: ScriptedEngine.Script = [
        .volatile("one", at: .milliseconds(100)), .final("one two", at: .milliseconds(200)),
        .repeats(every: .milliseconds(200)),
    ]
}

@Suite(.serialized) struct IBusKeyboardTests {
    @Test func whatIsSaidIsWrittenIntoTheFieldOfAProgram() async throws {
        let trial = try await KeyboardTrial()
        let program = try await FieldProgram("gtk", on: trial.desktop)
        try await program.send("focus first")
        try await trial.start()
        _ = await program.eventualText("first") { $0.hasSuffix("one two one two") }
        let said = try await trial.finish()
        #expect(await program.eventualText("first") { $0 == said } == said)
        #expect(program.previews("first").contains { $0.lowercased().contains("one") })

        // A field that nobody should hear begins no take, and gets no text.
        let keyboards = trial.keyboards
        let destination = KeyboardDestination(keyboards)
        #expect(await eventually { keyboards.areThere })
        let publisher = trial.open.service.publisher
        let take = publisher.status.take
        for field in ["password", "hidden", "pin"] {
            try await program.focus(field, seenBy: keyboards)
            try await trial.desktop.key("key", "F9")
            let outcome = await destination.deliver("secret", into: nil)
            #expect(
                field == "hidden" ? outcome == .noField : outcome.reason?.hasPrefix("No dictation") == true, "\(field)")
            #expect(program.text(field) == "" && publisher.status.take == take, "\(field)")
            try await program.focus("second", seenBy: keyboards)
        }
        // Another program writes through the keyboard, after what is there.
        let second = try await keyboards.presentField()
        try await program.focus("first", seenBy: keyboards)
        let first = try await keyboards.presentField()
        #expect(await destination.deliver("The end.", into: first) == .delivered)
        #expect(await program.eventualText("first") { $0 == said + " the end." } == said + " the end.")
        #expect(await destination.deliver("No.", into: second).reason?.isEmpty == false)
        #expect(program.text("second") == "")
        trial.end()
    }

    @Test func aKeyIsHeldAndEscapeCancels() async throws {
        let trial = try await KeyboardTrial()
        let program = try await FieldProgram("gtk", on: trial.desktop)
        let publisher = trial.open.service.publisher
        try await program.send("focus first")
        try await trial.start()
        #expect(await program.eventualText("first") { $0.hasPrefix("One two") }.hasPrefix("One two"))
        try await trial.desktop.key("key", "Escape")
        #expect(await eventually { !publisher.status.isActive })
        #expect(try await trial.open.service.last() == nil)
        try await program.send("clear")
        try await trial.desktop.key("keydown", "F8")
        #expect(await program.eventualText("first") { $0.hasPrefix("One two") }.hasPrefix("One two"))
        try await trial.desktop.key("keyup", "F8")
        let texts = trial.open.service.texts
        #expect(await eventually { texts.hasLast })
        let said = try #require(try await trial.open.service.last()?.text)
        #expect(await program.eventualText("first") { $0 == "O" + said.dropFirst() } == "O" + said.dropFirst())
        trial.end()
    }

    @Test func withoutADaemonThereIsAReason() async throws {
        let keyboard = try IBusKeyboard(control: OpenListener().client(), keys: .init()) { nil }
        let found = await error { try await keyboard.run() }
        #expect(found?.code == .notRunning && found?.recovery?.contains("ibus-daemon") == true)
    }
}

extension ConnectedKeyboards {
    /// The field that has the focus. Between two fields there is none for a moment.
    fileprivate func presentField() async throws -> FocusedField {
        _ = await eventually { self.focusedField != nil }
        return try #require(focusedField)
    }
}

extension KeyboardDestination {
    fileprivate func deliver(_ text: String, into field: FocusedField?) async -> TextDelivery.Outcome {
        let segment = SpeechResult(range: .zero..<Duration.seconds(1), text: text)
        let transcript = Transcript(segments: [segment], duration: .seconds(1))
        return await deliver(DictatedText(take: TakeID(number: 0), transcript: transcript), into: field)
    }
}

extension FieldProgram {
    /// Moves the focus to a field without it, and waits until the service knows.
    fileprivate func focus(_ field: String, seenBy keyboards: ConnectedKeyboards) async throws {
        let before = keyboards.focusedField
        try await send("focus \(field)")
        try #require(
            // No context of a program has the hidden field. Between two fields there is none for a moment.
            await eventually {
                let present = keyboards.focusedField
                return field == "hidden" ? present == nil : present != nil && present != before
            },
            "The service does not know that \(field) has the focus.")
    }
}
#endif
