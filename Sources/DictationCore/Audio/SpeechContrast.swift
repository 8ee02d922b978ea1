/// Compares each 10 ms of audio with the background, as a simple sign of speech.
///
/// The background is the lowest recent power. It falls at once and rises by 3 dB per second, so pauses are found
/// quickly. The comparison allocates nothing.
package struct SpeechContrast: Sendable {
    /// The power of the last complete frame.
    package private(set) var power: Float = 0
    /// The power of the background.
    package private(set) var background: Float = .infinity

    private let frameLength: Int
    private var squares: Float = 0
    private var count = 0

    /// The lowest power that can be speech. It lies near the noise of 16-bit samples.
    package static let quietest: Float = 1e-9

    package init(sampleRate: Int) { frameLength = max(1, sampleRate / 100) }

    /// Adds a sample and returns whether it completes a frame.
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

    /// The last frame's power divided by the background's, or 0 for a frame that is too quiet to be speech.
    package var ratio: Float { power > Self.quietest ? power / background : 0 }
}
