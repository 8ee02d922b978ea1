/// Brings speech to one level as it streams by: quiet speech up, loud speech down, silence left alone.
///
/// It looks at frames of 10 ms. Those that stand out from the background are speech; their level, averaged over the last
/// seconds, sets the gain. Without speech the gain stays what it was, and at first it is 1. The gain is bounded, moves
/// smoothly, and never takes a sample past full scale. Nothing is allocated after `init`, and nothing is delayed.
public struct LevelNormalizer: Sendable {
    /// What the normalizer aims at and how far it goes.
    public struct Target: Sendable, Hashable {
        /// The level of speech that comes out.
        public var level: Decibels
        /// The most that speech is made louder.
        public var maximumGain: Decibels
        /// The most that speech is made quieter.
        public var minimumGain: Decibels

        /// Makes a target.
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
    /// The power of speech, and how many frames of it were heard.
    private var speech: Float = 0
    private var speechFrames: Float = 0
    private var gain: Float = 1

    /// Frames of speech that the average reaches back over: 3 s.
    private static let memory: Float = 300
    /// How much of the way to the wanted gain is gone in a frame.
    private static let approach: Float = 0.3
    /// How far speech stands out from the background, as a ratio of powers.
    private static let speechRatio: Float = 6

    /// Makes a normalizer for mono audio.
    public init(sampleRate: Int, target: Target = Target()) {
        contrast = SpeechContrast(sampleRate: sampleRate)
        // A level may have been set to what is no number.
        let standard = Target()
        self.target = Self.amplitude(target.level, else: standard.level)
        let least = Self.amplitude(target.minimumGain, else: standard.minimumGain)
        gains = least...max(least, Self.amplitude(target.maximumGain, else: standard.maximumGain))
    }

    private static func amplitude(_ level: Decibels, else standard: Decibels) -> Float {
        let amplitude = Float(level.amplitude)
        return amplitude.isNaN ? Float(standard.amplitude) : amplitude
    }

    /// The gain that the next sample gets.
    public var currentGain: Decibels { Decibels(amplitude: Double(gain)) }

    /// Brings the samples to the level, in place. What is not a number becomes zero.
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
        speech += (contrast.power - speech) / speechFrames
        let wanted = min(max(target / speech.squareRoot(), gains.lowerBound), gains.upperBound)
        gain += (wanted - gain) * Self.approach
    }
}
