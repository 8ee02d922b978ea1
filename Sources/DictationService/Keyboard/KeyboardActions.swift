import Synchronization

/// What a keyboard is to do, on its way to the thread that does it.
final class KeyboardActions: Sendable {
    private let waiting = Mutex<[KeyboardBridge.Action]>([])
    private let post: DoorPost

    /// - Parameter post: Wakes the thread.
    init(_ post: DoorPost) { self.post = post }

    func put(_ action: KeyboardBridge.Action) {
        waiting.withLock { $0.append(action) }
        post.wakeUp()
    }

    func next() -> KeyboardBridge.Action? { waiting.withLock { $0.isEmpty ? nil : $0.removeFirst() } }
}
