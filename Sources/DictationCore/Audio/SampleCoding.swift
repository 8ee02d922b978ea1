extension AudioFormat.SampleType {
    /// Returns the sample at an index, exact for every type. Full scale is ±1.
    package func load(from bytes: UnsafeRawBufferPointer, at index: Int) -> Double {
        switch self {
        case .int16: Double(bytes.loadUnaligned(fromByteOffset: index * 2, as: Int16.self)) / 32_768
        case .int24:
            Double(
                Int32(
                    bitPattern: (UInt32(bytes[index * 3]) << 8) | (UInt32(bytes[index * 3 + 1]) << 16)
                        | (UInt32(bytes[index * 3 + 2]) << 24))) / 2_147_483_648
        case .int32: Double(bytes.loadUnaligned(fromByteOffset: index * 4, as: Int32.self)) / 2_147_483_648
        case .float32: Double(bytes.loadUnaligned(fromByteOffset: index * 4, as: Float.self))
        case .float64: bytes.loadUnaligned(fromByteOffset: index * 8, as: Double.self)
        }
    }

    /// Writes the nearest sample to a value. Integers are clipped, and NaN becomes zero in them.
    package func store(_ value: Double, into bytes: UnsafeMutableRawBufferPointer, at index: Int) {
        switch self {
        case .int16:
            bytes.storeBytes(of: Int16(Self.clip(value, 32_768)), toByteOffset: index * 2, as: Int16.self)
        case .int24:
            let bits = UInt32(bitPattern: Int32(Self.clip(value, 8_388_608)))
            bytes[index * 3] = UInt8(truncatingIfNeeded: bits)
            bytes[index * 3 + 1] = UInt8(truncatingIfNeeded: bits >> 8)
            bytes[index * 3 + 2] = UInt8(truncatingIfNeeded: bits >> 16)
        case .int32:
            bytes.storeBytes(of: Int32(Self.clip(value, 2_147_483_648)), toByteOffset: index * 4, as: Int32.self)
        case .float32: bytes.storeBytes(of: Float(value), toByteOffset: index * 4, as: Float.self)
        case .float64: bytes.storeBytes(of: value, toByteOffset: index * 8, as: Double.self)
        }
    }

    private static func clip(_ value: Double, _ fullScale: Double) -> Double {
        let scaled = (value * fullScale).rounded()
        return scaled.isNaN ? 0 : max(-fullScale, min(fullScale - 1, scaled))
    }
}

extension AudioBuffer {
    /// Creates a buffer of any format from interleaved samples. Rounds each sample to the nearest of the format.
    package init(rounding samples: [Double], to format: AudioFormat, start: Duration = .zero) {
        let frames = format.channelCount > 0 ? samples.count / format.channelCount : 0
        self.init(format: format, start: start, frameCount: frames) { bytes in
            for index in 0..<frames * max(0, format.channelCount) {
                format.sampleType.store(samples[index], into: bytes, at: index)
            }
        }
    }
}
