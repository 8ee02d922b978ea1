import DictationCore
import DictationSystem
import Foundation

@testable import DictationRemote
@testable import DictationServer

/// A client that sends a server whatever a test says.
final class RawClient: Sendable {
    private let socket: ClientSocket

    init(port: UInt16?) throws {
        let connection = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = (port ?? 0).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let isConnected = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(connection, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        socket = ClientSocket(connection, runtime: .system)
        guard isConnected else { throw POSIXError(.ECONNREFUSED) }
    }

    /// Sends bytes; `false` if the server has ended the connection, or reads nothing for ten seconds.
    @discardableResult
    func send(_ bytes: [UInt8]) async -> Bool { await socket.send(bytes) }

    /// Sends a byte now and then, for a minute at most. Returns whether the server ended the connection before that.
    func dripUntilTheEnd() async -> Bool {
        for _ in 0..<600 {
            guard await send([97]), (try? await DictationRuntime.system.sleep(.milliseconds(100))) != nil else {
                return true
            }
        }
        return false
    }

    /// Waits for some bytes of the server; `nil` at the end of the connection.
    func receive() async -> [UInt8]? {
        let socket = socket
        return try? await BlockingWork("raw-client").run { () throws(DictationError) in
            socket.receive(within: .seconds(20))
        }
    }

    /// Says that nothing more is sent.
    func endSending() { socket.endSending() }

    /// Waits for everything that the server sends, up to its end of the connection.
    func receiveAll() async -> [UInt8] {
        let socket = socket
        let bytes = try? await BlockingWork("raw-client").run { () throws(DictationError) in
            var all: [UInt8] = []
            while let some = socket.receive(within: .seconds(20)) { all += some }
            return all
        }
        return bytes ?? []
    }
}
