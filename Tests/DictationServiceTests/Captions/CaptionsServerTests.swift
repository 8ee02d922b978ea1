import DictationCore
import DictationEngines
import Foundation
import Glibc
import TestSupport
import Testing

@testable import DictationDesktop
@testable import DictationService

/// A real captions server on loopback, with clients that behave and clients that don't.
@Suite struct CaptionsServerTests {
    @Test func theEventsFollowTheText() async throws {
        let open = try OpenListener()
        let server = try CaptionsServer(open.client())
        let port = try #require(URL(string: server.address)?.port)
        let path = try #require(URL(string: server.address)?.path())
        let events = try RawWebClient(port: port)
        try await events.ask("GET \(path)events", host: "127.0.0.1:\(port)")
        #expect(try await events.waits(for: #""state":"idle""#))
        try await open.service.start()
        #expect(try await events.waits(for: #""state":"recording""#))
        #expect(try await events.waits(for: #""text":"one two"#))
        _ = try await open.service.stop()
        #expect(try await events.waits(for: #""state":"idle""#))
        #expect(
            events.text.contains("Content-Type: text/event-stream") && events.text.contains("Cache-Control: no-store"))
        await open.listener.close()
        #expect(try await events.waits(for: #""state":"stopped""#))
        await server.close()
        #expect(try await events.waitsForEnd())
    }

    @Test func onlyThisMachineAndTheWholeAddressReachThePage() async throws {
        let server = try CaptionsServer(countingService())
        let url = try #require(URL(string: server.address))
        let (port, path) = (try #require(url.port), url.path())
        #expect(url.host() == "127.0.0.1" && path.utf8.count > 16)
        let good = "127.0.0.1:\(port)"
        let requests: [(line: String, host: String, headers: String, status: String)] = [
            ("GET \(path)", good, "", "200"), ("GET \(path)", "evil.example:\(port)", "", "421"),
            ("GET \(path)events", good, "Origin: https://evil.example\r\n", "403"), ("GET /", good, "", "404"),
            ("GET \(path.dropLast(2))/", good, "", "404"), ("POST \(path)", good, "Content-Length: 0\r\n", "405"),
        ]
        for request in requests {
            let client = try RawWebClient(port: port)
            try await client.ask(request.line, host: request.host, headers: request.headers)
            #expect(try await client.waits(for: "HTTP/1.1 \(request.status)"), "\(request) \(client.text)")
            #expect(!client.text.contains("Access-Control"))
        }
        await server.close()
        #expect(throws: (any Error).self) { _ = try RawWebClient(port: port) }
    }

    /// More browsers than are allowed, browsers that never read, and ones that send nonsense: the good one is served.
    @Test func badClientsDisturbNobody() async throws {
        let open = try OpenListener()
        let server = try CaptionsServer(open.service, port: 0, clients: 12)
        let url = try #require(URL(string: server.address))
        let (port, path) = (try #require(url.port), url.path())
        let good = try RawWebClient(port: port)
        try await good.ask("GET \(path)events", host: "127.0.0.1:\(port)")
        #expect(try await good.waits(for: "idle"))
        var bad: [RawWebClient] = []
        for kind in 0..<30 {
            guard let client = try? RawWebClient(port: port) else { continue }
            switch kind % 4 {
            case 0: break
            case 1: await client.send(Array("GET \(path)events HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n\r\n".utf8))
            case 2: await client.send((0..<40_000).map { _ in UInt8.random(in: 0...255) })
            default: await client.send(Array(("GET /" + String(repeating: "a", count: 200_000)).utf8))
            }
            bad.append(client)
        }
        try await open.service.start()
        #expect(try await good.waits(for: #""text":"one two"#))
        bad.removeAll()
        _ = try await open.service.stop()
        #expect(try await good.waits(for: #""state":"idle""#))
        await server.close()
        await open.listener.close()
    }

    @Test func aPortThatIsTakenIsAnError() async throws {
        let server = try CaptionsServer(countingService())
        let port = UInt16(try #require(URL(string: server.address)?.port))
        let found = await error { _ = try CaptionsServer(countingService(), port: port) }
        #expect(found?.code == .alreadyRunning && found?.message.contains("\(port)") == true)
        await server.close()
        await server.close()
        // The port can be used again at once.
        let next = try CaptionsServer(countingService(), port: port)
        #expect(next.address != server.address, "Each server has a token of its own.")
        await next.close()
    }
}

/// A client that sends a web server what a test says.
final class RawWebClient: @unchecked Sendable {  // Each test uses a client from one task at a time.
    private let socket: Int32
    private let work = BlockingWork("web-client")
    /// What has come and was not waited for yet.
    private(set) var text = ""
    private var hasEnded = false

    init(port: Int) throws {
        socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let isConnected = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        guard isConnected else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
    }

    deinit { close(socket) }

    func ask(_ line: String, host: String, headers: String = "") async throws {
        await send(Array("\(line) HTTP/1.1\r\nHost: \(host)\r\n\(headers)\r\n".utf8))
    }

    /// Sends as much as the other side takes at once.
    func send(_ bytes: [UInt8]) async {
        _ = try? await work.run { () throws(DictationError) in
            bytes.withUnsafeBytes {
                Glibc.send(self.socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL | MSG_DONTWAIT))
            }
        }
    }

    /// Waits until a word comes; everything up to it is then forgotten, but for the headers.
    func waits(for word: String) async throws -> Bool {
        var searched = text.startIndex
        while true {
            if text[searched...].contains(word) {
                if let end = text.range(of: "\r\n\r\n"), let found = text.range(of: word, options: .backwards),
                    end.upperBound < found.lowerBound
                {
                    text.removeSubrange(end.upperBound..<found.lowerBound)
                }
                return true
            }
            guard try await more() else { return false }
            searched = text.startIndex
        }
    }

    func waitsForEnd() async throws -> Bool {
        while try await more() {}
        return hasEnded
    }

    private func more() async throws -> Bool {
        let bytes: [UInt8] = try await work.run { () throws(DictationError) in
            var wait = pollfd(fd: self.socket, events: Int16(POLLIN), revents: 0)
            guard poll(&wait, 1, 20_000) > 0 else { return [] }
            var block = [UInt8](repeating: 0, count: 65_536)
            let count = recv(self.socket, &block, block.count, 0)
            self.hasEnded = count <= 0
            return Array(block[..<max(0, count)])
        }
        text += String(decoding: bytes, as: UTF8.self)
        return !bytes.isEmpty
    }
}
