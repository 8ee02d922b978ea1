import CSystem

/// Returns the numeric address of the other end of a connection; empty if it has none.
package func peerAddress(of connection: Int32) -> String {
    let bytes = [UInt8](unsafeUninitializedCapacity: 64) { memory, count in
        memory.initialize(repeating: 0)
        let isKnown = memory.withMemoryRebound(to: CChar.self) {
            dictation_peer_address(connection, $0.baseAddress, $0.count) == 0
        }
        count = isKnown ? memory.firstIndex(of: 0) ?? 0 : 0
    }
    return String(decoding: bytes, as: UTF8.self)
}
