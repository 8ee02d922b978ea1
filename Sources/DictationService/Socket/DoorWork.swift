import DictationCore
import DictationPlatform

/// The work of a door's thread: waits for clients, their bytes and the answers to them.
final class DoorWork: Sendable {
    private let service: DictationService
    private let post: DoorPost
    private let limits: DictationDoor.Limits
    private let user: uid_t

    init(service: DictationService, post: DoorPost, limits: DictationDoor.Limits, user: uid_t) {
        self.service = service
        self.post = post
        self.limits = limits
        self.user = user
    }

    /// Works until the door is closed.
    func run(_ listening: ListeningSocket) {
        var clients: [DoorClient] = []
        var count: UInt64 = 0
        // A process that has no descriptor left can't accept a client, so `poll` would return at once again and again.
        var isCrowded = false
        while true {
            var waits = [
                post.wait, pollfd(fd: isCrowded ? -1 : listening.socket.number, events: Int16(POLLIN), revents: 0),
            ]
            waits += clients.map(\.wait)
            let found = poll(&waits, nfds_t(waits.count), isCrowded ? 1_000 : -1)
            isCrowded = false
            guard found >= 0 else { continue }

            let messages = waits[0].revents != 0 ? post.take() : DoorPost.Messages()
            for message in messages.all { clients.first { $0.number == message.client }?.take(message.content) }
            for (client, wait) in zip(clients, waits.dropFirst(2)) where wait.revents != 0 { client.work(wait.revents) }
            for client in clients { client.goOn() }
            for client in clients where client.isOver { client.leave() }
            clients.removeAll(where: \.isOver)
            if messages.isClosing {
                for client in clients { client.leave() }
                return
            }
            guard waits[1].revents != 0 else { continue }
            accepting: while true {
                let connection = listening.socket.accept()
                switch -connection {
                case ...0:
                    count += 1
                    if let client = accept(Descriptor(connection), count, isFull: clients.count >= limits.clients) {
                        clients.append(client)
                    }
                case EINTR, ECONNABORTED: continue
                case EAGAIN, EWOULDBLOCK: break accepting
                default:
                    isCrowded = true
                    break accepting
                }
            }
        }
    }

    /// Greets a client, or tells it why it has to leave.
    private func accept(_ connection: consuming Descriptor, _ number: UInt64, isFull: Bool) -> DoorClient? {
        let refusal: DictationError? =
            if connection.peer != user {
                DictationError(
                    .permissionDenied, "This dictation service belongs to another user.",
                    recovery: "Start a service of your own.")
            } else if isFull {
                DictationError(
                    .alreadyRunning, "\(limits.clients) clients are connected, and no more are allowed.",
                    recovery: "Disconnect one, then try again.")
            } else {
                nil
            }
        guard let refusal else {
            return DoorClient(connection, number: number, service: service, post: post, limits: limits)
        }
        _ = connection.send(WireLine.bytes(WireReply(id: nil, content: .failure(refusal)))[...])
        return nil
    }
}
