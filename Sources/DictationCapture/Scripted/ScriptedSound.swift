import DictationCore
import DictationSystem
import Synchronization

/// A sound of a script.
enum ScriptedSound: Sendable, Hashable {
    case tone(frequency: Double, amplitude: Double)
    case quiet
    case zeros

    private struct Key: Hashable {
        var sound: ScriptedSound
        var format: AudioFormat
    }

    /// Two seconds of sounds that are the same each second. Without them, an hour in virtual time goes by with sines.
    private static let seconds = Mutex<[Key: AudioBuffer]>([:])
    /// The greatest number of sounds that are kept, and of samples in each second.
    private static let limits = (sounds: 16, samples: 100_000)

    /// Returns frames of the sound. Their start is any.
    func buffer(from first: Int64, count: Int, in format: AudioFormat) -> AudioBuffer {
        if self == .zeros { return AudioBuffer(silence: count, format: format) }
        let second = format.sampleRate
        // A short sound is not worth two seconds.
        guard first >= second, count <= second, isSameEachSecond, second * format.channelCount <= Self.limits.samples
        else { return render(from: first, count: count, in: format) }
        let key = Key(sound: self, format: format)
        let rendered = Self.seconds.withLock { seconds in
            if let rendered = seconds[key] { return rendered }
            if seconds.count >= Self.limits.sounds { seconds = [:] }
            let rendered = render(from: 0, count: 2 * second, in: format)
            seconds[key] = rendered
            return rendered
        }
        let start = Int(first % Int64(second))
        return rendered.slice(start..<start + count)
    }

    private var isSameEachSecond: Bool {
        guard case .tone(let frequency, let amplitude) = self else { return true }
        return frequency == frequency.rounded() && !amplitude.isNaN
    }

    private func render(from first: Int64, count: Int, in format: AudioFormat) -> AudioBuffer {
        var samples: [Double] = []
        samples.reserveCapacity(count * format.channelCount)
        for frame in first..<first + Int64(count) {
            let value: Double
            switch self {
            case .tone(let frequency, let amplitude):
                let turns = (frequency * Double(frame) / Double(format.sampleRate)).truncatingRemainder(dividingBy: 1)
                value = amplitude * sin(2 * .pi * turns)
            case .quiet, .zeros: value = Self.noise(at: frame % Int64(format.sampleRate))
            }
            for _ in 0..<format.channelCount { samples.append(value) }
        }
        return AudioBuffer(rounding: samples, to: format)
    }

    /// A sample of about −70 dB: louder than the smallest 16-bit value, quieter than any speech.
    private static func noise(at frame: Int64) -> Double {
        var mixed = UInt32(truncatingIfNeeded: frame) &* 0x9E37_79B9
        mixed = (mixed ^ mixed >> 16) &* 0x85EB_CA6B
        mixed ^= mixed >> 13
        return Double(Int32(bitPattern: mixed &* 0xC2B2_AE35)) / 2_147_483_648 * 0.000_5
    }
}
