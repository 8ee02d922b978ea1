import DictationService
import Synchronization

/// What a keyboard is to do, on its way to the thread that does it.
final class KeyboardActions: Sendable {
    private let waiting = Mutex<[KeyboardMachine.Action]>([])
    private let queue: MessageQueue

    /// - Parameter queue: Wakes the thread.
    init(_ queue: MessageQueue) { self.queue = queue }

    func put(_ action: KeyboardMachine.Action) {
        waiting.withLock { $0.append(action) }
        queue.wakeUp()
    }

    func next() -> KeyboardMachine.Action? { waiting.withLock { $0.isEmpty ? nil : $0.removeFirst() } }
}
