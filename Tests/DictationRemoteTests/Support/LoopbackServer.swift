import Foundation
import Glibc
import Synchronization
import TestSupport

/// A server on loopback. Each connection has a thread that speaks as a closure says, right or wrong.
final class LoopbackServer: Sendable {
    let port: UInt16
    private let socket: Int32
    private let state = State()

    /// The threads hold this and not the server, so that a server which nobody uses any more ends.
    private final class State: Sendable {
        let counts = Mutex((connections: 0, ended: 0, isOver: false))
    }

    /// - Parameter serve: Serves a connection; the first has the number 1.
    init(_ serve: @escaping @Sendable (_ peer: Peer, _ number: Int) -> Void) throws {
        let listener: Int32
        (listener, port) = try listenOnLoopback()
        socket = listener
        Thread.detachNewThread { [state] in
            while case let connection = accept(listener, nil, nil), connection >= 0 {
                let number = state.counts.withLock { counts -> Int? in
                    counts.connections += 1
                    return counts.isOver ? nil : counts.connections
                }
                guard let number else {
                    close(connection)
                    break
                }
                Thread.detachNewThread {
                    serve(Peer(connection), number)
                    state.counts.withLock { $0.ended += 1 }
                }
            }
            close(listener)
        }
    }

    deinit { stop() }

    /// Takes no more connections.
    func stop() {
        let wasOver = state.counts.withLock { counts in
            defer { counts.isOver = true }
            return counts.isOver
        }
        // The thread closes the socket, whose number then belongs to somebody else.
        if !wasOver { shutdown(socket, Int32(SHUT_RDWR)) }
    }

    /// The number of connections so far.
    var connections: Int { state.counts.withLock { $0.connections } }
    /// The number of connections that are over.
    var endedConnections: Int { state.counts.withLock { $0.ended } }
}

/// The client at the other end of a connection. Only one thread uses it.
final class Peer {
    private let connection: Int32
    /// The number of bytes that were sent and received.
    private(set) var (sent, received) = (0, 0)
    /// The connection is cut after these numbers of bytes were sent, or received.
    var (sendLimit, receiveLimit) = (Int.max, Int.max)
    /// Told how many bytes were received.
    var count: (Int) -> Void = { _ in }
    /// Changes what the server sends.
    var change: ([UInt8]) -> [UInt8] = { $0 }

    init(_ connection: Int32) { self.connection = connection }

    deinit { close(connection) }

    /// Reads some bytes; `nil` at the end, or when the connection is cut.
    func read(atMost size: Int = 1 << 16) -> [UInt8]? {
        guard received < receiveLimit, sent < sendLimit else { return nil }
        var block = [UInt8](repeating: 0, count: min(size, receiveLimit - received))
        let count = recv(connection, &block, block.count, 0)
        guard count > 0 else { return nil }
        received += count
        self.count(count)
        return Array(block[..<count])
    }

    /// Sends bytes; `false` when the connection is cut.
    @discardableResult
    func write(_ bytes: [UInt8]) -> Bool {
        let bytes = change(bytes)
        let end = min(bytes.count, sendLimit - sent)
        var start = 0
        while start < end {
            let count = bytes[start..<end].withUnsafeBytes {
                Glibc.send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return false }
            start += count
        }
        sent += end
        return sent < sendLimit
    }

    /// Waits, unless the client leaves first. Returns whether it is still there.
    func rest(_ duration: Duration) -> Bool {
        // Only the end of the connection wakes it, and not bytes of the client.
        var wait = pollfd(fd: connection, events: Int16(0x2000), revents: 0)
        return poll(&wait, 1, Int32(duration / .milliseconds(1))) == 0
    }

    /// Ends the direction to the client, as a program does that has nothing more to say.
    func endSending() { shutdown(connection, Int32(SHUT_WR)) }

    /// Carries bytes between the client and a server on loopback, until one of them ends.
    func relay(toPort port: UInt16) {
        let other = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        defer { close(other) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        address.sin_port = port.bigEndian
        let size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isConnected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(other, $0, size) == 0 }
        }
        guard isConnected else { return }
        var waits = [connection, other].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        while poll(&waits, 2, -1) > 0 {
            for (source, target) in [(0, other), (1, connection)] where waits[source].revents != 0 {
                var block = [UInt8](repeating: 0, count: 1 << 16)
                let count = recv(waits[source].fd, &block, block.count, 0)
                guard count > 0, Glibc.send(target, block, count, Int32(MSG_NOSIGNAL)) == count else { return }
            }
        }
    }

    /// Waits until the client closes the connection, and reads nothing that it sends.
    func waitForTheEnd() {
        while recv(connection, nil, 0, Int32(MSG_PEEK)) >= 0 {
            var block = [UInt8](repeating: 0, count: 1 << 16)
            guard recv(connection, &block, block.count, 0) > 0 else { return }
        }
    }
}
