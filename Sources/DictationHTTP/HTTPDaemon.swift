#if Captions || Server
import CMicroHTTPD
import CSystem
package import DictationCore
import DictationSystem
import Synchronization

/// A server of HTTP, on one thread of libmicrohttpd.
package final class HTTPDaemon: Sendable {
    /// How a server serves.
    package struct Configuration: Sendable {
        /// The numeric address to listen at.
        package var address = "127.0.0.1"
        /// The port; 0 is any free one.
        package var port: UInt16 = 0
        /// The most connections at once.
        package var connections: UInt32 = 16
        /// The most connections from one address at once; 0 for any number.
        package var connectionsPerAddress: UInt32 = 0
        /// How long a client may send nothing and read nothing, and how long it may take for the headers of a request, in
        /// seconds.
        package var idleSeconds: UInt32 = 30
        /// The certificates and their key; `nil` to serve without encryption.
        package var identity: HTTPIdentity?
        /// Whether connections may leave HTTP for another protocol.
        package var allowsUpgrades = false
        /// The places of the connections. With `nil`, newcomers wait while all of them are taken.
        package var register: ClientRegister?

        package init() {}
    }

    package let port: UInt16
    private struct State {
        var daemon: OpaquePointer?
        /// The socket that no longer accepts connections. libmicrohttpd's thread may still look at it, so it stays open
        /// until that thread has ended.
        var ended: Int32?
    }

    private let state: Mutex<Unchecked<State>>
    private let work: Work
    /// Keeps the texts that the C library points to.
    private let identity: HTTPIdentity?
    /// Ends connections whose clients are too slow.
    private let watch: Task<Void, Never>

    /// What the server's thread needs for each request.
    fileprivate final class Work: Sendable {
        let site: any HTTPSite
        let port: UInt16
        let runtime = DictationRuntime.current
        let exchanges = Watched<[ObjectIdentifier: HTTPConnection]>([:])
        let waiting: WaitingConnections
        let upgraded = UpgradedConnections()
        let places: ConnectionPlaces

        init(_ site: any HTTPSite, port: UInt16, headerLimit: Duration, register: ClientRegister?) {
            (self.site, self.port, waiting) = (site, port, WaitingConnections(limit: headerLimit))
            places = ConnectionPlaces(register)
        }
    }

    /// Starts a server.
    ///
    /// - Throws: `alreadyRunning` if another program uses the port; `invalidInput` for an address or a certificate that
    ///   can't be used.
    package init(_ configuration: Configuration, site: any HTTPSite) throws(DictationError) {
        var port = configuration.port
        let socket = dictation_listen(configuration.address, &port)
        guard socket >= 0 else {
            throw .listening(at: configuration.address, configuration.port, code: -socket)
        }
        let work = Work(
            site, port: port, headerLimit: .seconds(configuration.idleSeconds), register: configuration.register)
        // A newcomer must be accepted before another connection can give way to it.
        let limit = configuration.connections + (configuration.register == nil ? 0 : 16)
        var flags = MHD_ALLOW_SUSPEND_RESUME.rawValue | MHD_USE_AUTO_INTERNAL_THREAD.rawValue
        if configuration.allowsUpgrades { flags |= MHD_ALLOW_UPGRADE.rawValue }
        let ended: MHD_RequestCompletedCallback = { work, pointer, exchange, _ in
            guard let work, let exchange, let held = exchange.pointee else { return }
            exchange.pointee = nil
            Unmanaged<Work>.fromOpaque(work).takeUnretainedValue()
                .end(Unmanaged<HTTPExchange>.fromOpaque(held).takeRetainedValue(), on: pointer)
        }
        let noticed: MHD_NotifyConnectionCallback = { work, pointer, _, code in
            guard let work, let pointer else { return }
            let holder = Unmanaged<Work>.fromOpaque(work).takeUnretainedValue()
            if code == .CONNECTION_NOTIFY_STARTED {
                holder.waiting.begin(pointer)
                holder.places.begin(pointer)
            } else {
                holder.waiting.end(pointer)
                holder.places.end(pointer)
            }
        }
        let context = Unmanaged.passUnretained(work).toOpaque()
        // A function goes through a list of arguments as a pointer: both have the same size.
        let notice = unsafeBitCast(ended, to: OpaquePointer.self)
        // As above.
        let connectionNotice = unsafeBitCast(noticed, to: OpaquePointer.self)
        var options: [any CVarArg] = [
            MHD_OPTION.LISTEN_SOCKET.rawValue, socket, MHD_OPTION.CONNECTION_LIMIT.rawValue, limit,
            MHD_OPTION.PER_IP_CONNECTION_LIMIT.rawValue, configuration.connectionsPerAddress,
            // A client that does not read, or sends nothing, has to leave.
            MHD_OPTION.CONNECTION_TIMEOUT.rawValue, configuration.idleSeconds,
            MHD_OPTION.STRICT_FOR_CLIENT.rawValue, Int32(1),
            MHD_OPTION.CONNECTION_MEMORY_LIMIT.rawValue, UInt(1 << 16),
            MHD_OPTION.NOTIFY_COMPLETED.rawValue, notice, OpaquePointer(context),
            MHD_OPTION.NOTIFY_CONNECTION.rawValue, connectionNotice, OpaquePointer(context),
        ]
        if let identity = configuration.identity {
            flags |= MHD_USE_TLS.rawValue
            for (option, text) in [
                (MHD_OPTION.HTTPS_MEM_CERT, identity.certificate), (MHD_OPTION.HTTPS_MEM_KEY, identity.key),
            ] {
                if let pointer = text.pointer { options += [option.rawValue, pointer] as [any CVarArg] }
            }
        }
        options.append(MHD_OPTION.END.rawValue)
        let daemon = withVaList(options) { list in
            MHD_start_daemon_va(
                flags, 0, nil, nil,
                { work, pointer, path, method, _, bytes, count, exchange in
                    guard let work, let pointer, let path, let method, let count, let exchange else { return .NO }
                    let holder = Unmanaged<Work>.fromOpaque(work).takeUnretainedValue()
                    guard let held = exchange.pointee else {
                        let hidesBytes = dictation_hides_header_bytes(pointer, method) != 0
                        return holder.begin(
                            pointer, String(cString: method), String(cString: path), hidesBytes, &exchange.pointee)
                    }
                    let current = Unmanaged<HTTPExchange>.fromOpaque(held).takeUnretainedValue()
                    if count.pointee > 0 {
                        holder.waiting.count(count.pointee, of: pointer)
                        let goesOn = bytes.map { current.take($0, count.pointee) } ?? true
                        count.pointee = 0
                        return goesOn ? .YES : .NO
                    }
                    // All of the body is there.
                    holder.waiting.end(pointer)
                    if let answer = current.answer() { return holder.send(answer, on: pointer, current) }
                    return current.connection.rest() ? .YES : .NO
                }, context, list)
        }
        guard let daemon else {
            // libmicrohttpd has closed the socket; its number may be another thread's by now.
            throw DictationError(
                .engineFailed, "The web server can't be started.",
                recovery: configuration.identity == nil
                    ? "End other programs, then try again." : "Check the certificate and its key.")
        }
        (self.port, self.work, identity) = (port, work, configuration.identity)
        watch = work.waiting.watch()
        state = Mutex(Unchecked(value: State(daemon: daemon)))
    }

    /// Accepts no more connections. Those that are open go on. A second call does nothing.
    package func quiesce() {
        state.withLock { state in
            guard let daemon = state.value.daemon, state.value.ended == nil else { return }
            let socket = MHD_quiesce_daemon(daemon)
            guard socket >= 0 else { return }
            shutdown(socket, Int32(SHUT_RDWR))
            state.value.ended = socket
        }
    }

    /// Waits until every request has its whole answer.
    package func idle() async { _ = await work.exchanges.first { $0.isEmpty ? true : nil } }

    /// Ends the server's thread and all connections. A second call does nothing.
    package func close() {
        let last = state.withLock { state in
            defer { state.value = State() }
            return Unchecked(value: state.value)
        }
        guard let daemon = last.value.daemon else { return }
        watch.cancel()
        // The server may not stop while it leaves connections alone.
        for connection in work.exchanges.value.values { connection.close() }
        work.upgraded.end()
        MHD_stop_daemon(daemon)
        if let socket = last.value.ended { Glibc.close(socket) }
    }

    deinit { close() }
}

