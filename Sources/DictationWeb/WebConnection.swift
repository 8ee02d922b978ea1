#if ModelCatalog || Remote
import CCurl

/// A connection that carries bytes both ways: TCP, TLS or a unix socket, also through a proxy.
package final class WebConnection {
    private let handle: WebHandle
    /// The socket, to wait for. libcurl may hold bytes that it no longer has.
    package let socket: Int32

    /// Connects, and blocks until that is done.
    package init(_ options: WebOptions) throws(WebError) {
        handle = try WebHandle()
        handle.apply(options)
        handle.set(CURLOPT_CONNECT_ONLY, 1)
        // HTTP/2 would put frames of its own around the bytes.
        handle.set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1))
        handle.set(CURLOPT_HTTPPROXYTUNNEL, 1)
        let code = curl_easy_perform(handle.easy)
        guard code == CURLE_OK else { throw handle.failure(code) }
        var socket: curl_socket_t = -1
        guard dictation_curl_socket(handle.easy, &socket) == CURLE_OK, socket >= 0 else {
            throw WebError(CURLE_COULDNT_CONNECT)
        }
        self.socket = socket
    }

    /// Sends as many bytes as the connection takes at once; `nil` if the other side has closed it.
    package func send(_ bytes: UnsafeRawBufferPointer) -> Int? {
        var count = 0
        let code = curl_easy_send(handle.easy, bytes.baseAddress, bytes.count, &count)
        return code == CURLE_OK || code == CURLE_AGAIN ? count : nil
    }

    /// What came of an attempt to read.
    package enum Received: Sendable {
        case bytes(Int)
        case nothing
        /// The other side has closed the connection.
        case end
    }

    /// Reads what has arrived.
    package func receive(into memory: UnsafeMutableRawBufferPointer) -> Received {
        var count = 0
        return switch curl_easy_recv(handle.easy, memory.baseAddress, memory.count, &count) {
        case CURLE_AGAIN: .nothing
        case CURLE_OK where count > 0: .bytes(count)
        default: .end
        }
    }
}
#endif
