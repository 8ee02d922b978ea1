#if ModelCatalog || Remote
import CCurl

/// The beginning of a server's answer.
package struct WebHead: Sendable, Hashable {
    package var status: Int
    /// The headers; their names are in lower case.
    package var headers: [String: String]

    package init(status: Int = 0, headers: [String: String] = [:]) { (self.status, self.headers) = (status, headers) }

    private static let mostHeaders = 200

    /// Takes the first line of an answer, or a header.
    package mutating func take(_ line: some StringProtocol) {
        if line.hasPrefix("HTTP/") {
            // A redirect or a proxy has a head of its own before.
            let status = line.split(separator: " ").dropFirst().first.flatMap { Int($0) }
            self = WebHead(status: status ?? 0)
        } else if let colon = line.firstIndex(of: ":"), headers.count < Self.mostHeaders {
            let value = line[line.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
            headers[line[..<colon].lowercased()] = String(value.prefix { !$0.isNewline })
        }
    }
}

/// Sends requests and receives the answers, one after another, over connections that it keeps.
///
/// libcurl does the work. Foundation's `URLSession` uses libcurl too, but it does not let us choose which protocols a
/// redirect may lead to, and it would link all of Foundation's networking.
package final class WebTransfer: @unchecked Sendable {  // It is handed from thread to thread as a whole.
    private let handle: WebHandle
    private let multi: UnsafeMutableRawPointer
    private var head = WebHead()
    private var take: ((WebHead, UnsafeRawBufferPointer) -> Bool)?

    package init() throws(WebError) {
        handle = try WebHandle()
        guard let multi = curl_multi_init() else { throw .unavailable }
        self.multi = multi
    }

    deinit { curl_multi_cleanup(multi) }

    /// Sends a request and blocks until the answer is complete, or the task is cancelled.
    ///
    /// - Parameters:
    ///   - options: The request.
    ///   - take: Receives the bytes of the answer as they arrive, and returns `false` to end the transfer.
    /// - Returns: The head of the answer, whatever its status.
    package func run(
        _ options: WebOptions, take: @escaping (WebHead, UnsafeRawBufferPointer) -> Bool
    ) throws(WebError) -> WebHead {
        head = WebHead()
        self.take = take
        defer { self.take = nil }
        handle.apply(options)
        let context = Unmanaged.passUnretained(self).toOpaque()
        _ = dictation_curl_set_callback(
            handle.easy, CURLOPT_HEADERFUNCTION, takeLine, CURLOPT_HEADERDATA, context)
        _ = dictation_curl_set_callback(handle.easy, CURLOPT_WRITEFUNCTION, takeBytes, CURLOPT_WRITEDATA, context)
        curl_multi_add_handle(multi, handle.easy)
        defer { curl_multi_remove_handle(multi, handle.easy) }
        let code = perform()
        guard code == CURLE_OK else {
            var failure = handle.failure(code)
            // The time was over before there was a connection.
            if failure.kind == .interrupted, dictation_curl_sent(handle.easy) == 0 { failure.kind = .unreachable }
            throw failure
        }
        return head
    }

    private func perform() -> CURLcode {
        var result = CURLE_OK
        while true {
            if Task.isCancelled { return CURLE_ABORTED_BY_CALLBACK }
            var running: Int32 = 0
            guard curl_multi_perform(multi, &running) == CURLM_OK else { return CURLE_FAILED_INIT }
            if dictation_curl_finished(multi, &result) != 0 { return result }
            guard curl_multi_poll(multi, nil, 0, 200, nil) == CURLM_OK else { return CURLE_FAILED_INIT }
        }
    }

    fileprivate func receiveLine(_ line: String) { head.take(line) }

    fileprivate func receive(_ bytes: UnsafeRawBufferPointer) -> Bool { take?(head, bytes) ?? false }
}

private func takeLine(
    _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: UnsafeMutableRawPointer?
) -> Int {
    guard let bytes, let context else { return 0 }
    let line = String(decoding: UnsafeRawBufferPointer(start: bytes, count: size * count), as: UTF8.self)
    Unmanaged<WebTransfer>.fromOpaque(context).takeUnretainedValue().receiveLine(line)
    return size * count
}

private func takeBytes(
    _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: UnsafeMutableRawPointer?
) -> Int {
    guard let bytes, let context else { return 0 }
    let buffer = UnsafeRawBufferPointer(start: bytes, count: size * count)
    let isTaken = Unmanaged<WebTransfer>.fromOpaque(context).takeUnretainedValue().receive(buffer)
    // Any result other than the full count ends the transfer.
    return isTaken ? size * count : (size * count == 0 ? 1 : 0)
}
#endif