/// The certificates of a server and their key, as texts in the format PEM.
package final class HTTPIdentity: Sendable {
    /// A text for a C library.
    final class Text: @unchecked Sendable {  // The bytes never change.
        private let bytes: UnsafeMutableBufferPointer<CChar>

        init(_ text: String) {
            let characters = text.utf8CString
            bytes = .allocate(capacity: characters.count)
            _ = bytes.initialize(from: characters)
        }

        deinit { bytes.deallocate() }

        var pointer: UnsafeMutablePointer<CChar>? { bytes.baseAddress }
    }

    let certificate: Text
    let key: Text

    package init(certificate: String, key: String) {
        (self.certificate, self.key) = (Text(certificate), Text(key))
    }
}

// MARK: On the server's thread

extension HTTPDaemon.Work {
    fileprivate func begin(
        _ pointer: OpaquePointer, _ method: String, _ path: String, _ hidesBytes: Bool,
        _ held: inout UnsafeMutableRawPointer?
    ) -> MHD_Result {
        waiting.end(pointer)
        let connection = HTTPConnection(pointer)
        var request = HTTPRequest(pointer, method: method, path: path, port: port)
        request.place = places[pointer]
        if hidesBytes { request.fault = "A header of the request has a byte that is no text." }
        let exchange: HTTPExchange
        var answer: HTTPResponse?
        switch site.plan(for: request) {
        case .answer(let response):
            exchange = HTTPExchange(request, on: connection, reader: nil, runtime: runtime)
            answer = response
        case .read(let reader):
            exchange = HTTPExchange(request, on: connection, reader: reader, runtime: runtime)
            waiting.beginBody(of: pointer)
            if !exchange.begin(on: pointer) { answer = reader.answerToOtherBody() }
        }
        held = Unmanaged.passRetained(exchange).toOpaque()
        exchanges.change { $0[ObjectIdentifier(exchange)] = connection }
        guard let answer else { return .YES }
        return send(answer, on: pointer, exchange)
    }

