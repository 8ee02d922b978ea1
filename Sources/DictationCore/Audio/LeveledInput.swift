extension AudioInput {
    /// Returns the same audio with its speech at one level, for any engine.
    ///
    /// All channels share one gain. `SherpaOnnxEngine` already does this by itself.
    public func leveled(to target: AudioLevel.Normalizer.Target = .init()) -> AudioInput {
        AudioInput {
            var iterator = makeAsyncIterator()
            var normalizer: (format: AudioFormat, value: AudioLevel.Normalizer)?
            var samples: [Float] = []
            return { () throws(DictationError) in
                guard let buffer = try await iterator.next() else { return nil }
                let format = buffer.format
                if normalizer?.format != format {
                    let rate = format.sampleRate * Swift.max(1, format.channelCount)
                    normalizer = (format, AudioLevel.Normalizer(sampleRate: rate, target: target))
                }
                samples.removeAll(keepingCapacity: true)
                buffer.forEachSample { samples.append($0) }
                samples.withUnsafeMutableBufferPointer { normalizer?.value.normalize($0) }
                return AudioBuffer(format: format, start: buffer.start, frameCount: buffer.frameCount) { bytes in
                    for index in samples.indices {
                        format.sampleType.store(Double(samples[index]), into: bytes, at: index)
                    }
                }
            }
        }
    }
}
