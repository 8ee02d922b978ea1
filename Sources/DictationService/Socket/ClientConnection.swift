import DictationCore
import DictationSystem
import Synchronization

/// A client's connection to a service. Its calls block, so they run on a thread of their own.
final class ClientConnection: Sendable {
    /// The most bytes in a line from a service. A transcript of many hours is shorter.
    private static let lineLimit = 1 << 28
    private let socket: Descriptor
    /// Held while a line is sent, because several threads may send.
    private let sending = Mutex(())
    private let lines = Mutex(LineBuffer(limit: lineLimit))

    /// Connects, and exchanges the greetings.
    init(to place: SocketPlace, within limit: Duration) throws(DictationError) {
        socket = try place.connect()
        // A service that refuses a client may be gone before the greeting, but its reason is there to read.
        try? send(WireHello())
        let line = try receive(within: limit)
        // A service that refuses a client says why instead of greeting.
        if let reply = try? WireLine.value(WireReply.self, in: line), case .failure(let error) = reply.content {
            throw error
        }
        if let refusal = try WireLine.value(WireHello.self, in: line).refusal { throw refusal }
    }

    /// Sends a line.
    func send(_ line: some Encodable) throws(DictationError) {
        var rest = WireLine.bytes(line)[...]
        try sending.withLock { _ throws(DictationError) in
            while !rest.isEmpty {
                guard let count = socket.send(rest) else { throw .connectionLost }
                rest = rest.dropFirst(count)
                if count == 0 { try wait(for: POLLOUT, until: TimeLimit(.seconds(5))) }
            }
        }
    }

    /// Returns the next answer to a request, and answers pings meanwhile.
    ///
    /// - Throws: The error that the service answered; `timedOut` when the answer does not come within the limit.
    func answer(to id: Int, within limit: Duration?) throws(DictationError) -> WireReply.Content {
        while true {
            let reply = try WireLine.value(WireReply.self, in: try receive(within: limit))
            if case .failure(let error) = reply.content, reply.id == nil || reply.id == id { throw error }
            if case .ping = reply.content {
                // A service that has given up waiting has closed the connection, but its reason is there to read.
                try? send(WireRequest(id: reply.id ?? id, kind: .pong))
            } else if reply.id == id {
                return reply.content
            }
        }
    }

    /// Returns the newest answer that has come to a request, and waits for one if there is none.
    func newestAnswer(to id: Int) throws(DictationError) -> WireReply.Content {
        var newest = try answer(to: id, within: nil)
        while let line = try received() {
            let reply = try WireLine.value(WireReply.self, in: line)
            if reply.id == id { newest = reply.content }
        }
        return newest
    }

    /// Ends the connection. A call that waits on another thread then throws.
    func end() { shutdown(socket.number, Int32(SHUT_RDWR)) }

    private func receive(within limit: Duration?) throws(DictationError) -> [UInt8] {
        let end = limit.map { TimeLimit($0) }
        while true {
            if let line = try received() { return line }
            try wait(for: POLLIN, until: end)
        }
    }

    /// Returns a line that has already come; `nil` if it is not complete.
    private func received() throws(DictationError) -> [UInt8]? {
        var block = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            switch lines.withLock({ $0.next() }) {
            case .line(let line): return line
            case .tooLong: throw .connectionLost
            case .incomplete: break
            }
            guard let count = socket.receive(into: &block) else { return nil }
            guard count > 0 else { throw .connectionLost }
            lines.withLock { $0.append(block[..<count]) }
        }
    }

    private func wait(for events: Int32, until end: TimeLimit?) throws(DictationError) {
        var wait = pollfd(fd: socket.number, events: Int16(events), revents: 0)
        let found = poll(&wait, 1, end?.milliseconds ?? -1)
        if found == 0 { throw .noAnswer }
    }
}

extension DictationError {
    static let connectionLost = DictationError(
        .notRunning, "The dictation service has closed the connection.",
        recovery: "Start the service again. If a text is missing, ask for the last text.")

    static let noAnswer = DictationError(
        .timedOut, "The dictation service did not answer in time.",
        recovery: "Look at its status. If it hangs, end its process and start it again.")
}
