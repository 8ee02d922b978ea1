import DictationCore
import Synchronization

/// The keyboards that are connected to a service, which writes into their fields.
package final class ConnectedKeyboards: Sendable {
    fileprivate struct Keyboard {
        var field: String?
        let send: @Sendable (FieldOrder) -> Void
    }

    fileprivate struct State {
        /// The keyboards; the one that told of a field last is the last.
        var keyboards: [(number: Int, keyboard: Keyboard)] = []
        var count = 0
        var waiting: [Int: (keyboard: Int, outcome: Watched<TextDelivery.Outcome?>)] = [:]

        func index(of number: Int) -> Int? { keyboards.firstIndex { $0.number == number } }
        /// The keyboard whose field has the focus.
        var focused: (number: Int, keyboard: Keyboard)? { keyboards.last { $0.keyboard.field != nil } }
    }

    /// How long a keyboard may take to write a text.
    private static let answerTimeout = Duration.seconds(5)

    private let state = Mutex(State())
    private let runtime = DictationRuntime.current

    // MARK: Keyboards

    /// Notes that a keyboard is there.
    ///
    /// - Returns: Its number.
    func connect(_ send: @escaping @Sendable (FieldOrder) -> Void) -> Int {
        state.withLock { state in
            state.count += 1
            state.keyboards.insert((state.count, Keyboard(send: send)), at: 0)
            return state.count
        }
    }

    /// Notes that a keyboard is gone. Nobody knows whether it wrote what it was asked to.
    func disconnect(_ number: Int) {
        let left = state.withLock { state in
            state.keyboards.removeAll { $0.number == number }
            return state.waiting.values.filter { $0.keyboard == number }
        }
        for waiting in left { waiting.outcome.change { $0 = .incomplete("The keyboard has ended.") } }
    }

    func note(_ report: FieldReport, of number: Int) {
        state.withLock { state in
            switch report {
            case .focus(let field):
                guard let index = state.index(of: number) else { return }
                var entry = state.keyboards.remove(at: index)
                entry.keyboard.field = field
                state.keyboards.insert(entry, at: field == nil ? index : state.keyboards.count)
            case .outcome(let text, let outcome):
                guard let waiting = state.waiting[text], waiting.keyboard == number else { return }
                waiting.outcome.change { $0 = outcome }
            }
        }
    }

    // MARK: The service

    var areThere: Bool { state.withLock { !$0.keyboards.isEmpty } }

    /// The field that has the focus; `nil` if no keyboard knows of one.
    var focusedField: FocusedField? {
        state.withLock { state in
            state.focused.flatMap { number, keyboard in keyboard.field.map { FocusedField(id: "\(number) \($0)") } }
        }
    }

    func show(_ text: String, in field: FocusedField?) {
        let found = state.withLock { $0.addressee(of: field) }
        found?.keyboard.send(.show(text, in: found?.field))
    }

    func write(_ text: DictatedText, into field: FocusedField?) async -> TextDelivery.Outcome {
        let outcome = Watched<TextDelivery.Outcome?>(nil)
        let (number, order) = state.withLock { state -> (Int, (() -> Void)?) in
            guard let found = state.addressee(of: field) else { return (0, nil) }
            state.count += 1
            state.waiting[state.count] = (found.number, outcome)
            let text = OrderedText(
                number: state.count, text: text.text, take: text.take.number == 0 ? nil : text.take,
                field: found.field)
            return (state.count, { found.keyboard.send(.write(text)) })
        }
        guard let order else { return .unavailable(DictationError.noKeyboard.message) }
        defer { state.withLock { $0.waiting[number] = nil } }
        order()
        let answer = await runtime.within(Self.answerTimeout) { await outcome.first { $0 } }
        return answer.flatMap(\.self) ?? .incomplete("The keyboard did not answer.")
    }
}

extension ConnectedKeyboards.State {
    /// Returns the keyboard that has a field, and the field in its words. Without a field, it is the one with the focus.
    fileprivate func addressee(
        of field: FocusedField?
    ) -> (number: Int, keyboard: ConnectedKeyboards.Keyboard, field: String?)? {
        guard let field else { return (focused ?? keyboards.last).map { ($0.number, $0.keyboard, nil) } }
        let parts = field.id.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, let number = Int(parts[0]), let index = index(of: number) else { return nil }
        return (number, keyboards[index].keyboard, String(parts[1]))
    }
}

extension DictationError {
    static let noKeyboard = DictationError(
        .notRunning, "The dictation keyboard is not running.",
        recovery: "Start it, and choose it in the desktop's settings.")
}
