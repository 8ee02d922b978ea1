import DictationCore
import Synchronization

/// What a keyboard is to do, on its way to the thread that does it.
final class KeyboardActions: Sendable {
    private struct State {
        var waiting: [KeyboardBridge.Action] = []
        var answer: (@Sendable (Int, KeyboardBridge.Insertion) -> Void)?
    }

    private let state = Mutex(State())
    private let post: DoorPost

    /// - Parameter post: Wakes the thread.
    init(_ post: DoorPost) { self.post = post }

    /// Calls a closure with what became of texts that others wanted in a field.
    func answerInsertions(with answer: (@Sendable (Int, KeyboardBridge.Insertion) -> Void)?) {
        state.withLock { $0.answer = answer }
    }

    func put(_ action: KeyboardBridge.Action) {
        if case .inserted(let number, let outcome) = action {
            state.withLock { $0.answer }?(number, outcome)
        } else {
            state.withLock { $0.waiting.append(action) }
            post.wakeUp()
        }
    }

    func next() -> KeyboardBridge.Action? { state.withLock { $0.waiting.isEmpty ? nil : $0.waiting.removeFirst() } }
}