    fileprivate func end(_ exchange: HTTPExchange, on pointer: OpaquePointer?) {
        exchanges.change { $0[ObjectIdentifier(exchange)] = nil }
        exchange.end()
        exchange.request.place?.rest()
        // The connection may be used for another request.
        if let pointer, exchange.upgrade == nil { waiting.begin(pointer) }
    }

    fileprivate func send(
        _ answer: HTTPResponse, on pointer: OpaquePointer, _ exchange: HTTPExchange
    ) -> MHD_Result {
        let connection = exchange.connection
        let response: OpaquePointer?
        switch answer.body {
        case .bytes(let bytes):
            response = bytes.withUnsafeBytes {
                MHD_create_response_from_buffer(
                    $0.count, UnsafeMutableRawPointer(mutating: $0.baseAddress), .RESPMEM_MUST_COPY)
            }
        case .source(let source):
            source.begin(connection)
            response = MHD_create_response_from_callback(
                .max, 1 << 14,
                { reading, _, block, count in
                    guard let reading, let block else { return -1 }
                    return Unmanaged<Reading>.fromOpaque(reading).takeUnretainedValue()
                        .read(into: UnsafeMutableRawBufferPointer(start: block, count: count))
                }, Unmanaged.passRetained(Reading(source, connection)).toOpaque(),
                { reading in
                    guard let reading else { return }
                    Unmanaged<Reading>.fromOpaque(reading).takeRetainedValue().source.end()
                })
        case .upgrade(let body):
            // From here on, the one who serves the connection keeps its place.
            let place = places.end(pointer)
            exchange.upgrade = { [upgraded] socket, handle, received in
                body(UpgradedConnection(socket, handle, received: received, in: upgraded, place: place))
            }
            response = MHD_create_response_for_upgrade(
                { _, _, held, extra, count, socket, handle in
                    guard let held, let handle else { return }
                    let received = extra.map { Array(UnsafeRawBufferPointer(start: $0, count: count)) } ?? []
                    Unmanaged<HTTPExchange>.fromOpaque(held).takeUnretainedValue().upgrade?(socket, handle, received)
                }, nil)
        }
        guard let response else { return .NO }
        defer { MHD_destroy_response(response) }
        let always = [
            "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer",
            "Cross-Origin-Resource-Policy": "same-origin",
        ]
        for (name, value) in always.merging(answer.headers, uniquingKeysWith: { $1 }) {
            MHD_add_response_header(response, name, value)
        }
        return MHD_queue_response(pointer, answer.status, response)
    }

