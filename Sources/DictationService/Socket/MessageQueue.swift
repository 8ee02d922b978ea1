package import DictationCore
package import DictationSystem
import Synchronization

/// What tasks have to say to the listener's thread. Each message wakes the thread.
package final class MessageQueue: Sendable {
    /// A message for a client.
    package struct Message: Sendable {
        package enum Content: Sendable {
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

        package var client: UInt64
        package var content: Content
    }

    package struct Messages: Sendable {
        package var all: [Message] = []
        package var isClosing = false

        package init() {}
    }

    private let waiting = Mutex(Messages())
    private let waker = Waker()

    package init() throws(DictationError) {
        if let problem = waker.problem { throw .file("make", "a waker", problem.code) }
    }

    package func send(_ content: Message.Content, to client: UInt64) {
        wake { $0.all.append(Message(client: client, content: content)) }
    }

    /// Wakes the thread without a message.
    package func wakeUp() { wake { _ in } }

    /// Asks the thread to end.
    package func close() { wake { $0.isClosing = true } }

    /// What `poll` waits for.
    package var wait: pollfd { waker.wait }

    /// Returns the messages, on the listener's thread.
    package func take() -> Messages {
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
