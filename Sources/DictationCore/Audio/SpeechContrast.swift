/// How far audio stands out from its background, 10 ms at a time: the simplest sign of speech.
///
/// The background is the least power of late: it falls at once and rises by 3 dB a second, so a pause is soon known for
/// one. Nothing is allocated.
package struct SpeechContrast: Sendable {
    /// The power of the frame that ended last.
    package private(set) var power: Float = 0
    /// The background's power.
    package private(set) var background: Float = .infinity

    private let frameLength: Int
    private var squares: Float = 0
    private var count = 0

    /// What is quieter than this is never speech: the noise of 16-bit samples lies near it.
    package static let quietest: Float = 1e-9

    package init(sampleRate: Int) { frameLength = max(1, sampleRate / 100) }

    /// Takes a sample and says whether a frame ended with it.
    @inline(__always)
    package mutating func endsFrame(with sample: Float) -> Bool {
        squares += sample * sample
        count += 1
        guard count == frameLength else { return false }
        power = squares / Float(count)
        squares = 0
        count = 0
        background = min(max(power, Self.quietest), background * 1.007)
        return true
    }

    /// How many times the last frame's power is the background's; 0 for what is too quiet to be speech.
    package var ratio: Float { power > Self.quietest ? power / background : 0 }
}
