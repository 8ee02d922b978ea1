#if Remote
import CCurl
import CSockets
import DictationCore

/// A connection to a server that carries bytes both ways: TCP, TLS or a unix socket, also through a proxy.
///
/// libcurl makes it and encrypts it. Only one thread at a time uses it.
final class RemoteConnection: @unchecked Sendable {  // It is handed from thread to thread as a whole.
    private let handle: UnsafeMutableRawPointer
    private let socket: Int32
    private let server: String
    private let errors: CurlErrorText

    /// Connects, and waits for that.
    ///
    /// - Throws: `RemoteFailure`, which is final for an untrusted certificate.
    init(to address: RemoteAddress, of server: RemoteServer) throws(RemoteFailure) {
        self.server = address.text
        guard CurlLibrary.isReady, let handle = curl_easy_init() else {
            throw .lost(address.text, "libcurl can't start")
        }
        errors = CurlErrorText(handle)
        let scheme = address.isSecure ? "https" : "http"
        _ = dictation_curl_set_string(handle, CURLOPT_URL, "\(scheme)://\(address.authority)/")
        _ = dictation_curl_set_long(handle, CURLOPT_CONNECT_ONLY, 1)
        // HTTP/2 would put frames of its own around the bytes.
        _ = dictation_curl_set_long(handle, CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1))
        _ = dictation_curl_set_long(handle, CURLOPT_HTTPPROXYTUNNEL, 1)
        if let path = address.unixSocket { _ = dictation_curl_set_string(handle, CURLOPT_UNIX_SOCKET_PATH, path) }
        CurlLibrary.setCommonOptions(of: handle, for: server)
        let code = curl_easy_perform(handle)
        var socket: curl_socket_t = -1
        guard code == CURLE_OK, dictation_curl_socket(handle, &socket) == CURLE_OK, socket >= 0 else {
            let failure = CurlLibrary.failure(code, errors.text, address.text)
            curl_easy_cleanup(handle)
            throw failure
        }
        self.handle = handle
        self.socket = socket
    }

    deinit { curl_easy_cleanup(handle) }

    /// Sends as many bytes as the connection takes at once.
    func send(_ bytes: UnsafeRawBufferPointer) throws(RemoteFailure) -> Int {
        var count = 0
        let code = curl_easy_send(handle, bytes.baseAddress, bytes.count, &count)
        guard code == CURLE_OK || code == CURLE_AGAIN else {
            throw .lost(server, "the server has closed it")
        }
        return count
    }

    /// Reads what has arrived; `nil` if nothing has.
    ///
    /// - Throws: `RemoteFailure` also if the server has closed the connection.
    func receive(into memory: UnsafeMutableRawBufferPointer) throws(RemoteFailure) -> Int? {
        var count = 0
        switch curl_easy_recv(handle, memory.baseAddress, memory.count, &count) {
        case CURLE_AGAIN: return nil
        case CURLE_OK where count > 0: return count
        default: throw .lost(server, "the server has closed it")
        }
    }

    /// Waits until bytes have arrived, or can be sent if that `isWriting`, or until the waker is used.
    ///
    /// ``receive(into:)`` must have returned `nil` before, because libcurl may hold bytes that the socket no longer has.
    func wait(isWriting: Bool, _ waker: Waker, atMost time: Duration) {
        waker.wait(socket: socket, isWriting: isWriting, atMost: time)
    }
}

/// Wakes a thread that waits.
final class Waker: Sendable {
    private let descriptor = dictation_make_waker()

    deinit { dictation_close(descriptor) }

    /// Wakes the thread that waits, or that waits next.
    func wake() { dictation_wake(descriptor) }

    /// Waits until it is woken, or the socket is ready, or the time is over.
    func wait(socket: Int32 = -1, isWriting: Bool = false, atMost time: Duration) {
        let time = max(.zero, min(.seconds(86_400), time)).components
        let milliseconds = time.seconds * 1_000 + time.attoseconds / 1_000_000_000_000_000 + 1
        _ = dictation_await(socket, isWriting ? 1 : 0, descriptor, Int32(milliseconds))
    }
}
#endif
