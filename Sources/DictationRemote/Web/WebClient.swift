#if Remote
import CCurl
import DictationCore
import Synchronization

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
    private struct Handle: @unchecked Sendable {  // It is handed from thread to thread as a whole.
        let easy: UnsafeMutableRawPointer
        let multi: UnsafeMutableRawPointer
    }

    let server: RemoteServer
    private let idle = Mutex<[Handle]>([])

    /// The greatest number of bytes of an answer.
    static let bodyLimit = 16 << 20
    private static let mostIdle = 8

    init(_ server: RemoteServer) { self.server = server }

    deinit { for handle in idle.withLock({ $0 }) { Self.release(handle) } }

    /// Sends a request and waits for the answer, on a thread that may block.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - address: The server's address.
    ///   - timeout: How long all of it may take.
    ///   - take: Receives the bytes of a successful answer as they arrive.
    /// - Returns: The answer, whatever its status.
    func send(
        _ request: WebRequest, to address: RemoteAddress, timeout: Duration, hasSent: inout Bool,
        take: @escaping (UnsafeRawBufferPointer) throws(RemoteFailure) -> Void = { _ throws(RemoteFailure) in }
    ) throws(RemoteFailure) -> WebAnswer {
        guard let handle = idle.withLock({ $0.popLast() }) ?? Self.makeHandle() else {
            throw .lost(address.text, "libcurl can't start")
        }
        let transfer = WebTransfer(address.text, take)
        let outcome: Result<WebAnswer, RemoteFailure>
        do throws(RemoteFailure) {
            outcome = .success(
                try transfer.run(request, to: address, of: server, timeout, easy: handle.easy, multi: handle.multi))
        } catch {
            outcome = .failure(error)
        }
        hasSent = transfer.hasSent
        curl_easy_reset(handle.easy)
        let isKept = idle.withLock { idle in
            guard idle.count < Self.mostIdle else { return false }
            idle.append(handle)
            return true
        }
        if !isKept { Self.release(handle) }
        return try outcome.get()
    }

    private static func makeHandle() -> Handle? {
        guard CurlLibrary.isReady, let easy = curl_easy_init() else { return nil }
        guard let multi = curl_multi_init() else {
            curl_easy_cleanup(easy)
            return nil
        }
        return Handle(easy: easy, multi: multi)
    }

    private static func release(_ handle: Handle) {
        curl_easy_cleanup(handle.easy)
        curl_multi_cleanup(handle.multi)
    }
}

/// One request under way. Only one thread uses it.
private final class WebTransfer {
    private let server: String
    private let take: (UnsafeRawBufferPointer) throws(RemoteFailure) -> Void
    private var answer = WebAnswer()
    private var failure: RemoteFailure?
    /// Whether the server has taken the whole request.
    private(set) var hasSent = false

    init(_ server: String, _ take: @escaping (UnsafeRawBufferPointer) throws(RemoteFailure) -> Void) {
        self.server = server
        self.take = take
    }

    func run(
        _ request: WebRequest, to address: RemoteAddress, of server: RemoteServer, _ timeout: Duration,
        easy: UnsafeMutableRawPointer, multi: UnsafeMutableRawPointer
    ) throws(RemoteFailure) -> WebAnswer {
        let errors = CurlErrorText(easy)
        let context = Unmanaged.passUnretained(self).toOpaque()
        let scheme = address.isSecure ? "https" : "http"
        _ = dictation_curl_set_string(
            easy, CURLOPT_URL, "\(scheme)://\(address.authority)\(request.path)")
        _ = dictation_curl_set_protocols(easy, address.isSecure ? 1 : 0)
        _ = dictation_curl_set_long(easy, CURLOPT_TIMEOUT_MS, max(1, timeout.milliseconds))
        _ = dictation_curl_set_string(easy, CURLOPT_USERAGENT, "swift-dictation")
        CurlLibrary.setCommonOptions(of: easy, for: server)
        _ = dictation_curl_set_callback(easy, CURLOPT_HEADERFUNCTION, curlHeader, CURLOPT_HEADERDATA, context)
        _ = dictation_curl_set_callback(easy, CURLOPT_WRITEFUNCTION, curlBytes, CURLOPT_WRITEDATA, context)
        // Without this, libcurl asks first whether the server takes a large request, and waits for the answer.
        var headers = curl_slist_append(nil, "Expect:")
        if let token = server.token { headers = curl_slist_append(headers, "Authorization: Bearer \(token.value)") }
        defer { curl_slist_free_all(headers) }
        _ = dictation_curl_set_list(easy, CURLOPT_HTTPHEADER, headers)
        let form = Self.form(of: request, easy)
        defer { curl_mime_free(form) }
        if let form { _ = dictation_curl_set_mime(easy, form) }
        hasSent = form != nil
        curl_multi_add_handle(multi, easy)
        defer { curl_multi_remove_handle(multi, easy) }
        let code = perform(multi)
        if let failure { throw failure }
        guard code == CURLE_OK else {
            // The server has not seen a request for which there was no connection.
            if code == CURLE_COULDNT_CONNECT || code == CURLE_COULDNT_RESOLVE_HOST { hasSent = false }
            throw CurlLibrary.failure(code, errors.text, self.server)
        }
        return answer
    }

