package import DictationCore

extension Array where Element == UInt8 {
    /// Calls a closure with the bytes, and throws what it throws.
    package func withBytes(_ body: (UnsafeRawBufferPointer) throws(DictationError) -> Void) throws(DictationError) {
        try withUnsafeBytes { bytes in
            Result { () throws(DictationError) in try body(bytes) }
        }.get()
    }

    /// Calls a closure with the bytes to fill, and throws what it throws.
    package mutating func withMutableBytes(
        _ body: (UnsafeMutableRawBufferPointer) throws(DictationError) -> Void
    ) throws(DictationError) {
        try withUnsafeMutableBytes { bytes in
            Result { () throws(DictationError) in try body(bytes) }
        }.get()
    }
}
