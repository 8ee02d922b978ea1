extension AudioBuffer {
    /// Calls a closure with each sample in order, full scale at ±1.
    @inlinable
    public func forEachSample(_ body: (Float) -> Void) {
        withUnsafeBytes { bytes in
            switch format.sampleType {
            case .int16:
                for offset in stride(from: 0, to: bytes.count, by: 2) {
                    body(Float(bytes.loadUnaligned(fromByteOffset: offset, as: Int16.self)) / 32_768)
                }
            case .int24:
                for offset in stride(from: 0, to: bytes.count, by: 3) {
                    let low = UInt32(bytes[offset]) | UInt32(bytes[offset + 1]) << 8
                    let value = Int32(bitPattern: (low | UInt32(bytes[offset + 2]) << 16) << 8)
                    body(Float(value) / 2_147_483_648)
                }
            case .int32:
                for offset in stride(from: 0, to: bytes.count, by: 4) {
                    body(Float(bytes.loadUnaligned(fromByteOffset: offset, as: Int32.self)) / 2_147_483_648)
                }
            case .float32:
                for offset in stride(from: 0, to: bytes.count, by: 4) {
                    body(bytes.loadUnaligned(fromByteOffset: offset, as: Float.self))
                }
            case .float64:
                for offset in stride(from: 0, to: bytes.count, by: 8) {
                    body(Float(bytes.loadUnaligned(fromByteOffset: offset, as: Double.self)))
                }
            }
        }
    }

    /// The samples as floating point, interleaved, full scale at ±1.
    public var floatSamples: [Float] {
        let count = frameCount * max(0, format.channelCount)
        return [Float](unsafeUninitializedCapacity: count) { samples, initialized in
            forEachSample { sample in
                samples.initializeElement(at: initialized, to: sample)
                initialized += 1
            }
        }
    }

    /// The samples as 16-bit integers, interleaved; louder than full scale is clipped, not a number becomes zero.
    public var int16Samples: [Int16] {
        let count = frameCount * max(0, format.channelCount)
        return [Int16](unsafeUninitializedCapacity: count) { samples, initialized in
            forEachSample { sample in
                samples.initializeElement(at: initialized, to: Int16(fullScale: sample))
                initialized += 1
            }
        }
    }
}

extension Int16 {
    /// The nearest sample to a value at full scale ±1; clipped, and zero for what is not a number.
    @inlinable
    public init(fullScale value: Float) {
        let scaled = (value * 32_768).rounded()
        self = scaled.isNaN ? 0 : Int16(Swift.max(-32_768, Swift.min(32_767, scaled)))
    }
}
