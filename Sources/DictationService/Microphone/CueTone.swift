import DictationPlatform

/// A short tone as a WAV file.
struct CueTone {
    /// The pitch, in hertz.
    var frequency: Double
    private static let rate = 48_000
    private static let length = 0.12
    /// How long the tone takes to become loud, and silent again, so that it does not click.
    private static let fade = 0.02
    private static let amplitude = 0.2

    var waveFile: [UInt8] {
        let samples = samples.flatMap { bytes($0, 2) }
        let format =
            bytes(1, 2) + bytes(1, 2) + bytes(Self.rate, 4) + bytes(2 * Self.rate, 4) + bytes(2, 2) + bytes(16, 2)
        let body = chunk("fmt ", format) + chunk("data", samples)
        return chunk("RIFF", Array("WAVE".utf8) + body)
    }

    private var samples: [Int] {
        (0..<Int(Self.length * Double(Self.rate))).map { index in
            let time = Double(index) / Double(Self.rate)
            let loudness = min(1, time / Self.fade, (Self.length - time) / Self.fade) * Self.amplitude
            return Int(32_767 * loudness * sin(2 * .pi * frequency * time))
        }
    }

    private func chunk(_ name: String, _ content: [UInt8]) -> [UInt8] {
        Array(name.utf8) + bytes(content.count, 4) + content
    }

    private func bytes(_ number: Int, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
    }
}
