/// Frames of a websocket that a server may send, and should not.
struct HostileFrames: Sendable {
    var name: String
    var bytes: [UInt8]

    init(_ name: String, _ bytes: [UInt8]) { (self.name, self.bytes) = (name, bytes) }

    /// Cuts each message into frames of one byte, with pings between them.
    static func torn(_ output: [UInt8]) -> [UInt8] {
        frames(output).flatMap { frame -> [UInt8] in
            guard let opcode = frame.first.map({ $0 & 15 }), opcode == 1 || opcode == 2 else { return frame }
            let payload = frame.dropFirst(headerSize(frame))
            var bytes: [UInt8] = []
            for (index, byte) in payload.enumerated() {
                bytes += [(index == payload.count - 1 ? 0x80 : 0) | (index == 0 ? opcode : 0), 1, byte]
                if index % 16 == 7 { bytes += [0x89, 1, 0x70] }
            }
            return bytes
        }
    }

    /// Sends some frames as they are, then other bytes, and nothing after that.
    static func sabotage(after count: Int, with bytes: [UInt8]) -> ([UInt8]) -> [UInt8] {
        var left = count
        return { output in
            guard !output.starts(with: Array("HTTP/".utf8)) else { return output }
            var sent: [UInt8] = []
            for frame in frames(output) where left >= 0 {
                sent += left > 0 ? frame : bytes
                left -= 1
            }
            return sent
        }
    }

    /// Whole frames of a server, which are not masked. Other bytes come back in one piece.
    private static func frames(_ output: [UInt8]) -> [[UInt8]] {
        guard !output.starts(with: Array("HTTP/".utf8)) else { return [output] }
        var (rest, frames) = (output[...], [[UInt8]]())
        while rest.count >= 2 {
            let frame = Array(rest)
            let header = headerSize(frame)
            let size =
                header == 2 ? Int(frame[1]) : frame[2..<header].reduce(0) { $0 << 8 | Int($1) }
            frames.append(Array(frame.prefix(header + size)))
            rest = rest.dropFirst(header + size)
        }
        return frames
    }

    private static func headerSize(_ frame: [UInt8]) -> Int {
        frame[1] == 126 ? 4 : frame[1] == 127 ? 10 : 2
    }

    private static func text(_ bytes: [UInt8]) -> [UInt8] {
        var frame: [UInt8] = [0x81]
        if bytes.count < 126 {
            frame.append(UInt8(bytes.count))
        } else {
            frame.append(127)
            for shift in (0..<8).reversed() { frame.append(UInt8(truncatingIfNeeded: bytes.count >> (8 * shift))) }
        }
        return frame + bytes
    }

    /// Frames that break the protocol or end the connection, or messages that mean nothing.
    static let all: [HostileFrames] = closes + broken + meaningless

    private static let closes: [HostileFrames] = [1_000, 1_001, 1_002, 1_011, 1_012, 1_013, 3_000, 4_999, 999, 0].map {
        (code: Int) in HostileFrames("close \(code)", [0x88, 2, UInt8(code >> 8), UInt8(code & 255)])
    }

    private static let broken: [HostileFrames] = [
        HostileFrames("close without a code", [0x88, 0]), HostileFrames("close with half a code", [0x88, 1, 3]),
        HostileFrames("close with a broken reason", [0x88, 3, 3, 0xE8, 0xFF]),
        HostileFrames("no UTF-8", [0x81, 2, 0xC3, 0x28]),
        HostileFrames("a compressed message", [0xC1, 5, 0xF2, 0x48, 0xCD, 0xC9, 0xC9]),
        HostileFrames("a masked frame", [0x81, 0x81, 0, 0, 0, 0, 65]), HostileFrames("an unknown kind", [0x83, 0]),
        HostileFrames("a continuation of nothing", [0x80, 0]),
        HostileFrames("a message in a message", [0x01, 1, 65, 0x81, 1, 65]),
        HostileFrames("a ping that is too long", [0x89, 126, 0, 126]), HostileFrames("a ping in parts", [0x09, 0]),
        HostileFrames("a huge frame", [0x82, 127, 0x7F, 255, 255, 255, 255, 255, 255, 255]),
        HostileFrames("an impossible frame", [0x82, 127, 255, 255, 255, 255, 255, 255, 255, 255]),
    ]

    private static let meaningless: [HostileFrames] = [
        HostileFrames("nested JSON", text([UInt8](repeating: 91, count: 200_000))),
        HostileFrames("null", text(Array("null".utf8))), HostileFrames("a list", text(Array("[]".utf8))),
        HostileFrames("no text", text([])), HostileFrames("half an object", text(Array(#"{"text":"#.utf8))),
        HostileFrames("other types", text(Array(#"{"type":1,"text":[],"result":{},"partial":0}"#.utf8))),
        HostileFrames("half a character", text(Array(#"{"text":"\ud800","type":"a","partial":"\ud800"}"#.utf8))),
        HostileFrames("bytes", [0x82, 4, 0, 255, 0, 255]),
    ]
}
