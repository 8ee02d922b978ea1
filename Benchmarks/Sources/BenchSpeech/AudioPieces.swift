import DictationCore

extension AudioInput {
    /// Returns samples at 16 kHz in buffers of 100 ms.
    package static func pieces(of samples: [Int16]) -> AudioInput {
        AudioInput(unfolding: {
            var next = 0
            return { () throws(DictationError) in
                guard next < samples.count else { return nil }
                let part = next..<Swift.min(samples.count, next + 1_600)
                next = part.upperBound
                return AudioBuffer(
                    Array(samples[part]), start: AudioFormat.speech.duration(ofFrames: Int64(part.lowerBound)))
            }
        })
    }
}
