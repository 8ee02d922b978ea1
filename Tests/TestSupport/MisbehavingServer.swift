import Foundation
import Glibc
import Synchronization

/// A real HTTP server on loopback that answers as a closure says, right or wrong.
package final class MisbehavingServer: Sendable {
    package struct Request: Sendable {
        package var path: String
        package var headers: [String: String]
        /// Which request for this path it is, from 1 on.
        package var number: Int
        /// Where a range that is asked for begins.
        package var rangeStart: Int? {
            headers["range"].flatMap { text in
                text.hasPrefix("bytes=") ? Int(text.dropFirst(6).prefix { $0 != "-" }) : nil
            }
        }
    }

    package struct Reply: Sendable {
        package var status = 200
        package var headers: [(String, String)] = []
        package var body: [UInt8] = []
        /// What `Content-Length` says; the truth unless set.
        package var contentLength: Int?
        /// How much is sent before the connection is cut.
        package var cutAfter: Int?
        /// How much is sent before the server falls silent, keeping the connection.
        package var silentAfter: Int?
        /// How long is waited after each byte.
        package var byteDelay: Duration?
        /// How long is waited after each 16,384 bytes.
        package var blockDelay: Duration?
        /// Asked before each block after the first, until it says yes or the client has gone.
        package var mayGoOn: (@Sendable () -> Bool)?

        package init(
            status: Int = 200, headers: [(String, String)] = [], body: [UInt8] = [], contentLength: Int? = nil,
            cutAfter: Int? = nil, silentAfter: Int? = nil
        ) {
            self.status = status
            self.headers = headers
            self.body = body
            self.contentLength = contentLength
            self.cutAfter = cutAfter
            self.silentAfter = silentAfter
        }

        package static func status(_ status: Int, _ headers: [(String, String)] = []) -> Reply {
            Reply(status: status, headers: headers)
        }

        /// What an honest server says: the whole, or the part that is asked for if it is still the same.
        package static func file(_ bytes: [UInt8], tag: String? = "\"v1\"", for request: Request) -> Reply {
            var reply = Reply(headers: tag.map { [("ETag", $0)] } ?? [], body: bytes)
            guard let start = request.rangeStart, request.headers["if-range"] == tag else { return reply }
            guard start < bytes.count else { return .status(416, [("Content-Range", "bytes */\(bytes.count)")]) }
            reply.status = 206
            reply.headers.append(("Content-Range", "bytes \(start)-\(bytes.count - 1)/\(bytes.count)"))
            reply.body = Array(bytes[start...])
            return reply
        }

        package func cut(after count: Int) -> Reply {
            var reply = self
            reply.cutAfter = count
            return reply
        }
    }

    private struct State {
        var requests: [Request] = []
        var isOver = false
    }

    package let port: UInt16
    private let socket: Int32
    private let answer: @Sendable (Request) -> Reply
    private let state = Mutex(State())

    package init(_ answer: @escaping @Sendable (Request) -> Reply) throws {
        self.answer = answer
        let listener: Int32
        (listener, port) = try listenOnLoopback()
        socket = listener
        Thread.detachNewThread { [weak self] in
            while let connection = self.map({ _ in accept(listener, nil, nil) }), connection >= 0 {
                guard let self, !self.state.withLock({ $0.isOver }) else {
                    close(connection)
                    break
                }
                Thread.detachNewThread { self.serve(connection) }
            }
            close(listener)
        }
    }

    /// Ends it; what is under way is left to its end.
    package func stop() {
        state.withLock { $0.isOver = true }
        shutdown(socket, Int32(SHUT_RDWR))
    }

    package var requests: [Request] { state.withLock { $0.requests } }
    package func address(_ path: String) -> String { "http://127.0.0.1:\(port)\(path)" }

    private func serve(_ connection: Int32) {
        defer { close(connection) }
        guard var request = readRequest(connection) else { return }
        request.number = state.withLock { state in
            let number = state.requests.count { $0.path == request.path } + 1
            request.number = number
            state.requests.append(request)
            return number
        }
        let reply = answer(request)
        var head = "HTTP/1.1 \(reply.status) X\r\nConnection: close\r\n"
        head += "Content-Length: \(reply.contentLength ?? reply.body.count)\r\n"
        for (name, value) in reply.headers { head += "\(name): \(value)\r\n" }
        guard send(Array((head + "\r\n").utf8), to: connection) else { return }
        let body = Array(reply.body.prefix(min(reply.cutAfter ?? .max, reply.silentAfter ?? .max)))
        let blockSize = reply.byteDelay == nil ? 16_384 : 1
        for start in stride(from: 0, to: body.count, by: blockSize) {
            while start > 0, let mayGoOn = reply.mayGoOn, !mayGoOn() {
                if hasClosed(connection, within: .milliseconds(5)) { return }
            }
            guard send(Array(body[start..<min(start + blockSize, body.count)]), to: connection) else { return }
            let delay = reply.byteDelay ?? reply.blockDelay
            if let delay, hasClosed(connection, within: delay) { return }
        }
        if reply.silentAfter != nil { _ = hasClosed(connection, within: .seconds(30)) }
    }

    private func readRequest(_ connection: Int32) -> Request? {
        var bytes: [UInt8] = []
        var block = [UInt8](repeating: 0, count: 4_096)
        while !bytes.suffix(4).elementsEqual([13, 10, 13, 10]) {
            let count = recv(connection, &block, block.count, 0)
            guard count > 0, bytes.count < 65_536 else { return nil }
            bytes += block[..<count]
        }
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\r\n")
        let words = lines.first?.split(separator: " ") ?? []
        guard words.count == 3 else { return nil }
        var headers: [String: String] = [:]
        for line in lines.dropFirst() {
            let parts = line.split(separator: ":", maxSplits: 1)
            if parts.count == 2 { headers[parts[0].lowercased()] = parts[1].trimmingCharacters(in: .whitespaces) }
        }
        return Request(path: String(words[1]), headers: headers, number: 0)
    }

    private func send(_ bytes: [UInt8], to connection: Int32) -> Bool {
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes { buffer in
                Glibc.send(
                    connection, buffer.baseAddress.map { $0 + sent }, bytes.count - sent, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return false }
            sent += count
        }
        return true
    }

    private func hasClosed(_ connection: Int32, within limit: Duration) -> Bool {
        var wait = pollfd(fd: connection, events: Int16(POLLIN), revents: 0)
        return poll(&wait, 1, Int32(limit / .milliseconds(1))) > 0
    }
}
