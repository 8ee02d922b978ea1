import DictationCore

/// Writes the values of a message.
struct HelperBytes {
    var bytes: [UInt8] = []

    mutating func write(_ number: some FixedWidthInteger) {
        withUnsafeBytes(of: number.littleEndian) { bytes += $0 }
    }

    mutating func write(_ time: Duration) {
        let (seconds, attoseconds) = time.components
        write(seconds)
        write(attoseconds)
    }

    mutating func write(_ range: Range<Duration>) {
        write(range.lowerBound)
        write(range.upperBound)
    }

    mutating func write(_ text: String) {
        var text = text
        text.withUTF8 { utf8 in
            write(UInt32(truncatingIfNeeded: utf8.count))
            bytes += utf8
        }
    }

    mutating func write(_ condition: Bool) { bytes.append(condition ? 1 : 0) }

    mutating func write<Value>(_ value: Value?, _ write: (inout HelperBytes, Value) -> Void) {
        self.write(value != nil)
        if let value { write(&self, value) }
    }

    mutating func write<Value>(_ values: [Value], _ write: (inout HelperBytes, Value) -> Void) {
        self.write(UInt32(truncatingIfNeeded: values.count))
        for value in values { write(&self, value) }
    }
}

/// Reads the values of a message, and throws at the first byte that can't be right.
struct HelperBytesReader {
    /// The bytes end too early, or they are not what they should be.
    struct Damage: Error {}

    private let bytes: UnsafeRawBufferPointer
    private var offset = 0

    init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    var isAtEnd: Bool { offset == bytes.count }

    private mutating func next(_ count: Int) throws(Damage) -> UnsafeRawBufferPointer {
        guard count <= bytes.count - offset else { throw Damage() }
        defer { offset += count }
        return UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + count])
    }

    mutating func integer<Number: FixedWidthInteger & BitwiseCopyable>(_: Number.Type) throws(Damage) -> Number {
        Number(littleEndian: try next(MemoryLayout<Number>.size).loadUnaligned(as: Number.self))
    }

    mutating func time() throws(Damage) -> Duration {
        let (seconds, attoseconds) = (try integer(Int64.self), try integer(Int64.self))
        let second: Int64 = 1_000_000_000_000_000_000
        // Longer times than any program lives.
        guard seconds.magnitude < 1 << 60, attoseconds.magnitude < second.magnitude else { throw Damage() }
        return Duration(secondsComponent: seconds, attosecondsComponent: attoseconds)
    }

    mutating func range() throws(Damage) -> Range<Duration> {
        let (start, end) = (try time(), try time())
        guard start <= end else { throw Damage() }
        return start..<end
    }

    mutating func text() throws(Damage) -> String {
        let utf8 = try next(Int(try integer(UInt32.self)))
        guard let text = String(validating: utf8, as: UTF8.self) else { throw Damage() }
        return text
    }

    mutating func condition() throws(Damage) -> Bool {
        switch try integer(UInt8.self) {
        case 0: false
        case 1: true
        default: throw Damage()
        }
    }

    mutating func optional<Value>(
        _ read: (inout HelperBytesReader) throws(Damage) -> Value
    ) throws(Damage) -> Value? {
        try condition() ? try read(&self) : nil
    }

    mutating func array<Value>(
        _ read: (inout HelperBytesReader) throws(Damage) -> Value
    ) throws(Damage) -> [Value] {
        let count = try integer(UInt32.self)
        var values: [Value] = []
        for _ in 0..<count { values.append(try read(&self)) }
        return values
    }
}
