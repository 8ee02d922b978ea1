#if Remote
import DictationCore
import DictationMessages
import DictationWeb

/// The messages of a server that speaks through a websocket.
protocol WebSocketDialect {
    /// Returns the messages to send as soon as the connection is open.
    mutating func open() -> [WebSocketMessage]
    /// Whether the server takes audio before it has answered the first messages.
    var isReadyAtOnce: Bool { get }
    /// Returns the messages for audio.
    mutating func send(_ audio: AudioBuffer) -> [WebSocketMessage]
    /// Returns the messages that ask to make the stretch final.
    mutating func finalize() -> [WebSocketMessage]
    /// Takes a message of the server.
    mutating func receive(_ message: WebSocketMessage) throws(RemoteFailure) -> [RemoteEvent]
    /// Returns the messages that waited for what the server has said.
    mutating func answers() -> [WebSocketMessage]
}

extension WebSocketDialect {
    mutating func answers() -> [WebSocketMessage] { [] }
}

/// A conversation through a websocket: the handshake, then messages.
final class WebSocketConversation<Dialect: WebSocketDialect>: RemoteConversation {
    private let address: RemoteAddress
    private var dialect: Dialect
    private let framing = WebSocketFraming(.client, messageLimit: 4 << 20)
    private var request: [UInt8]
    private var answer: UpgradeAnswer?
    /// The messages that wait until the connection is open.
    private var waiting: [WebSocketMessage] = []

    /// Begins a conversation with the request for a websocket.
    init(_ dialect: Dialect, with address: RemoteAddress, token: SecretText?) {
        self.dialect = dialect
        self.address = address
        let key = WebSocketHandshake.makeKey()
        request = Array(WebSocketHandshake.request(to: address, token: token, key: key).utf8)
        answer = UpgradeAnswer(key: key)
    }

    let isReadyAtOnce = false
    var output: [UInt8] { request.isEmpty ? framing.output : request }

    func sent(_ count: Int) {
        if request.isEmpty { framing.written(count) } else { request.removeFirst(min(count, request.count)) }
    }

    func receive(_ bytes: UnsafeRawBufferPointer, into events: inout [RemoteEvent]) throws(RemoteFailure) {
        guard var answer else { return try take(framing.receive(bytes), into: &events) }
        self.answer = nil
        guard let rest = try answer.receive(bytes, from: address.text) else {
            self.answer = answer
            return
        }
        for message in dialect.open() + waiting { framing.send(message) }
        waiting = []
        if dialect.isReadyAtOnce { events.append(.opened) }
        try take(rest.withUnsafeBytes { framing.receive($0) }, into: &events)
    }

    private func take(
        _ messages: [WebSocketMessage], into events: inout [RemoteEvent]
    ) throws(RemoteFailure) {
        for message in messages {
            if case .close(let code, let reason) = message {
                let reason = reason.isEmpty ? "" : ", \(reason.shortened)"
                throw .lost(address.text, "the server has closed it with the code \(code)\(reason)")
            }
            events += try dialect.receive(message)
            for answer in dialect.answers() { framing.send(answer) }
        }
        guard framing.isReceiving else { throw .nonsense(address.text, "bytes that are no frames of a websocket") }
    }

    private func send(_ messages: [WebSocketMessage]) {
        if answer == nil { for message in messages { framing.send(message) } } else { waiting += messages }
    }

    func send(_ audio: AudioBuffer) { send(dialect.send(audio)) }
    func finalize() { send(dialect.finalize()) }
    func ping() { if answer == nil { framing.ping() } }
    func close() { if answer == nil { framing.send(.close(code: 1_000, reason: "")) } }
}

/// The server's answer to the request for a websocket.
struct UpgradeAnswer: Sendable {
    private let key: String
    private var bytes: [UInt8] = []
    private static let limit = 16 << 10

    init(key: String) { self.key = key }

    /// Takes bytes of the server, and returns those after the answer once it is complete.
    mutating func receive(
        _ more: UnsafeRawBufferPointer, from server: String
    ) throws(RemoteFailure) -> [UInt8]? {
        let searched = max(0, bytes.count - 3)
        bytes += more
        guard let end = Self.end(in: bytes[searched...]) else {
            guard bytes.count <= Self.limit else { throw .nonsense(server, "an endless answer") }
            return nil
        }
        let lines = String(decoding: bytes[..<end], as: UTF8.self).split(whereSeparator: \.isNewline)
        var head = WebHead()
        for line in lines { head.take(line) }
        guard lines.first?.hasPrefix("HTTP/1.") == true, head.status > 0 else {
            throw .nonsense(server, "no answer of a web server")
        }
        guard head.status == 101 else {
            if head.status < 300 { throw .nonsense(server, "the status \(head.status) instead of a websocket") }
            throw .status(head.status, from: server, headers: head.headers)
        }
        guard head.headers["upgrade"]?.lowercased() == "websocket",
            head.headers["sec-websocket-accept"] == WebSocketHandshake.answer(to: key)
        else { throw .nonsense(server, "an answer that belongs to another request") }
        return Array(bytes[end...])
    }

    /// Returns the place after the empty line.
    private static func end(in bytes: ArraySlice<UInt8>) -> Int? {
        let mark: [UInt8] = [13, 10, 13, 10]
        guard bytes.count >= mark.count else { return nil }
        for index in bytes.startIndex...(bytes.endIndex - mark.count)
        where bytes[index] == 13 && bytes[index..<index + mark.count].elementsEqual(mark) {
            return index + mark.count
        }
        return nil
    }
}

extension WebSocketHandshake {
    /// Returns the request for a websocket.
    static func request(to address: RemoteAddress, token: SecretText?, key: String) -> String {
        var lines = [
            "GET \(address.path) HTTP/1.1", "Host: \(address.authority)", "Connection: Upgrade",
            "Upgrade: websocket", "Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: \(key)",
            "User-Agent: swift-dictation",
        ]
        if let token { lines.append("Authorization: Bearer \(token.value)") }
        return lines.joined(separator: "\r\n") + "\r\n\r\n"
    }
}
#endif
