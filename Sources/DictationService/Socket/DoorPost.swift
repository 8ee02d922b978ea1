import DictationCore
import DictationSystem
import Synchronization

/// What tasks have to say to the door's thread. Each message wakes the thread.
final class DoorPost: Sendable {
    /// A message for a client.
    struct Message: Sendable {
        enum Content: Sendable {
            /// Answers a request, which came with a number for the thread's use.
            case reply(WireReply, request: Int)
            /// The newest status for a client that follows it.
            case status(WireReply)
            /// Something for a keyboard to do.
            case order(WireReply)
            /// The time to look at the holder of a take has come.
            case holdDue(TakeID)
            /// The time for a client's greeting is over.
            case greetingDue
        }

        var client: UInt64
        var content: Content
    }

    struct Messages: Sendable {
        var all: [Message] = []
        var isClosing = false
    }

    private let waiting = Mutex(Messages())
    private let waker = Waker()

    init() throws(DictationError) {
        if let problem = waker.problem { throw .file("make", "a waker", problem.code) }
    }

    func send(_ content: Message.Content, to client: UInt64) {
        wake { $0.all.append(Message(client: client, content: content)) }
    }

    /// Wakes the thread without a message.
    func wakeUp() { wake { _ in } }

    /// Asks the thread to end.
    func close() { wake { $0.isClosing = true } }

    /// What `poll` waits for.
    var wait: pollfd { waker.wait }

    /// Returns the messages, on the door's thread.
    func take() -> Messages {
        waker.clear()
        return waiting.withLock { messages in
            defer { messages.all = [] }
            return messages
        }
    }

    private func wake(_ change: (inout Messages) -> Void) {
        waiting.withLock { change(&$0) }
        waker.wake()
    }
}
