#if ModelCatalog
import CCurl
import DictationCore
import DictationPlatform
import Synchronization

/// Downloads over HTTP with libcurl.
///
/// On Linux, Foundation's `URLSession` uses libcurl too. But it does not let us choose which protocols a redirect may
/// lead to, and it would link all of Foundation's networking.
struct CurlTransport: ModelTransport {
    /// Runs each transfer on its own thread, so that no transfer waits for another.
    let runtime = DictationRuntime.current

    func fetch(_ request: TransferRequest, into receiver: any TransferReceiver) async -> TransferFailure? {
        let switchOff = CurlSwitch()
        let work = Task(executorPreference: runtime.blockingExecutor("model download")) {
            CurlTransfer(request, receiver, switchOff).run()
        }
        return await withTaskCancellationHandler {
            await work.value
        } onCancel: {
            switchOff.cancel()
        }
    }
}

/// A switch that ends a transfer from another thread.
private final class CurlSwitch: Sendable {
    private struct State: @unchecked Sendable {  // Other threads only wake the handle, which libcurl allows.
        var multi: UnsafeMutableRawPointer?
        var isCancelled = false
    }
    private let state = Mutex(State())

    var isCancelled: Bool { state.withLock { $0.isCancelled } }

    func cancel() {
        state.withLock { state in
            state.isCancelled = true
            if let multi = state.multi { curl_multi_wakeup(multi) }
        }
    }

    func connect(_ multi: UnsafeMutableRawPointer?) {
        let state = State(multi: multi)
        self.state.withLock { $0.multi = state.multi }
    }
}

/// One transfer. Only one thread uses it.
private final class CurlTransfer {
    private static let isReady = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK

    private let request: TransferRequest
    private let receiver: any TransferReceiver
    private let switchOff: CurlSwitch
    private var head = TransferHead(status: 0)
    private var hasBegun = false
    private var failure: TransferFailure?

    init(_ request: TransferRequest, _ receiver: any TransferReceiver, _ switchOff: CurlSwitch) {
        self.request = request
        self.receiver = receiver
        self.switchOff = switchOff
    }

    func run() -> TransferFailure? {
        guard Self.isReady, let easy = curl_easy_init() else { return .interrupted("libcurl can't start") }
        defer { curl_easy_cleanup(easy) }
        guard let multi = curl_multi_init() else { return .interrupted("libcurl has no memory left") }
        defer { curl_multi_cleanup(multi) }
        switchOff.connect(multi)
        defer { switchOff.connect(nil) }
        let headers = setOptions(of: easy)
        defer { curl_slist_free_all(headers) }
        _ = dictation_curl_set_list(easy, CURLOPT_HTTPHEADER, headers)
        curl_multi_add_handle(multi, easy)
        defer { curl_multi_remove_handle(multi, easy) }
        return perform(multi, easy)
    }

    private func setOptions(of easy: UnsafeMutableRawPointer) -> UnsafeMutablePointer<curl_slist>? {
        let context = Unmanaged.passUnretained(self).toOpaque()
        _ = dictation_curl_set_string(easy, CURLOPT_URL, request.address)
        _ = dictation_curl_set_protocols(easy, request.address.utf8.starts(with: "https:".utf8) ? 1 : 0)
        _ = dictation_curl_set_long(easy, CURLOPT_FOLLOWLOCATION, 1)
        _ = dictation_curl_set_long(easy, CURLOPT_MAXREDIRS, 5)
        _ = dictation_curl_set_long(easy, CURLOPT_NOSIGNAL, 1)
        let (seconds, attoseconds) = max(.zero, min(.longestWait, request.connectTimeout)).components
        let milliseconds = Int(seconds) * 1_000 + Int(attoseconds / 1_000_000_000_000_000)
        _ = dictation_curl_set_long(easy, CURLOPT_CONNECTTIMEOUT_MS, max(1, milliseconds))
        _ = dictation_curl_set_string(easy, CURLOPT_USERAGENT, "swift-dictation")
        _ = dictation_curl_set_callback(easy, CURLOPT_HEADERFUNCTION, curlHeader, CURLOPT_HEADERDATA, context)
        _ = dictation_curl_set_callback(easy, CURLOPT_WRITEFUNCTION, curlBytes, CURLOPT_WRITEDATA, context)
        guard let resume = request.resume else { return nil }
        _ = dictation_curl_set_string(easy, CURLOPT_RANGE, "\(resume.offset)-")
        return curl_slist_append(nil, "If-Range: \(resume.validator)")
    }

    private func perform(_ multi: UnsafeMutableRawPointer, _ easy: UnsafeMutableRawPointer) -> TransferFailure? {
        var result = CURLE_OK
        while true {
            if switchOff.isCancelled { return .cancelled }
            var running: Int32 = 0
            guard curl_multi_perform(multi, &running) == CURLM_OK else { return .interrupted("libcurl failed") }
            if dictation_curl_finished(multi, &result) != 0 { break }
            guard curl_multi_poll(multi, nil, 0, 1_000, nil) == CURLM_OK else {
                return .interrupted("libcurl failed")
            }
        }
        if let failure { return failure }
        if result == CURLE_OK { return begin() }
        let words = String(cString: curl_easy_strerror(result))
        switch result {
        case CURLE_UNSUPPORTED_PROTOCOL: return .unusable("it redirects to an address that is not allowed")
        case CURLE_TOO_MANY_REDIRECTS, CURLE_URL_MALFORMAT, CURLE_PEER_FAILED_VERIFICATION: return .unusable(words)
        default: return .interrupted(words)
        }
    }

    private func begin() -> TransferFailure? {
        guard !hasBegun else { return nil }
        hasBegun = true
        failure = receiver.begin(head)
        return failure
    }

    fileprivate func takeHeader(_ line: String) {
        if line.hasPrefix("HTTP/") {
            let status = line.split(separator: " ").dropFirst().first.flatMap { Int($0) }
            head = TransferHead(status: status ?? 0)
        } else if let colon = line.firstIndex(of: ":") {
            let value = line[line.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
            head.headers[line[..<colon].lowercased()] = String(value.prefix { !$0.isNewline })
        }
    }

    fileprivate func takeBytes(_ bytes: UnsafeRawBufferPointer) -> Bool {
        if begin() != nil { return false }
        if switchOff.isCancelled { failure = .cancelled } else { failure = receiver.take(bytes) }
        return failure == nil
    }
}

private func curlHeader(
    _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: UnsafeMutableRawPointer?
) -> Int {
    guard let bytes, let context else { return 0 }
    let line = String(decoding: UnsafeRawBufferPointer(start: bytes, count: size * count), as: UTF8.self)
    Unmanaged<CurlTransfer>.fromOpaque(context).takeUnretainedValue().takeHeader(line)
    return size * count
}

private func curlBytes(
    _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: UnsafeMutableRawPointer?
) -> Int {
    guard let bytes, let context else { return 0 }
    let buffer = UnsafeRawBufferPointer(start: bytes, count: size * count)
    let isTaken = Unmanaged<CurlTransfer>.fromOpaque(context).takeUnretainedValue().takeBytes(buffer)
    // Any result other than the full count ends the transfer.
    return isTaken ? size * count : (size * count == 0 ? 1 : 0)
}
#endif
