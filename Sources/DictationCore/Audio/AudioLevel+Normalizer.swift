extension AudioLevel {
    /// Brings streamed speech to one level: makes quiet speech louder and loud speech quieter.
    ///
    /// The normalizer looks at frames of 10 ms. Frames that stand out from the background count as speech, and their
    /// average level over the last seconds sets the gain. The gain starts at 1, stays the same without speech, changes
    /// smoothly, and has limits. Samples never exceed full scale. The normalizer adds no delay and allocates nothing after
    /// `init`.
    public struct Normalizer: Sendable {
        /// The wanted level and the limits of the gain.
        public struct Target: Sendable, Hashable {
            /// The wanted level of speech.
            public var level: Decibels
            /// The highest gain, for quiet speech.
            public var maximumGain: Decibels
            /// The lowest gain, for loud speech.
            public var minimumGain: Decibels

            /// Creates a target.
            public init(
                level: Decibels = Decibels(-20), maximumGain: Decibels = Decibels(40),
                minimumGain: Decibels = Decibels(-20)
            ) {
                self.level = level
                self.maximumGain = maximumGain
                self.minimumGain = minimumGain
            }
        }

        private let target: Float
        private let gains: ClosedRange<Float>
        private var contrast: SpeechContrast
        /// The average power of speech, and the number of frames in the average.
        private var speech: Float = 0
        private var speechFrames: Float = 0
        private var gain: Float = 1

        /// The number of frames in the average: 3 s of speech.
        private static let memory: Float = 300
        /// The part of the way to the wanted gain that each frame covers.
        private static let approach: Float = 0.3
        /// The ratio of a frame's power to the background's from which the frame counts as speech.
        private static let speechRatio: Float = 6

        /// Creates a normalizer for mono audio.
        public init(sampleRate: Int, target: Target = Target()) {
            contrast = SpeechContrast(sampleRate: sampleRate)
            // Someone may have set a level to NaN.
            let standard = Target()
            self.target = Self.amplitude(target.level, else: standard.level)
            let least = Self.amplitude(target.minimumGain, else: standard.minimumGain)
            gains = least...max(least, Self.amplitude(target.maximumGain, else: standard.maximumGain))
        }

        private static func amplitude(_ level: Decibels, else standard: Decibels) -> Float {
            let amplitude = Float(level.amplitude)
            return amplitude.isNaN ? Float(standard.amplitude) : amplitude
        }

        /// The gain for the next sample.
        public var currentGain: Decibels { Decibels(amplitude: Double(gain)) }

        /// Changes the samples in place. NaN and infinite samples become zero.
        public mutating func normalize(_ samples: UnsafeMutableBufferPointer<Float>) {
            for index in samples.indices {
                let sample = samples[index].isFinite ? samples[index] : 0
                samples[index] = max(-1, min(1, sample * gain))
                if contrast.endsFrame(with: sample) { adjust() }
            }
        }

        private mutating func adjust() {
            guard contrast.ratio > Self.speechRatio else { return }
            speechFrames = min(speechFrames + 1, Self.memory)
            speech += (contrast.wholePower - speech) / speechFrames
            let wanted = min(max(target / speech.squareRoot(), gains.lowerBound), gains.upperBound)
            gain += (wanted - gain) * Self.approach
        }
    }
}
