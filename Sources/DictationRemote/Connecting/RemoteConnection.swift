#if Remote
import CSystem
import DictationCore
import DictationSystem
import DictationWeb

/// A connection to a server that carries bytes both ways.
final class RemoteConnection {
    private let connection: WebConnection
    private let server: String

    /// Connects, and waits for that.
    ///
    /// - Throws: `RemoteFailure`, which is final for an untrusted certificate.
    init(to address: RemoteAddress, of server: RemoteServer) throws(RemoteFailure) {
        self.server = address.text
        do throws(WebError) {
            connection = try WebConnection(server.options(for: address, path: "/"))
        } catch {
            throw RemoteFailure(error, address.text)
        }
    }

    /// Sends as many bytes as the connection takes at once.
    func send(_ bytes: UnsafeRawBufferPointer) throws(RemoteFailure) -> Int {
        guard let count = connection.send(bytes) else { throw closed }
        return count
    }

    /// Reads what has arrived; `nil` if nothing has.
    ///
    /// - Throws: `RemoteFailure` also if the server has closed the connection.
    func receive(into memory: UnsafeMutableRawBufferPointer) throws(RemoteFailure) -> Int? {
        switch connection.receive(into: memory) {
        case .nothing: return nil
        case .bytes(let count): return count
        case .end: throw closed
        }
    }

    private var closed: RemoteFailure { .lost(server, "the server has closed it") }

    /// Waits until bytes have arrived, or can be sent if that `isWriting`, or until the waker is used.
    ///
    /// ``receive(into:)`` must have returned `nil` before, because libcurl may hold bytes that the socket no longer has.
    func wait(isWriting: Bool, _ waker: Waker, atMost time: Duration) {
        waker.rest(time, socket: connection.socket, isWriting: isWriting)
        waker.clear()
    }
}

extension RemoteServer {
    /// Returns what libcurl needs to know to reach an address of the server.
    func options(for address: RemoteAddress, path: String) -> WebOptions {
        let scheme = address.isSecure ? "https" : "http"
        var options = WebOptions("\(scheme)://\(address.authority)\(path)", connectTimeout: connectTimeout)
        (options.authorities, options.proxy, options.unixSocket) = (authorities, proxy, address.unixSocket)
        return options
    }
}

extension RemoteFailure {
    /// Creates the failure for an error of libcurl.
    init(_ error: WebError, _ server: String) {
        self = .lost(server, error.text)
        self.error.underlying = .init(domain: "libcurl", code: error.code, message: nil)
        switch error.kind {
        case .untrusted:
            isTemporary = false
            self.error.code = .serverRefused
            self.error.recovery = "Give the certificates of the server's authority, or correct the address."
        case .malformed, .forbidden: isTemporary = false
        default: break
        }
    }
}
#endif
