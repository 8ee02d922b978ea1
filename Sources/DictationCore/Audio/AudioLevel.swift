import Glibc

/// A level in decibels relative to full scale: 0 is the loudest, and silence is far below 0.
public struct Decibels: Hashable, Sendable, Comparable, Codable, CustomStringConvertible {
    /// The level as a number of decibels.
    public var value: Double

    /// Creates a level. NaN and any value below that of ``silence`` become ``silence``.
    public init(_ value: Double) { self.value = value.isNaN ? Self.floor : max(Self.floor, value) }

    /// Creates a level from an amplitude, where 1 is full scale.
    public init(amplitude: Double) { self.init(amplitude > 0 ? 20 * log10(amplitude) : Self.floor) }

    private static let floor = -160.0
    /// No sound at all.
    public static let silence = Decibels(floor)
    /// The amplitude, where 1 is full scale.
    public var amplitude: Double { self == .silence ? 0 : pow(10, value / 20) }

    /// Sorts by loudness.
    public static func < (a: Decibels, b: Decibels) -> Bool { a.value < b.value }
    /// The level rounded to a tenth of a decibel.
    public var description: String { "\((value * 10).rounded() / 10) dB" }
}

/// The loudness of a piece of audio.
public struct AudioLevel: Hashable, Sendable {
    /// The root mean square of all samples.
    public var rms: Decibels
    /// The level of the loudest sample.
    public var peak: Decibels

    /// Creates a level.
    public init(rms: Decibels, peak: Decibels) {
        self.rms = rms
        self.peak = peak
    }

    /// No sound at all.
    public static let silence = AudioLevel(rms: .silence, peak: .silence)

    /// Measures a buffer.
    public init(of buffer: AudioBuffer) {
        let sums = buffer.format.sampleType == .int16 ? Sums(ofIntegers: buffer) : Sums(of: buffer)
        self.init(
            rms: Decibels(amplitude: sums.count > 0 ? (sums.squares / Double(sums.count)).squareRoot() : 0),
            peak: Decibels(amplitude: sums.peak))
    }
}

private struct Sums {
    var squares = 0.0
    var peak = 0.0
    var count = 0

    init(of buffer: AudioBuffer) {
        buffer.forEachSample { sample in
            guard sample.isFinite else { return }
            squares += Double(sample) * Double(sample)
            peak = max(peak, Double(abs(sample)))
            count += 1
        }
    }

    /// Uses integers, which the processor adds many at a time. Most audio has 16-bit samples.
    init(ofIntegers buffer: AudioBuffer) {
        buffer.withUnsafeBytes { bytes in
            var (squares, low, high) = (UInt64(0), Int16(0), Int16(0))
            count = bytes.count / 2
            for index in 0..<count {
                let sample = bytes.loadUnaligned(fromByteOffset: index &* 2, as: Int16.self)
                squares &+= UInt64(truncatingIfNeeded: Int32(sample) &* Int32(sample))
                low = min(low, sample)
                high = max(high, sample)
            }
            self.squares = Double(squares) / (32_768 * 32_768)
            peak = max(-Double(low), Double(high)) / 32_768
        }
    }
}
