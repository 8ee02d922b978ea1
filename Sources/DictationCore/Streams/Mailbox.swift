import Synchronization

/// A queue between tasks, with any number of writers and one reader. It ends with or without an error.
///
/// ``put(_:merging:)`` never waits. ``putWhenRoom(_:)`` waits until the queue is shorter than its capacity. A reader
/// whose task is cancelled gets `nil`.
package final class Mailbox<Element: Sendable, Failure: Error>: Sendable {
    private struct State {
        var items = FIFO<Element>()
        var end: End?
    }

    private enum End {
        case finished
        case failed(Failure)
    }

    private enum Taken {
        case item(Element)
        case end
        case failed(Failure)
        case nothing
    }

    private let capacity: Int
    private let state = Mutex(State())
    private let filled = Signal()
    private let emptied = Signal()

    package init(capacity: Int = .max) { self.capacity = capacity }

    package var count: Int { state.withLock { $0.items.count } }

    /// Adds an element, unless the mailbox has ended.
    ///
    /// - Parameters:
    ///   - element: The element.
    ///   - merge: Returns `true` if it merged the element into the waiting ones; otherwise the element is appended.
    /// - Returns: Whether the mailbox took the element.
    @discardableResult
    package func put(_ element: Element, merging merge: (inout FIFO<Element>) -> Bool = { _ in false }) -> Bool {
        let isTaken = state.withLock { state in
            guard state.end == nil else { return false }
            if !merge(&state.items) { state.items.append(element) }
            return true
        }
        if isTaken { filled.wake() }
        return isTaken
    }

    /// Waits for room and adds an element; `false` when the mailbox has ended or the task is cancelled.
    package func putWhenRoom(_ element: Element) async -> Bool {
        await room() && put(element)
    }

    /// Waits until the queue is shorter than its capacity; `false` when the mailbox has ended or the task is cancelled.
    package func room() async -> Bool {
        while true {
            let hasRoom = state.withLock { $0.end != nil ? nil : $0.items.count < capacity }
            guard let hasRoom, !Task.isCancelled else { return false }
            if hasRoom { return true }
            await emptied.wait { state.withLock { $0.end != nil || $0.items.count < capacity } }
        }
    }

    /// Ends the mailbox. The reader still gets the waiting elements, and then the error if there is one.
    ///
    /// - Returns: Whether this call ended the mailbox; `false` if it had ended before.
    @discardableResult
    package func finish(throwing failure: Failure? = nil) -> Bool {
        let isFirst = state.withLock { state in
            guard state.end == nil else { return false }
            state.end = failure.map { .failed($0) } ?? .finished
            return true
        }
        if isFirst {
            filled.wake()
            emptied.wake()
        }
        return isFirst
    }

    /// Ends the mailbox, removes the waiting elements and returns them.
    package func discard() -> [Element] {
        finish()
        return state.withLock { state in
            var left: [Element] = []
            while let item = state.items.popFirst() { left.append(item) }
            return left
        }
    }

    /// Returns the next element; `nil` at the end, or when the task is cancelled.
    package func next() async throws(Failure) -> Element? {
        while true {
            switch takeNow() {
            case .item(let item): return item
            case .end: return nil
            case .failed(let failure): throw failure
            case .nothing: break
            }
            if Task.isCancelled { return nil }
            await filled.wait { state.withLock { !$0.items.isEmpty || $0.end != nil } }
        }
    }

    private func takeNow() -> Taken {
        let taken = state.withLock { state -> Taken in
            if let item = state.items.popFirst() { return .item(item) }
            switch state.end {
            case .finished: return .end
            case .failed(let failure):
                state.end = .finished
                return .failed(failure)
            case nil: return .nothing
            }
        }
        if case .item = taken { emptied.wake() }
        return taken
    }
}
