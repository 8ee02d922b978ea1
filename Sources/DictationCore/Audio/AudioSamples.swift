extension AudioBuffer {
    /// Calls a closure with each sample in order, full scale at ±1.
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

    /// The samples as floating point, interleaved, full scale at ±1.
    public var floatSamples: [Float] {
        let count = frameCount * max(0, format.channelCount)
        guard count > 0 else { return [] }  // Or Thread Sanitizer sees a race on the one empty array that there is.
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
    /// The nearest sample to a value at full scale ±1; clipped, and zero for what is not a number.
    @inlinable
    init(fullScale value: Float) {
        let scaled = (value * 32_768).rounded()
        self = scaled.isNaN ? 0 : Int16(Swift.max(-32_768, Swift.min(32_767, scaled)))
    }
}
