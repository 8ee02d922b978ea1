#if Remote
import CCurl
import DictationCore

/// What all uses of libcurl have in common.
enum CurlLibrary {
    /// Whether libcurl has started.
    static let isReady = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK

    /// Sets the options of a handle that follow from the server's settings.
    static func setCommonOptions(of handle: UnsafeMutableRawPointer, for server: RemoteServer) {
        _ = dictation_curl_set_long(handle, CURLOPT_NOSIGNAL, 1)
        _ = dictation_curl_set_long(handle, CURLOPT_CONNECTTIMEOUT_MS, max(1, server.connectTimeout.milliseconds))
        if let file = server.authorities {
            _ = dictation_curl_set_string(handle, CURLOPT_CAINFO, file)
            _ = dictation_curl_set_string(handle, CURLOPT_CAPATH, nil)
        }
        if let proxy = server.proxy { _ = dictation_curl_set_string(handle, CURLOPT_PROXY, proxy) }
    }

    /// Returns the failure for an error of libcurl.
    static func failure(_ code: CURLcode, _ text: String, _ server: String) -> RemoteFailure {
        let text = text.isEmpty ? String(cString: curl_easy_strerror(code)) : text
        var failure = RemoteFailure.lost(server, text)
        failure.error.underlying = .init(domain: "libcurl", code: Int(code.rawValue), message: nil)
        switch code {
        case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CACERT_BADFILE, CURLE_SSL_ISSUER_ERROR:
            failure.isTemporary = false
            failure.error.code = .serverRefused
            failure.error.recovery = "Give the certificates of the server's authority, or correct the address."
        case CURLE_URL_MALFORMAT, CURLE_UNSUPPORTED_PROTOCOL: failure.isTemporary = false
        default: break
        }
        return failure
    }
}

/// The memory where libcurl writes the text of an error.
final class CurlErrorText {
    private let memory = UnsafeMutablePointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))

    init(_ handle: UnsafeMutableRawPointer) {
        memory.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
        _ = dictation_curl_set_string(handle, CURLOPT_ERRORBUFFER, memory)
    }

    deinit { memory.deallocate() }

    var text: String { String(cString: memory) }
}

extension Duration {
    /// The number of whole milliseconds, of at most ten years.
    var milliseconds: Int {
        let (seconds, attoseconds) = max(.zero, min(.longestWait, self)).components
        return Int(seconds) * 1_000 + Int(attoseconds / 1_000_000_000_000_000)
    }
}
#endif
