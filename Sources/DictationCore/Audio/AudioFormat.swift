/// The rate, channel count and sample type of audio. Samples are always interleaved and in native byte order.
public struct AudioFormat: Hashable, Sendable, Codable {
    /// Frames per second, in hertz.
    public var sampleRate: Int
    /// Samples per frame.
    public var channelCount: Int
    /// The type of one sample.
    public var sampleType: SampleType

    /// Creates a format. It may be one that audio can't have; ``validated()`` checks it.
    public init(sampleRate: Int, channelCount: Int = 1, sampleType: SampleType = .int16) {
        self.sampleRate = sampleRate
        self.channelCount = channelCount
        self.sampleType = sampleType
    }

    /// The usual format of speech engines: 16 kHz, mono, 16-bit integers.
    public static let speech = AudioFormat(sampleRate: 16_000)

    /// The type of one sample.
    public enum SampleType: String, Hashable, Sendable, Codable, CaseIterable {
        /// Signed 16-bit integers.
        case int16
        /// Signed 24-bit integers, packed in three bytes.
        case int24
        /// Signed 32-bit integers.
        case int32
        /// 32-bit floating point, full scale at ±1.
        case float32
        /// 64-bit floating point, full scale at ±1.
        case float64

        /// The size of one sample in bytes.
        public var byteCount: Int {
            switch self {
            case .int16: 2
            case .int24: 3
            case .int32, .float32: 4
            case .float64: 8
            }
        }
    }

    /// The size of one frame in bytes.
    public var bytesPerFrame: Int {
        // A sample has at most 8 bytes. Audio can't have a channel count beyond this range.
        guard (Int.min / 8...Int.max / 8).contains(channelCount) else { return channelCount < 0 ? .min : .max }
        return channelCount * sampleType.byteCount
    }

    /// The rates that a format may have.
    public static let sampleRates = 1_000...768_000
    /// The channel counts that a format may have.
    public static let channelCounts = 1...64

    /// Returns the format if audio can have it.
    ///
    /// - Throws: ``DictationError/Code/unsupportedFormat`` for a rate outside ``sampleRates`` or a channel count
    ///   outside ``channelCounts``.
    public func validated() throws(DictationError) -> AudioFormat {
        guard Self.sampleRates.contains(sampleRate), Self.channelCounts.contains(channelCount) else {
            throw DictationError(
                .unsupportedFormat,
                "An audio format of \(self) can't be used.",
                recovery: "Use \(Self.sampleRates) Hz and \(Self.channelCounts) channels.")
        }
        return self
    }

    /// Returns the duration of a number of frames, to the attosecond.
    public func duration(ofFrames frames: Int64) -> Duration {
        guard sampleRate > 0 else { return .zero }
        let (seconds, rest) = frames.quotientAndRemainder(dividingBy: Int64(sampleRate))
        let attoseconds = Int128(rest) * 1_000_000_000_000_000_000 / Int128(sampleRate)
        return Duration(secondsComponent: seconds, attosecondsComponent: Int64(attoseconds))
    }

    /// Returns the number of frames in a duration, rounded to the nearest. This is the inverse of
    /// ``duration(ofFrames:)``.
    public func frames(in duration: Duration) -> Int64 {
        let (seconds, attoseconds) = duration.onTimeline.components
        let product = Int128(attoseconds) * Int128(sampleRate)
        let half: Int128 = product < 0 ? -500_000_000_000_000_000 : 500_000_000_000_000_000
        let rest = (product + half) / 1_000_000_000_000_000_000
        let total = Int128(seconds) * Int128(sampleRate) + rest
        return Int64(clamping: total)
    }
}

extension AudioFormat {
    /// Returns whether two times mean the same frame. Times are rounded, so a difference of less than a frame is
    /// ignored.
    package func isSame(_ a: Duration, _ b: Duration) -> Bool {
        let frame = duration(ofFrames: 1)
        return a > b - frame && a < b + frame
    }
}

extension Duration {
    /// The time, clamped to the range of a timeline. Sums of a few such times never overflow.
    package var onTimeline: Duration {
        let end = Duration.seconds(Int64.max / 4)
        return max(.zero - end, min(end, self))
    }
}

extension Int64 {
    /// Returns the sum, clamped to the range of `Int64`.
    package func adding(clamping other: Int64) -> Int64 {
        let (sum, isTooLarge) = addingReportingOverflow(other)
        return isTooLarge ? (other < 0 ? .min : .max) : sum
    }
}

extension AudioFormat: CustomStringConvertible {
    /// The format in words, for messages.
    public var description: String {
        "\(sampleRate) Hz, \(channelCount) channel\(channelCount == 1 ? "" : "s"), \(sampleType.rawValue)"
    }
}
