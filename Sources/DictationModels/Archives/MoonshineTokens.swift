#if ModelCatalog
import FoundationEssentials

/// Converts Moonshine's `tokenizer.bin` to the `tokens.txt` of sherpa-onnx, block by block.
///
/// The tokenizer is a sequence of pieces. The length of a piece precedes it: one byte, or two if the first is 128 or
/// more. The text has a line for each piece: the piece in Base64, and its number.
struct MoonshineTokens {
    private enum State {
        case length
        case secondByteOfLength(Int)
        case piece(rest: Int)
    }

    private var state = State.length
    private var piece: [UInt8] = []
    private var number = 0

    /// Returns the lines that end in the block.
    mutating func convert(_ block: UnsafeRawBufferPointer) -> [UInt8] {
        var lines: [UInt8] = []
        for byte in block {
            switch state {
            case .length where byte >= 128: state = .secondByteOfLength(Int(byte) - 128)
            case .length: begin(Int(byte), &lines)
            case .secondByteOfLength(let low): begin(low + Int(byte) * 128, &lines)
            case .piece(let rest):
                piece.append(byte)
                state = .piece(rest: rest - 1)
                if rest == 1 { end(&lines) }
            }
        }
        return lines
    }

    /// The reason why the bytes so far are not a whole tokenizer; `nil` if they are.
    var fault: String? {
        guard case .length = state else { return "ends in the middle of a piece" }
        return number == 0 ? "has no pieces" : nil
    }

    private mutating func begin(_ length: Int, _ lines: inout [UInt8]) {
        state = .piece(rest: length)
        if length == 0 { end(&lines) }
    }

    private mutating func end(_ lines: inout [UInt8]) {
        // A line needs a piece, and no text contains this one.
        let base64 = Data(piece.isEmpty ? Array("<unused>".utf8) : piece).base64EncodedString()
        lines += Array("\(base64) \(number)\n".utf8)
        piece = []
        number += 1
        state = .length
    }
}
#endif
