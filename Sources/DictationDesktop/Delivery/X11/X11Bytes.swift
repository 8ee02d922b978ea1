/// The bytes of a request, before its length is known.
struct X11Bytes {
    var bytes: [UInt8]
    init(_ bytes: [UInt8]) { self.bytes = bytes }

    mutating func append16(_ numbers: UInt16...) {
        for number in numbers { bytes += [UInt8(truncatingIfNeeded: number), UInt8(truncatingIfNeeded: number >> 8)] }
    }

    mutating func append32(_ numbers: UInt32...) {
        for number in numbers { append16(UInt16(truncatingIfNeeded: number), UInt16(truncatingIfNeeded: number >> 16)) }
    }

    mutating func appendPadded(_ more: [UInt8]) {
        bytes += more + Array(repeating: 0, count: (4 - more.count % 4) % 4)
    }
}

/// Something that an X server sent. Bytes that are missing count as zero.
struct X11Packet {
    private let bytes: [UInt8]
    init(_ bytes: [UInt8]) { self.bytes = bytes }

    func number8(_ place: Int) -> UInt8 { bytes.indices.contains(place) ? bytes[place] : 0 }
    func number16(_ place: Int) -> UInt16 { UInt16(number8(place)) | UInt16(number8(place + 1)) << 8 }
    func number32(_ place: Int) -> UInt32 { UInt32(number16(place)) | UInt32(number16(place + 2)) << 16 }
}
