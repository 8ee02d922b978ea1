import DictationSystem

/// A short tone as a WAV file.
struct CueTone {
    /// The pitch, in hertz.
    var frequency: Double
    private static let rate = 48_000
    private static let length = 0.12
    /// How long the tone takes to become loud, and silent again, so that it does not click.
    private static let fade = 0.02
    private static let amplitude = 0.2

    var waveFile: [UInt8] { WaveBytes.file(of: samples, sampleRate: Self.rate) }

    private var samples: [Int16] {
        (0..<Int(Self.length * Double(Self.rate))).map { index in
            let time = Double(index) / Double(Self.rate)
            let loudness = min(1, time / Self.fade, (Self.length - time) / Self.fade) * Self.amplitude
            return Int16(32_767 * loudness * sin(2 * .pi * frequency * time))
        }
    }
}
