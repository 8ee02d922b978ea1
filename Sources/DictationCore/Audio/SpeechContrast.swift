import Glibc

/// Compares each 10 ms of audio with the background, as a simple sign of speech.
///
/// The background is the lowest recent power. It falls at once and rises by 3 dB per second, so pauses are found
/// quickly. What lies below speech, such as the hum of the mains and a constant offset, counts for nothing: it would be a
/// background that speech can't stand out from. The comparison allocates nothing.
package struct SpeechContrast: Sendable {
    /// The power of the last complete frame, above the low frequencies.
    package private(set) var power: Float = 0
    /// The power of the last complete frame with all frequencies.
    package private(set) var wholePower: Float = 0
    /// The power of the background.
    package private(set) var background: Float = .infinity

    private let frameLength: Int
    private var filter: HighPass
    private var squares: Float = 0
    private var wholeSquares: Float = 0
    private var count = 0

    /// The lowest power that can be speech. It lies near the noise of 16-bit samples.
    package static let quietest: Float = 1e-9
    /// Below this frequency there is only a small part of the power of speech.
    private static let lowestFrequency = 150.0

    package init(sampleRate: Int) {
        frameLength = max(1, sampleRate / 100)
        filter = HighPass(Self.lowestFrequency, sampleRate: sampleRate)
    }

    /// Adds a sample and returns whether it completes a frame.
    @inline(__always)
    package mutating func endsFrame(with sample: Float) -> Bool {
        wholeSquares += sample * sample
        let high = filter.filtered(sample)
        squares += high * high
        count += 1
        guard count == frameLength else { return false }
        (power, wholePower) = (squares / Float(count), wholeSquares / Float(count))
        (squares, wholeSquares, count) = (0, 0, 0)
        filter.forgetTraces()
        background = min(max(power, Self.quietest), background * 1.007)
        return true
    }

    /// The last frame's power divided by the background's, or 0 for a frame that is too quiet to be speech.
    package var ratio: Float { power > Self.quietest ? power / background : 0 }
}

/// A filter of the second order that keeps high frequencies.
private struct HighPass: Sendable {
    private let gain, first, second: Float
    private var states: (Float, Float) = (0, 0)

    init(_ frequency: Double, sampleRate: Int) {
        // Butterworth's filter, which keeps what it lets through as it is.
        let angle = 2 * Double.pi * min(0.4, frequency / Double(max(1, sampleRate)))
        let alpha = sin(angle) / 2.0.squareRoot()
        gain = Float((1 + cos(angle)) / 2 / (1 + alpha))
        first = Float(-2 * cos(angle) / (1 + alpha))
        second = Float((1 - alpha) / (1 + alpha))
    }

    @inline(__always)
    mutating func filtered(_ sample: Float) -> Float {
        // One sample that is no number would be remembered for ever.
        let sample = sample.isFinite ? max(-1e9, min(1e9, sample)) : 0
        let output = gain * sample + states.0
        states.0 = states.1 - 2 * gain * sample - first * output
        states.1 = gain * sample - second * output
        return output
    }

    /// Sets what is too small to matter to zero, because processors are slow with it.
    mutating func forgetTraces() {
        if abs(states.0) < 1e-20 { states.0 = 0 }
        if abs(states.1) < 1e-20 { states.1 = 0 }
    }
}
