import DictationCore

/// The fields of one Protocol Buffers message, in order. Reading throws when a field does not fit into the message.
struct ProtobufFields {
    struct Field {
        var number: UInt64
        /// The bytes of a length-delimited or fixed field; empty for a number.
        var payload: Range<Int>
        /// The value of a number.
        var value: UInt64
    }

    private let file: OnnxBytes
    private let end: Int
    private var position: Int

    init(in file: OnnxBytes, range: Range<Int>) {
        self.file = file
        position = range.lowerBound
        end = range.upperBound
    }

    mutating func next() throws(DictationError) -> Field? {
        guard position < end else { return nil }
        try file.countField()
        let tag = try number()
        guard tag >> 3 > 0 else { throw file.damaged("a field has no number") }
        switch tag & 7 {
        case 0: return Field(number: tag >> 3, payload: position..<position, value: try number())
        case 1: return Field(number: tag >> 3, payload: try take(8), value: 0)
        case 2: return Field(number: tag >> 3, payload: try take(Int(clamping: try number())), value: 0)
        case 5: return Field(number: tag >> 3, payload: try take(4), value: 0)
        default: throw file.damaged("a field has a type that ONNX does not use")
        }
    }

    private mutating func take(_ count: Int) throws(DictationError) -> Range<Int> {
        guard count <= end - position else { throw file.damaged("it is cut short, or not what its name says") }
        defer { position += count }
        return position..<(position + count)
    }

    private mutating func number() throws(DictationError) -> UInt64 {
        var value: UInt64 = 0
        for shift in stride(from: UInt64(0), to: 70, by: 7) {
            guard position < end else { throw file.damaged("it is cut short") }
            let byte = try file.byte(at: position)
            position += 1
            value |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return value }
        }
        throw file.damaged("a number is too long")
    }
}