    private static func form(of request: WebRequest, _ easy: UnsafeMutableRawPointer) -> OpaquePointer? {
        guard !request.fields.isEmpty || request.file != nil, let form = curl_mime_init(easy) else { return nil }
        for field in request.fields {
            let part = curl_mime_addpart(form)
            curl_mime_name(part, field.name)
            curl_mime_data(part, field.value, field.value.utf8.count)
        }
        if let file = request.file {
            let part = curl_mime_addpart(form)
            curl_mime_name(part, file.field)
            curl_mime_filename(part, file.name)
            curl_mime_type(part, file.type)
            file.bytes.withUnsafeBytes { bytes in
                _ = curl_mime_data(part, bytes.assumingMemoryBound(to: CChar.self).baseAddress, bytes.count)
            }
        }
        return form
    }

    private func perform(_ multi: UnsafeMutableRawPointer) -> CURLcode {
        var result = CURLE_OK
        while true {
            if Task.isCancelled { return CURLE_ABORTED_BY_CALLBACK }
            var running: Int32 = 0
            guard curl_multi_perform(multi, &running) == CURLM_OK else { return CURLE_FAILED_INIT }
            if dictation_curl_finished(multi, &result) != 0 { return result }
            guard curl_multi_poll(multi, nil, 0, 200, nil) == CURLM_OK else { return CURLE_FAILED_INIT }
        }
    }

    fileprivate func takeHeader(_ line: String) {
        if line.hasPrefix("HTTP/") {
            let status = line.split(separator: " ").dropFirst().first.flatMap { Int($0) }
            answer = WebAnswer(status: status ?? 0)
        } else if let colon = line.firstIndex(of: ":"), answer.headers.count < 200 {
            let value = line[line.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
            answer.headers[line[..<colon].lowercased()] = String(value.prefix { !$0.isNewline })
        }
    }

    fileprivate func takeBytes(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard answer.body.count + bytes.count <= WebClient.bodyLimit else {
            failure = .nonsense(server, "an endless answer")
            return false
        }
        answer.body += bytes
        guard (200..<300).contains(answer.status) else { return true }
        do throws(RemoteFailure) { try take(bytes) } catch { failure = error }
        return failure == nil
    }
}

private func curlHeader(
    _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: UnsafeMutableRawPointer?
) -> Int {
    guard let bytes, let context else { return 0 }
    let line = String(decoding: UnsafeRawBufferPointer(start: bytes, count: size * count), as: UTF8.self)
    Unmanaged<WebTransfer>.fromOpaque(context).takeUnretainedValue().takeHeader(line)
    return size * count
}

private func curlBytes(
    _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: UnsafeMutableRawPointer?
) -> Int {
    guard let bytes, let context else { return 0 }
    let buffer = UnsafeRawBufferPointer(start: bytes, count: size * count)
    let isTaken = Unmanaged<WebTransfer>.fromOpaque(context).takeUnretainedValue().takeBytes(buffer)
    // Any result other than the full count ends the transfer.
    return isTaken ? size * count : (size * count == 0 ? 1 : 0)
}
#endif
