import Synchronization

/// The connections and uploads of a server's clients, in the places that ``ClientPlaces`` gives them.
package final class ClientRegister: Sendable {
    private struct State: Sendable {
        var places: ClientPlaces
        /// What ends each connection.
        var ends: [ClientPlaces.ID: @Sendable () -> Void] = [:]
    }

    private let state: Mutex<State>

    package init(_ limits: ClientPlaces.Limits) { state = Mutex(State(places: ClientPlaces(limits))) }

    /// Takes a place for a new connection. Another connection may have to end for it.
    ///
    /// - Parameters:
    ///   - client: The numeric address of the client.
    ///   - end: Ends a connection by its number. See ``ClientPlace/isGivingWay`` for the new one.
    package func open(
        _ client: String, end: @escaping @Sendable (ClientPlaces.ID) -> Void = { _ in }
    ) -> ClientPlace {
        let (id, endOther) = state.withLock { state in
            let (id, leaving) = state.places.open(client)
            state.ends[id] = { end(id) }
            return (id, leaving.flatMap { $0 == id ? nil : state.ends[$0] })
        }
        // Without the lock, because it takes others.
        endOther?()
        return ClientPlace(id, in: self)
    }

    /// Begins to count the bytes of an upload.
    package func upload(of client: String) -> ClientUpload { ClientUpload(of: client, in: self) }

    /// The bytes of uploads that the server holds.
    package var uploadByteCount: Int { state.withLock { $0.places.uploadByteCount } }
    /// The connections that are open.
    package var connectionCount: Int { state.withLock { $0.places.count } }

    fileprivate func change<Result: Sendable>(_ body: @Sendable (inout ClientPlaces) -> Result) -> Result {
        state.withLock { body(&$0.places) }
    }

    fileprivate func setEnd(of id: ClientPlaces.ID, _ end: @escaping @Sendable () -> Void) {
        state.withLock { if $0.ends[id] != nil { $0.ends[id] = end } }
    }

    fileprivate func close(_ id: ClientPlaces.ID) {
        let end = state.withLock { state in
            state.places.close(id)
            return state.ends.removeValue(forKey: id)
        }
        // What it holds may take the lock when it is released.
        _ = end
    }
}

/// The place of a connection. It is free again when this is released.
package final class ClientPlace: Sendable {
    package let id: ClientPlaces.ID
    private let register: ClientRegister

    fileprivate init(_ id: ClientPlaces.ID, in register: ClientRegister) { (self.id, self.register) = (id, register) }

    deinit { register.close(id) }

    /// Notes that a request of the connection was allowed.
    package func know() { register.change { [id] in $0.know(id) } }

    /// Begins work for a client.
    package func begin(for client: String) throws(ClientPlaces.Refusal) {
        let result = register.change { [id] places in
            Result { () throws(ClientPlaces.Refusal) in try places.begin(id, for: client) }
        }
        try result.get()
    }

    /// Ends the work.
    package func rest() { register.change { [id] in $0.rest(id) } }

    /// Whether the connection has to end for another one.
    package var isGivingWay: Bool { register.change { [id] in $0.isLeaving(id) } }

    /// Sets what ends the connection when it has to give way, which may be at once.
    package func whenGivingWay(_ end: @escaping @Sendable () -> Void) {
        register.setEnd(of: id, end)
        if isGivingWay { end() }
    }
}

extension ClientPlace: Hashable {
    package static func == (one: ClientPlace, other: ClientPlace) -> Bool { one === other }
    package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// The bytes that an upload holds. They are free again when this is released.
package final class ClientUpload: Sendable {
    private let client: String
    private let register: ClientRegister
    private let held = Mutex(0)

    fileprivate init(of client: String, in register: ClientRegister) {
        (self.client, self.register) = (client, register)
    }

    deinit {
        let bytes = held.withLock { $0 }
        if bytes > 0 { register.change { [client] in $0.release(bytes, of: client) } }
    }

    /// Takes room for more bytes.
    package func grow(by bytes: Int) throws(ClientPlaces.Refusal) {
        let result = register.change { [client] places in
            Result { () throws(ClientPlaces.Refusal) in try places.take(bytes, for: client) }
        }
        try result.get()
        held.withLock { $0 += bytes }
    }
}
