import DictationCore
import DictationSystem

/// The work of a listener's thread: waits for clients, their bytes and the answers to them.
final class ListenerLoop: Sendable {
    private let service: DictationService
    private let queue: MessageQueue
    private let limits: ServiceListener.Limits
    private let user: uid_t

    init(service: DictationService, queue: MessageQueue, limits: ServiceListener.Limits, user: uid_t) {
        self.service = service
        self.queue = queue
        self.limits = limits
        self.user = user
    }

    /// Works until the listener is closed, or the socket's file is gone.
    func run(_ listening: ListeningSocket) {
        var clients: [ListenerConnection] = []
        var count: UInt64 = 0
        // A process that has no descriptor left can't accept a client, so `poll` would return at once again and again.
        var isCrowded = false
        let changes = listening.changes
        while true {
            var waits = [
                queue.wait, changes.notice,
                pollfd(fd: isCrowded ? -1 : listening.socket.number, events: Int16(POLLIN), revents: 0),
            ]
            waits += clients.map(\.wait)
            let found = poll(&waits, nfds_t(waits.count), isCrowded ? 1_000 : -1)
            isCrowded = false
            guard found >= 0 else { continue }

            let messages = waits[0].revents != 0 ? queue.take() : MessageQueue.Messages()
            for message in messages.all { clients.first { $0.number == message.client }?.take(message.content) }
            for (client, wait) in zip(clients, waits.dropFirst(3)) where wait.revents != 0 { client.work(wait.revents) }
            for client in clients { client.goOn() }
            for client in clients where client.isOver { client.leave() }
            clients.removeAll(where: \.isOver)
            if waits[1].revents != 0 { changes.clear() }
            if messages.isClosing || (waits[1].revents != 0 && listening.isGone) {
                for client in clients { client.leave() }
                return
            }
            guard waits[2].revents != 0 else { continue }
            accepting: while true {
                let connection = listening.socket.accept()
                switch -connection {
                case ...0:
                    count += 1
                    accept(Descriptor(connection), count, &clients)
                case EINTR, ECONNABORTED: continue
                case EAGAIN, EWOULDBLOCK: break accepting
                default:
                    isCrowded = true
                    break accepting
                }
            }
        }
    }

    /// Greets a client, or tells it why it has to leave. If all places are taken, the oldest client that asks for nothing
    /// leaves instead. If all ask for something, the new client has a place in the reserve, to end a take.
    private func accept(_ connection: consuming Descriptor, _ number: UInt64, _ clients: inout [ListenerConnection]) {
        guard connection.peer == user else {
            return refuse(
                connection,
                DictationError(
                    .permissionDenied, "This dictation service belongs to another user.",
                    recovery: "Start a service of your own."))
        }
        if clients.count >= limits.clients, let silent = clients.firstIndex(where: \.isSilent) {
            clients.remove(at: silent).giveWay()
        }
        guard clients.count < limits.clients + ServiceListener.Limits.reservedPlaces else {
            return refuse(connection, .crowded(limits))
        }
        let client = ListenerConnection(
            connection, number: number, service: service, queue: queue, limits: limits,
            isInReserve: clients.count >= limits.clients)
        clients.append(client)
        // What it has sent already is done before others can take its place.
        client.work(Int16(POLLIN))
        client.goOn()
        guard client.isOver else { return }
        client.leave()
        clients.removeLast()
    }

    private func refuse(_ connection: consuming Descriptor, _ error: DictationError) {
        _ = connection.send(WireLine.bytes(WireReply(id: nil, content: .failure(error)))[...])
    }
}
