#if Captions
import CMicroHTTPD
import DictationCore
import DictationPlatform
import Synchronization

/// The web server of the captions page, on a thread of libmicrohttpd.
final class CaptionsDaemon: Sendable {
    let port: UInt16
    private let running: Mutex<Unchecked<OpaquePointer?>>
    private let stream: CaptionsStream

    /// What the server's thread needs for each request.
    fileprivate final class Site: Sendable {
        let port: UInt16
        let token: String
        let stream: CaptionsStream

        init(port: UInt16, token: String, stream: CaptionsStream) {
            (self.port, self.token, self.stream) = (port, token, stream)
        }
    }

    private let site: Site

    init(port: UInt16, token: String, stream: CaptionsStream, clients: UInt32) throws(DictationError) {
        let (socket, port) = try Self.listen(at: port)
        let site = Site(port: port, token: token, stream: stream)
        let flags = MHD_ALLOW_SUSPEND_RESUME.rawValue | MHD_USE_AUTO_INTERNAL_THREAD.rawValue
        let options: [any CVarArg] = [
            MHD_OPTION.LISTEN_SOCKET.rawValue, socket, MHD_OPTION.CONNECTION_LIMIT.rawValue, clients,
            // A browser that does not read, or sends nothing, has to leave.
            MHD_OPTION.CONNECTION_TIMEOUT.rawValue, UInt32(30), MHD_OPTION.STRICT_FOR_CLIENT.rawValue, Int32(1),
            MHD_OPTION.END.rawValue,
        ]
        let daemon = withVaList(options) { list in
            MHD_start_daemon_va(
                flags, 0, nil, nil,
                { site, connection, path, method, _, _, _, _ in
                    guard let site, let connection, let path, let method else { return .NO }
                    return Unmanaged<Site>.fromOpaque(site).takeUnretainedValue()
                        .answer(connection, String(cString: method), String(cString: path))
                }, Unmanaged.passUnretained(site).toOpaque(), list)
        }
        guard let daemon else {
            Glibc.close(socket)
            throw DictationError(
                .engineFailed, "The web server for captions can't be started.",
                recovery: "End other programs, then try again.")
        }
        (self.port, self.stream, self.site) = (port, stream, site)
        running = Mutex(Unchecked(value: daemon))
    }

    /// Ends the server's thread. A second call does nothing.
    func close() {
        let daemon = running.withLock { running in
            defer { running.value = nil }
            return Unchecked(value: running.value)
        }
        guard let daemon = daemon.value else { return }
        // The server may not stop while it leaves connections alone.
        stream.close()
        MHD_stop_daemon(daemon)
    }

    /// Returns a socket that only this machine can reach, and its port.
    private static func listen(at port: UInt16) throws(DictationError) -> (Int32, UInt16) {
        let listening = socket(
            AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
        var (yes, address) = (Int32(1), sockaddr_in())
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        // The port of a server that has just ended can be used at once.
        setsockopt(listening, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        let isListening = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listening, $0, size) == 0 && Glibc.listen(listening, 16) == 0
                    && getsockname(listening, $0, &size) == 0
            }
        }
        guard isListening else {
            let code = errno
            if listening >= 0 { Glibc.close(listening) }
            throw DictationError(
                code == EADDRINUSE ? .alreadyRunning : .permissionDenied,
                "The captions can't be served at port \(port): \(String(cString: strerror(code))).",
                recovery: "Choose another port.")
        }
        return (listening, UInt16(bigEndian: address.sin_port))
    }
}

// MARK: On the server's thread

extension CaptionsDaemon.Site {
    fileprivate func answer(_ connection: OpaquePointer, _ method: String, _ path: String) -> MHD_Result {
        func header(_ name: String) -> String? {
            MHD_lookup_connection_value(connection, .HEADER_KIND, name).map { String(cString: $0) }
        }
        let request = CaptionsRequest(method: method, path: path, host: header("Host"), origin: header("Origin"))
        switch request.answer(port: port, token: token) {
        case .page:
            var random = SystemRandomNumberGenerator()
            let nonce = String(random.next() as UInt64, radix: 36) + String(random.next() as UInt64, radix: 36)
            return send(
                CaptionsPage.html(nonce: nonce), 200, on: connection,
                [
                    "Content-Type": "text/html; charset=utf-8",
                    "Content-Security-Policy": CaptionsPage.policy(nonce: nonce),
                ])
        case .events: return sendEvents(on: connection)
        case .refused(let status):
            return send("\(status)\n", status, on: connection, ["Content-Type": "text/plain", "Connection": "close"])
        }
    }

    private func send(
        _ text: String, _ status: UInt32, on connection: OpaquePointer, _ headers: [String: String]
    ) -> MHD_Result {
        var text = text
        let response = text.withUTF8 {
            MHD_create_response_from_buffer(
                $0.count, UnsafeMutableRawPointer(mutating: $0.baseAddress), .RESPMEM_MUST_COPY)
        }
        return queue(response, status, on: connection, headers)
    }

    private func sendEvents(on connection: OpaquePointer) -> MHD_Result {
        let reading = Reading(stream, stream.add(connection))
        let response = MHD_create_response_from_callback(
            .max, 1 << 14,
            { reading, _, block, count in
                guard let reading, let block else { return -1 }
                let (stream, reader) = Unmanaged<Reading>.fromOpaque(reading).takeUnretainedValue().parts
                return stream.fill(UnsafeMutableRawBufferPointer(start: block, count: count), for: reader) ?? -1
            }, Unmanaged.passRetained(reading).toOpaque(),
            { reading in
                guard let reading else { return }
                let (stream, reader) = Unmanaged<Reading>.fromOpaque(reading).takeRetainedValue().parts
                stream.remove(reader)
            })
        return queue(response, 200, on: connection, ["Content-Type": "text/event-stream; charset=utf-8"])
    }

    private func queue(
        _ response: OpaquePointer?, _ status: UInt32, on connection: OpaquePointer, _ headers: [String: String]
    ) -> MHD_Result {
        guard let response else { return .NO }
        defer { MHD_destroy_response(response) }
        let always = [
            "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer",
            "Cross-Origin-Resource-Policy": "same-origin",
        ]
        for (name, value) in always.merging(headers, uniquingKeysWith: { $1 }) {
            MHD_add_response_header(response, name, value)
        }
        return MHD_queue_response(connection, status, response)
    }

    /// A reader and its stream, for the C library.
    private final class Reading {
        let parts: (CaptionsStream, CaptionsStream.Reader)
        init(_ stream: CaptionsStream, _ reader: CaptionsStream.Reader) { parts = (stream, reader) }
    }
}
#endif
