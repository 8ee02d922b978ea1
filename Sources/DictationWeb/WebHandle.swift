#if ModelCatalog || Remote
import CCurl
import FoundationEssentials

/// A handle of libcurl, with the memory that its options point to.
final class WebHandle {
    let easy: UnsafeMutableRawPointer
    private let error = UnsafeMutablePointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))
    private var headers: UnsafeMutablePointer<curl_slist>?
    private var form: OpaquePointer?

    private static let isReady = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK

    init() throws(WebError) {
        guard Self.isReady, let easy = curl_easy_init() else { throw .unavailable }
        self.easy = easy
        error.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
    }

    deinit {
        curl_easy_cleanup(easy)
        freeLists()
        error.deallocate()
    }

    private func freeLists() {
        curl_slist_free_all(headers)
        curl_mime_free(form)
        (headers, form) = (nil, nil)
    }

    /// Sets these options, and no others that were set before.
    func apply(_ options: WebOptions) {
        curl_easy_reset(easy)
        freeLists()
        error.pointee = 0
        set(CURLOPT_ERRORBUFFER, error)
        set(CURLOPT_URL, options.address)
        _ = dictation_curl_set_protocols(easy, options.isSecure ? 1 : 0)
        set(CURLOPT_NOSIGNAL, 1)
        set(CURLOPT_USERAGENT, "swift-dictation")
        set(CURLOPT_CONNECTTIMEOUT_MS, options.connectTimeout.milliseconds)
        if let timeout = options.timeout { set(CURLOPT_TIMEOUT_MS, timeout.milliseconds) }
        if options.redirects > 0 {
            set(CURLOPT_FOLLOWLOCATION, 1)
            set(CURLOPT_MAXREDIRS, options.redirects)
        }
        if let offset = options.offset { set(CURLOPT_RANGE, "\(offset)-") }
        if let file = options.authorities {
            set(CURLOPT_CAINFO, file)
            _ = dictation_curl_set_string(easy, CURLOPT_CAPATH, nil)
        }
        if let proxy = options.proxy {
            set(CURLOPT_PROXY, proxy)
        } else {
            set(CURLOPT_NOPROXY, WebOptions.hostsWithoutProxy(ProcessInfo.processInfo.environment))
        }
        if let path = options.unixSocket { set(CURLOPT_UNIX_SOCKET_PATH, path) }
        for header in options.headers { headers = curl_slist_append(headers, header) }
        if headers != nil { _ = dictation_curl_set_list(easy, CURLOPT_HTTPHEADER, headers) }
        if !options.form.isEmpty { setForm(options.form) }
    }

    private func setForm(_ parts: [WebOptions.Part]) {
        form = curl_mime_init(easy)
        for part in parts {
            let entry = curl_mime_addpart(form)
            curl_mime_name(entry, part.field)
            if let file = part.file {
                curl_mime_filename(entry, file.name)
                curl_mime_type(entry, file.type)
            }
            part.bytes.withUnsafeBytes { bytes in
                _ = curl_mime_data(entry, bytes.assumingMemoryBound(to: CChar.self).baseAddress, bytes.count)
            }
        }
        _ = dictation_curl_set_mime(easy, form)
    }

    func set(_ option: CURLoption, _ value: Int) { _ = dictation_curl_set_long(easy, option, value) }

    private func set(_ option: CURLoption, _ text: UnsafePointer<CChar>) {
        _ = dictation_curl_set_string(easy, option, text)
    }

    /// Returns the error for a code, with the text that libcurl wrote.
    func failure(_ code: CURLcode) -> WebError { WebError(code, String(cString: error)) }
}
#endif
