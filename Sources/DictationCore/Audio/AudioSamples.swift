extension AudioBuffer {
    /// Calls a closure with each sample in order. Full scale is ±1.
    public func forEachSample(_ body: (Float) -> Void) {
        let count = frameCount * max(0, format.channelCount)
        let type = format.sampleType
        withUnsafeBytes { bytes in
            var index = 0
            while index < count {
                body(Float(type.load(from: bytes, at: index)))
                index += 1
            }
        }
    }

    /// The interleaved samples as floating point. Full scale is ±1.
    public var floatSamples: [Float] {
        let count = frameCount * max(0, format.channelCount)
        guard count > 0 else { return [] }  // Avoids a false alarm of Thread Sanitizer about the shared empty array.
        return [Float](unsafeUninitializedCapacity: count) { samples, initialized in
            forEachSample { sample in
                samples.initializeElement(at: initialized, to: sample)
                initialized += 1
            }
        }
    }

    /// The interleaved samples as 16-bit integers. Samples beyond full scale are clipped, and NaN becomes zero.
    public var int16Samples: [Int16] {
        let count = frameCount * max(0, format.channelCount)
        guard count > 0 else { return [] }
        return [Int16](unsafeUninitializedCapacity: count) { samples, initialized in
            forEachSample { sample in
                samples.initializeElement(at: initialized, to: Int16(fullScale: sample))
                initialized += 1
            }
        }
    }
}

extension Int16 {
    /// Creates the nearest sample to a value whose full scale is ±1. Clips the value; NaN becomes zero.
    @inlinable
    init(fullScale value: Float) {
        let scaled = (value * 32_768).rounded()
        self = scaled.isNaN ? 0 : Int16(Swift.max(-32_768, Swift.min(32_767, scaled)))
    }
}
