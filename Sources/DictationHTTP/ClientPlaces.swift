/// Decides which connections of a server stay, and how much each client may use. A pure value: no clock, tasks or locks.
///
/// A connection works while it costs the server something: a request with a body, or live audio. Otherwise it rests.
/// If all places are taken, a resting connection gives way to the next newcomer, so clients that connect and say nothing
/// keep nobody out. Work takes only a part of the places, so that there is always one for a load balancer's question.
package struct ClientPlaces: Sendable {
    /// What clients may use.
    package struct Limits: Sendable {
        /// The connections at once.
        package var connections: Int
        /// The working connections of one client.
        package var workPerClient: Int
        /// The bytes of uploads that the server holds, of all clients and of one.
        package var uploadBytes: Int
        package var uploadBytesPerClient: Int

        package init(connections: Int, workPerClient: Int, uploadBytes: Int, uploadBytesPerClient: Int) {
            (self.connections, self.workPerClient) = (max(1, connections), max(1, workPerClient))
            (self.uploadBytes, self.uploadBytesPerClient) = (uploadBytes, uploadBytesPerClient)
        }

        /// The working connections at once.
        var work: Int { max(1, connections - max(1, min(16, connections / 8))) }
    }

    package typealias ID = UInt64

    package enum Refusal: Error, Sendable, Hashable {
        /// The client uses as much as it may.
        case clientLimit
        /// All clients together use as much as they may.
        case full
    }

    private struct Connection: Sendable {
        var client: String
        /// The order in which connections began to rest.
        var since: UInt64
        var isWorking = false
        /// Whether a request of the connection was allowed.
        var isKnown = false
        /// Whether the connection gives way and is about to close.
        var isLeaving = false
    }

    private let limits: Limits
    private var connections: [ID: Connection] = [:]
    private var uploads: [String: Int] = [:]
    private var last: UInt64 = 0
    /// The bytes of uploads that the server holds.
    private(set) var uploadByteCount = 0

    package init(_ limits: Limits) { self.limits = limits }

    /// The connections that are open and stay.
    var count: Int { connections.values.count { !$0.isLeaving } }
    var workCount: Int { connections.values.count { $0.isWorking } }

    /// Adds a connection.
    ///
    /// - Returns: Its number, and that of the connection that must close for it: its own, if all others work.
    mutating func open(_ client: String) -> (id: ID, givingWay: ID?) {
        last += 1
        connections[last] = Connection(client: client, since: last)
        guard count > limits.connections else { return (last, nil) }
        let leaving = nextToLeave(except: last) ?? last
        connections[leaving]?.isLeaving = true
        return (last, leaving)
    }

    /// Whether a connection must close for another one.
    func isLeaving(_ id: ID) -> Bool { connections[id]?.isLeaving == true }

    /// The resting connection that is missed least: one that no request of was allowed, then one of the client with the
    /// most connections, then the one that has rested longest.
    private func nextToLeave(except newcomer: ID) -> ID? {
        var counts: [String: Int] = [:]
        for connection in connections.values where !connection.isLeaving { counts[connection.client, default: 0] += 1 }
        func rank(_ connection: Connection) -> (Int, Int, UInt64) {
            (connection.isKnown ? 1 : 0, -(counts[connection.client] ?? 0), connection.since)
        }
        return connections.filter { $0.key != newcomer && !$0.value.isLeaving && !$0.value.isWorking }
            .min { rank($0.value) < rank($1.value) }?.key
    }

    /// Notes that a request of the connection was allowed.
    mutating func know(_ id: ID) { connections[id]?.isKnown = true }

    /// Begins work on a connection, for a client that may be another than the one that connected, such as one behind a
    /// proxy.
    mutating func begin(_ id: ID, for client: String) throws(Refusal) {
        guard var connection = connections[id], !connection.isLeaving else { throw .full }
        guard !connection.isWorking else { return }
        let work = connections.values.filter(\.isWorking)
        guard work.count(where: { $0.client == client }) < limits.workPerClient else { throw .clientLimit }
        guard work.count < limits.work else { throw .full }
        (connection.client, connection.isWorking, connection.isKnown) = (client, true, true)
        connections[id] = connection
    }

    /// Ends the work on a connection.
    mutating func rest(_ id: ID) {
        guard connections[id]?.isWorking == true else { return }
        last += 1
        connections[id]?.isWorking = false
        connections[id]?.since = last
    }

    /// Removes a connection that has closed.
    mutating func close(_ id: ID) { connections[id] = nil }

    /// Takes room for bytes of an upload.
    mutating func take(_ bytes: Int, for client: String) throws(Refusal) {
        let own = uploads[client] ?? 0
        guard bytes <= limits.uploadBytesPerClient - own else { throw .clientLimit }
        guard bytes <= limits.uploadBytes - uploadByteCount else { throw .full }
        uploads[client] = own + bytes
        uploadByteCount += bytes
    }

    /// Gives the room of an upload back.
    mutating func release(_ bytes: Int, of client: String) {
        let rest = (uploads[client] ?? 0) - bytes
        uploads[client] = rest > 0 ? rest : nil
        uploadByteCount -= bytes
    }
}
