import FoundationEssentials

/// What a client and a server of websockets tell each other first.
package enum WebSocketHandshake {
    /// Returns a new key for a request.
    package static func makeKey() -> String {
        var random = SystemRandomNumberGenerator()
        return Data((0..<16).map { _ in UInt8.random(in: 0...255, using: &random) }).base64EncodedString()
    }

    /// Returns the value of `Sec-WebSocket-Accept` that proves that a server has understood a request.
    package static func answer(to key: String) -> String {
        Data(SHA1.hash(Array((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").utf8))).base64EncodedString()
    }
}

/// The hash that the handshake of websockets needs. Nothing is protected by it.
package enum SHA1 {
    /// Returns the 20 bytes of the hash.
    package static func hash(_ message: [UInt8]) -> [UInt8] {
        var state: [UInt32] = [0x6745_2301, 0xEFCD_AB89, 0x98BA_DCFE, 0x1032_5476, 0xC3D2_E1F0]
        var bytes = message + [0x80]
        bytes += Array(repeating: 0, count: (120 - bytes.count % 64) % 64)
        withUnsafeBytes(of: (UInt64(message.count) * 8).bigEndian) { bytes += $0 }
        for block in stride(from: 0, to: bytes.count, by: 64) { mix(bytes[block..<block + 64], into: &state) }
        return state.flatMap { word in withUnsafeBytes(of: word.bigEndian, Array.init) }
    }

    private static func mix(_ block: ArraySlice<UInt8>, into state: inout [UInt32]) {
        var words = stride(from: block.startIndex, to: block.endIndex, by: 4).map { index in
            block[index..<index + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        }
        for index in 16..<80 {
            words.append(rotate(words[index - 3] ^ words[index - 8] ^ words[index - 14] ^ words[index - 16], by: 1))
        }
        var (a, b, c, d, e) = (state[0], state[1], state[2], state[3], state[4])
        for index in 0..<80 {
            let (chosen, constant): (UInt32, UInt32) =
                switch index {
                case ..<20: (b & c | ~b & d, 0x5A82_7999)
                case ..<40: (b ^ c ^ d, 0x6ED9_EBA1)
                case ..<60: (b & c | b & d | c & d, 0x8F1B_BCDC)
                default: (b ^ c ^ d, 0xCA62_C1D6)
                }
            let next = rotate(a, by: 5) &+ chosen &+ e &+ constant &+ words[index]
            (a, b, c, d, e) = (next, a, rotate(b, by: 30), c, d)
        }
        for (index, value) in [a, b, c, d, e].enumerated() { state[index] &+= value }
    }

    private static func rotate(_ word: UInt32, by count: UInt32) -> UInt32 { word << count | word >> (32 - count) }
}
