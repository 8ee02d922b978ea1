#if Remote
import DictationCapture
import DictationCore
import Foundation
import Synchronization
import TestSupport

@testable import DictationRemote

/// A web server with the OpenAI interface that recognizes ``CodedSpeech``.
struct FakeOpenAIServer: FakeServer {
    struct Request: Sendable {
        var line = ""
        var headers: [String: String] = [:]
        var fields: [String: [String]] = [:]
        var words: [CodedSpeech.Recognizer.Word] = []
        /// The name of the recording, and its bytes.
        var file: (name: String, bytes: [UInt8]) = ("", [])
        /// The number of the request, from 1 on.
        var number = 0

        var text: String { words.map { "w\($0.number)" }.joined(separator: " ") }
    }

    struct Reply: Sendable {
        var status = "200 OK"
        var type = "application/json"
        var headers = ""
        var body: String
        /// The connection is cut after this number of bytes.
        var limit = Int.max
        /// Writes an answer of its own, right or wrong, after which the connection ends.
        var write: (@Sendable (Peer) -> Void)?
    }

    let prepare: @Sendable (_ peer: Peer, _ connection: Int) -> Void
    let requests = Log()
    let reply: @Sendable (Request) -> Reply?

    final class Log: Sendable {
        private let requests = Mutex<[Request]>([])
        var all: [Request] { requests.withLock { $0 } }
        func add(_ request: inout Request) {
            request.number = requests.withLock { requests in
                requests.append(request)
                return requests.count
            }
        }
    }

    init(
        prepare: @escaping @Sendable (_ peer: Peer, _ connection: Int) -> Void = { _, _ in },
        _ reply: @escaping @Sendable (Request) -> Reply?
    ) {
        (self.prepare, self.reply) = (prepare, reply)
    }

    func serve(_ peer: Peer, _ number: Int) {
        var rest: [UInt8] = []
        while var request = read(peer, &rest) {
            requests.add(&request)
            guard let reply = reply(request) else { return peer.waitForTheEnd() }
            if let write = reply.write { return write(peer) }
            peer.sendLimit = reply.limit == .max ? .max : peer.sent + reply.limit
            let head = """
                HTTP/1.1 \(reply.status)\r
                Content-Type: \(reply.type)\r
                Content-Length: \(reply.body.utf8.count)\r
                \(reply.headers)\r

                """
            guard peer.write(Array((head + reply.body).utf8)) else { return }
        }
    }

    private func read(_ peer: Peer, _ bytes: inout [UInt8]) -> Request? {
        let mark = Array("\r\n\r\n".utf8)
        var end = bytes.firstRange(of: mark)
        while end == nil {
            guard bytes.count < 1 << 16, let more = peer.read() else { return nil }
            bytes += more
            end = bytes.firstRange(of: mark)
        }
        guard let end else { return nil }
        var request = Request()
        for (index, line) in String(decoding: bytes[..<end.lowerBound], as: UTF8.self).split(separator: "\r\n")
            .enumerated()
        {
            if index == 0 { request.line = String(line) }
            let parts = line.split(separator: ":", maxSplits: 1)
            if parts.count == 2 {
                request.headers[parts[0].lowercased()] = parts[1].trimmingCharacters(in: .whitespaces)
            }
        }
        bytes.removeFirst(end.upperBound)
        let size = request.headers["content-length"].flatMap { Int($0) } ?? 0
        while bytes.count < size {
            guard let more = peer.read() else { return nil }
            bytes += more
        }
        fill(&request, Array(bytes[..<size]))
        bytes.removeFirst(size)
        return request
    }

    private func fill(_ request: inout Request, _ body: [UInt8]) {
        guard let boundary = request.headers["content-type"]?.split(separator: "boundary=").last else { return }
        let mark = Array("--\(boundary)".utf8)
        var rest = body[...]
        while let next = rest.firstRange(of: mark) {
            let part = rest[..<next.lowerBound]
            rest = rest[next.upperBound...]
            guard let blank = part.firstRange(of: Array("\r\n\r\n".utf8)) else { continue }
            let head = String(decoding: part[..<blank.lowerBound], as: UTF8.self)
            let content = part[blank.upperBound...].dropLast(2)
            func value(of parameter: String) -> String {
                head.split(separator: " \(parameter)=\"").dropFirst().first?.split(separator: "\"").first
                    .map(String.init) ?? ""
            }
            let (name, fileName) = (value(of: "name"), value(of: "filename"))
            if !fileName.isEmpty {
                request.file = (fileName, Array(content))
                request.words = Self.words(of: request.file)
            } else {
                request.fields[name, default: []].append(String(decoding: content, as: UTF8.self))
            }
        }
    }

    private static func words(of file: (name: String, bytes: [UInt8])) -> [CodedSpeech.Recognizer.Word] {
        var recognizer = CodedSpeech.Recognizer()
        guard let folder = try? TemporaryFolder(), let path = try? folder.write(file.bytes, to: file.name),
            var reader = try? AudioFileReader(path: path)
        else { return [] }
        while let buffer = try? reader.read() { for sample in buffer.int16Samples { _ = recognizer.take(Int(sample)) } }
        return recognizer.words
    }
}
#endif
