#if SystemBus
import DictationCore
import DictationService
import DictationSystem

/// What serves a connection to a bus, on a thread of its own.
protocol BusServer: AnyObject {
    /// Takes messages of this process.
    func take(_ messages: MessageQueue.Messages)
    /// Takes a message of the bus.
    func receive(_ message: BusMessage)
    /// Does what is left to do before the thread sleeps.
    ///
    /// - Returns: How long it may sleep, in milliseconds; -1 is forever.
    func rest() -> Int32
    /// Whether there is nothing left to serve.
    var isOver: Bool { get }
    /// Ends, because the connection was closed or lost.
    func end()
}

extension BusServer {
    func take(_ messages: MessageQueue.Messages) {}
    func rest() -> Int32 { -1 }
    var isOver: Bool { false }
    func end() {}
}

enum BusLoop {
    /// Serves a connection until it is closed or lost. The thread sleeps while nobody talks.
    static func run(_ bus: BusConnection, _ queue: MessageQueue, _ server: some BusServer) {
        defer { server.end() }
        while true {
            let limits = [bus.timeout, server.rest()].filter { $0 >= 0 }
            var waits = [queue.wait, bus.wait]
            let found = poll(&waits, nfds_t(waits.count), limits.min() ?? -1)
            guard found >= 0 else { continue }
            let messages = waits[0].revents != 0 ? queue.take() : MessageQueue.Messages()
            server.take(messages)
            do throws(DictationError) {
                // Messages of this process have their turn after each message of the bus.
                if let message = try bus.next() { server.receive(message) }
            } catch {
                return
            }
            if messages.isClosing || server.isOver || !bus.isOpen { return }
        }
    }
}
#endif
