#if Server
import DictationCore
import Synchronization

/// The memory for large messages, which all live connections share. Small messages always have room.
final class MessageMemory: Sendable {
    /// The size of a message that needs no room here.
    static let smallByteCount = 64 << 10

    private let limit: Int
    private let used = Watched(0)

    init(limit: Int) { self.limit = limit }

    /// Waits for room and takes it; `false` when the task is cancelled.
    fileprivate func take(_ count: Int, note: @Sendable () -> Void) async -> Bool {
        while await used.first({ [limit] in $0 + count <= limit ? true : nil }) != nil {
            let isTaken = used.change { [limit] used in
                guard used + count <= limit else { return false }
                used += count
                return true
            }
            if isTaken {
                note()
                return true
            }
        }
        return false
    }

    fileprivate func release(_ count: Int) { used.change { $0 -= count } }
}

/// The part of the memory that one connection has. It is free again when this is released.
final class MessageShare: Sendable {
    private struct State {
        var held = 0
        /// When the message that is arriving got its room.
        var since: Duration?
    }

    private let memory: MessageMemory
    private let timeout: Duration
    private let runtime: DictationRuntime
    private let state = Mutex(State())

    /// - Parameters:
    ///   - memory: The memory of all connections.
    ///   - timeout: How long a message waits for room, and how long it may take to arrive after that.
    ///   - runtime: The source of time.
    init(of memory: MessageMemory, timeout: Duration, runtime: DictationRuntime) {
        (self.memory, self.timeout, self.runtime) = (memory, timeout, runtime)
    }

    deinit {
        let held = state.withLock { $0.held }
        if held > 0 { memory.release(held) }
    }

    /// Holds the room for messages, and no more. Waits until there is room.
    ///
    /// - Parameters:
    ///   - arriving: The whole size of a message whose first bytes are there.
    ///   - whole: The size of the messages that are being worked on.
    /// - Throws: A refusal without room, or of a message that takes too long to arrive.
    func hold(arriving: Int, whole: Int = 0) async throws(ServerRefusal) {
        let room = max(0, arriving + whole - MessageMemory.smallByteCount)
        let more = state.withLock { room - $0.held }
        if more > 0 {
            let hasRoom = await runtime.within(timeout) { [memory, self] in
                // It may come just when the time is over, and is then given back with this object.
                await memory.take(more) { state.withLock { $0.held += more } }
            }
            guard hasRoom == true else { throw .noRoom }
        } else if more < 0 {
            state.withLock { $0.held = room }
            memory.release(-more)
        }
        let now = runtime.now()
        let isLate = state.withLock { state in
            state.since = arriving > MessageMemory.smallByteCount ? state.since ?? now : nil
            return state.since.map { now - $0 > timeout } ?? false
        }
        if isLate { throw .slowMessage }
    }
}
#endif
