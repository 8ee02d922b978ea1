import DictationCore
import Foundation
import Glibc

/// A client that sends and reads bytes as a test says, right or wrong.
final class RawClient: @unchecked Sendable {  // Each test uses a client from one task at a time.
    private let socket: Int32
    private var bytes: [UInt8] = []
    private let work = BlockingWork("raw-client")
    static let hello = #"{"hello":"dictation","version":1}"#

    init(_ path: String, greets: Bool = true) throws {
        socket = try connectedSocket(to: path)
        var limit = timeval(tv_sec: 20, tv_usec: 0)
        setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        if greets { sendNow(Array((Self.hello + "\n").utf8)) }
    }

    deinit { close(socket) }

    /// Sends a line; the number of bytes that the other side took.
    @discardableResult
    func send(_ line: String) async throws -> Int { try await send(bytes: Array((line + "\n").utf8)) }

    @discardableResult
    func send(bytes: [UInt8]) async throws -> Int { try await work.run { self.sendNow(bytes) } }

    @discardableResult
    private func sendNow(_ bytes: [UInt8]) -> Int {
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes {
                Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { break }
            sent += count
        }
        return sent
    }

    /// Says that nothing more is sent.
    func endSending() { shutdown(socket, Int32(SHUT_WR)) }

    /// Returns the next line, and waits for it; `nil` at the end of the connection.
    func line() async throws -> String? { try await work.run { self.lineNow() } }

    /// Returns what the listener greets with, and blocks until then.
    func greetingNow() -> String? { lineNow()?.contains("\"hello\":\"dictation\"") == true ? "dictation" : nil }

    private func lineNow() -> String? {
        while true {
            if let end = bytes.firstIndex(of: UInt8(ascii: "\n")) {
                defer { bytes.removeFirst(end + 1) }
                return String(decoding: bytes[..<end], as: UTF8.self)
            }
            var block = [UInt8](repeating: 0, count: 65_536)
            let count = recv(socket, &block, block.count, 0)
            guard count > 0 else { return nil }
            bytes += block[..<count]
        }
    }

    /// Returns the next line as JSON; `nil` at the end of the connection.
    func answer() async throws -> [String: Any]? {
        guard let line = try await line() else { return nil }
        return try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
    }

    /// Returns the kind of the next answer, or the code of its error; `nil` at the end of the connection.
    func kind() async throws -> String? {
        guard let answer = try await answer() else { return nil }
        guard let error = answer["error"] as? [String: Any], answer["answer"] as? String == "error" else {
            return answer["answer"] as? String ?? answer["hello"] as? String
        }
        return error["code"] as? String
    }
}

/// Returns a socket that is connected to the one at a path.
func connectedSocket(to path: String) throws -> Int32 {
    let socket = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix(107)) }
    let isConnected = withUnsafePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            connect(socket, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
        }
    }
    guard isConnected else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
    return socket
}
