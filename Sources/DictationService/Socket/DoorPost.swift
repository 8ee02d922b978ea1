import CSockets
import DictationCore
import DictationFiles
import DictationPlatform
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
        }

        var client: UInt64
        var content: Content
    }

    struct Messages: Sendable {
        var all: [Message] = []
        var isClosing = false
    }

    private let waiting = Mutex(Messages())
    private let theirs: Descriptor
    private let ours: Descriptor

    init() throws(DictationError) {
        var pair: [Int32] = [-1, -1]
        let code = dictation_make_pair(&pair)
        guard code == 0 else { throw .file("make", "a pair of sockets", -code) }
        ours = Descriptor(pair[0])
        theirs = Descriptor(pair[1])
    }

    func send(_ content: Message.Content, to client: UInt64) {
        wake { $0.all.append(Message(client: client, content: content)) }
    }

    /// Wakes the thread without a message.
    func wakeUp() { wake { _ in } }

    /// Asks the thread to end.
    func close() { wake { $0.isClosing = true } }

    /// What `poll` waits for.
    var wait: pollfd { pollfd(fd: ours.number, events: Int16(POLLIN), revents: 0) }

    /// Returns the messages, on the door's thread.
    func take() -> Messages {
        var block = [UInt8](repeating: 0, count: 64)
        while let count = ours.receive(into: &block), count == block.count {}
        return waiting.withLock { messages in
            defer { messages.all = [] }
            return messages
        }
    }

    private func wake(_ change: (inout Messages) -> Void) {
        let wasEmpty = waiting.withLock { messages in
            defer { change(&messages) }
            return messages.all.isEmpty
        }
        if wasEmpty { _ = theirs.send([1]) }
    }
}
