#if Captions || Server
import CMicroHTTPD
import CSystem
import DictationSystem
import Synchronization

/// The places of the connections of a server of HTTP.
final class ConnectionPlaces: Sendable {
    /// Connections are used under this lock only, so that none is ended that is gone.
    private let state = Mutex(Unchecked<[OpaquePointer: ClientPlace]>(value: [:]))
    private let register: ClientRegister?

    init(_ register: ClientRegister?) { self.register = register }

    private func close(_ id: ClientPlaces.ID) {
        state.withLock { state in
            guard let connection = state.value.first(where: { $0.value.id == id })?.key else { return }
            dictation_end_connection(dictation_connection_socket(connection))
        }
    }

    // MARK: On the server's thread

    subscript(connection: OpaquePointer) -> ClientPlace? {
        let connection = Unchecked(value: connection)
        return state.withLock { $0.value[connection.value] }
    }

    /// Takes a place for a new connection.
    func begin(_ connection: OpaquePointer) {
        guard let register else { return }
        let place = register.open(peerAddress(of: dictation_connection_socket(connection))) { [weak self] id in
            self?.close(id)
        }
        let connection = Unchecked(value: connection)
        state.withLock { $0.value[connection.value] = place }
        if place.isGivingWay { close(place.id) }
    }

    /// Lets a connection go, and returns its place.
    @discardableResult
    func end(_ connection: OpaquePointer) -> ClientPlace? {
        let connection = Unchecked(value: connection)
        return state.withLock { $0.value.removeValue(forKey: connection.value) }
    }
}
#endif