    /// A source and its connection, for the C library.
    private final class Reading {
        let source: any HTTPSource
        private let connection: HTTPConnection

        init(_ source: any HTTPSource, _ connection: HTTPConnection) {
            (self.source, self.connection) = (source, connection)
        }

        func read(into block: UnsafeMutableRawBufferPointer) -> Int {
            connection.look()
            switch source.read(into: block) {
            case .bytes(let count): return count
            case .end: return -1
            case .nothing: return connection.rest() ? 0 : -1
            }
        }
    }
}

extension HTTPRequest {
    fileprivate init(_ pointer: OpaquePointer, method: String, path: String, port: UInt16) {
        let headers = Self.values(of: pointer, .HEADER_KIND)
        self.init(
            method: method, path: path, query: Self.values(of: pointer, .GET_ARGUMENT_KIND).last,
            headers: headers.last, peer: peerAddress(of: dictation_connection_socket(pointer)), port: port)
        let once: Set<String> = ["authorization", "content-length", "content-type", "host", "transfer-encoding"]
        if let name = headers.repeated.intersection(once).min() {
            fault = "The request has more than one header “\(name)”."
        } else if headers.last["content-length"] != nil, headers.last["transfer-encoding"] != nil {
            fault = "The request has a length and an encoding of its transfer. Send one of them."
        }
    }

    /// The last value of each name, and the names that came more than once.
    private typealias Values = (last: [String: String], repeated: Set<String>)

    private static func values(of pointer: OpaquePointer, _ kind: MHD_ValueKind) -> Values {
        var values: Values = ([:], [])
        withUnsafeMutablePointer(to: &values) { place in
            _ = MHD_get_connection_values(
                pointer, kind,
                { place, _, name, value in
                    guard let place, let name else { return .YES }
                    let values = place.assumingMemoryBound(to: Values.self)
                    let key = String(cString: name).lowercased()
                    if values.pointee.last.updateValue(value.map { String(cString: $0) } ?? "", forKey: key) != nil {
                        values.pointee.repeated.insert(key)
                    }
                    return .YES
                }, place)
        }
        return values
    }
}

extension DictationError {
    /// Returns the error of a server that can't listen.
    package static func listening(at address: String, _ port: UInt16, code: Int32) -> DictationError {
        let reason = String(cString: strerror(code))
        return DictationError(
            code == EADDRINUSE ? .alreadyRunning : code == EACCES ? .permissionDenied : .invalidInput,
            "Nothing can be served at “\(address)”, port \(port): \(reason).",
            recovery: code == EADDRINUSE || code == EACCES
                ? "Choose another port." : "Use the numeric address of this machine, such as 127.0.0.1.")
    }
}
#endif
