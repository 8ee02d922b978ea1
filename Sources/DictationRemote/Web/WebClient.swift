#if Remote
import DictationCore
import DictationWeb

/// A request to a web server.
struct WebRequest: Sendable {
    /// The path and query, beginning with a slash.
    var path: String
    /// The fields of a form, in order. With any field or file, the request is a `POST`.
    var fields: [(name: String, value: String)] = []
    var file: File?

    /// A file in a form.
    struct File: Sendable {
        var field = "file"
        var name: String
        var type: String
        var bytes: [UInt8]
    }
}

/// A web server's answer.
struct WebAnswer: Sendable, Hashable {
    var status = 0
    /// The headers; their names are in lower case.
    var headers: [String: String] = [:]
    var body: [UInt8] = []
}

/// Sends requests to a web server. Connections are kept for later requests.
final class WebClient: Sendable {
    let server: RemoteServer
    private let idle = Handover<WebTransfer>(limit: 8)

    /// The greatest number of bytes of an answer.
    private static let bodyLimit = 16 << 20

    init(_ server: RemoteServer) { self.server = server }

    /// Sends a request and waits for the answer, on a thread that may block.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - address: The server's address.
    ///   - timeout: How long all of it may take.
    ///   - hasSent: Whether the server may have seen the request's audio.
    ///   - take: Receives the bytes of a successful answer as they arrive.
    /// - Returns: The answer, whatever its status.
    func send(
        _ request: WebRequest, to address: RemoteAddress, timeout: Duration, hasSent: inout Bool,
        take: @escaping (UnsafeRawBufferPointer) throws(RemoteFailure) -> Void = { _ throws(RemoteFailure) in }
    ) throws(RemoteFailure) -> WebAnswer {
        let options = server.options(for: address, request, timeout)
        let receiver = WebReceiver(address.text, limit: Self.bodyLimit, take)
        do throws(WebError) {
            let kept = idle.take()
            let transfer = if let kept { kept } else { try WebTransfer() }
            defer { idle.put(transfer) }
            hasSent = !options.form.isEmpty
            let head = try transfer.run(options) { receiver.receive($0, $1) }
            return WebAnswer(status: head.status, headers: head.headers, body: receiver.body)
        } catch {
            if error.kind == .unreachable { hasSent = false }
            throw receiver.failure ?? RemoteFailure(error, address.text)
        }
    }
}

/// Collects an answer, and passes its bytes on. Only one thread uses it.
private final class WebReceiver {
    private(set) var body: [UInt8] = []
    private(set) var failure: RemoteFailure?
    private let server: String
    private let limit: Int
    private let take: (UnsafeRawBufferPointer) throws(RemoteFailure) -> Void

    init(_ server: String, limit: Int, _ take: @escaping (UnsafeRawBufferPointer) throws(RemoteFailure) -> Void) {
        self.server = server
        self.limit = limit
        self.take = take
    }

    /// Returns `false` to end the transfer.
    func receive(_ head: WebHead, _ bytes: UnsafeRawBufferPointer) -> Bool {
        guard body.count + bytes.count <= limit else {
            failure = .nonsense(server, "an endless answer")
            return false
        }
        body += bytes
        guard (200..<300).contains(head.status) else { return true }
        do throws(RemoteFailure) { try take(bytes) } catch { failure = error }
        return failure == nil
    }
}

extension RemoteServer {
    fileprivate func options(for address: RemoteAddress, _ request: WebRequest, _ timeout: Duration) -> WebOptions {
        var options = options(for: address, path: request.path)
        options.timeout = timeout
        // Without this, libcurl asks first whether the server takes a large request, and waits for the answer.
        options.headers = ["Expect:"]
        if let token { options.headers.append("Authorization: Bearer \(token.value)") }
        options.form = request.fields.map { WebOptions.Part($0.name, Array($0.value.utf8)) }
        if let file = request.file {
            options.form.append(WebOptions.Part(file.field, file.bytes, file: (file.name, file.type)))
        }
        return options
    }
}
#endif
