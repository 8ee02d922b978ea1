import DictationCore

/// Finds the beginning of speech by its loudness: clearly above the background for a moment.
struct VoiceDetector {
    /// How much louder speech is than the background, in decibels.
    private static let contrast = 12.0
    /// How much of the newest audio has to be loud, and how long that audio is. A click is shorter.
    private static let (needed, window) = (Duration.milliseconds(150), Duration.milliseconds(300))
    /// How long before its first loud sound speech may begin.
    private static let attack = Duration.milliseconds(300)
    /// By how many decibels a second the background rises. It falls at once.
    private static let rise = 3.0

    private let threshold: Decibels
    private var background = 0.0
    private var loud: [Range<Duration>] = []

    /// Creates a detector.
    ///
    /// - Parameter threshold: The level below which nothing is speech.
    init(threshold: Decibels = DictationSession.InputThresholds().speech) { self.threshold = threshold }

    /// Takes audio into account.
    ///
    /// - Returns: The time at which speech begins, once there is some.
    mutating func hear(_ buffer: AudioBuffer) -> Duration? {
        let level = AudioLevel(of: buffer).rms
        let length = buffer.duration / .seconds(1)
        background = min(level.value, background + Self.rise * length)
        loud.removeAll { $0.upperBound <= buffer.end - Self.window }
        guard level >= threshold, level.value >= background + Self.contrast else { return nil }
        loud.append(buffer.range)
        let sum = loud.reduce(.zero) { $0 + ($1.upperBound - $1.lowerBound) }
        guard sum >= Self.needed, let first = loud.first else { return nil }
        return max(.zero, first.lowerBound - Self.attack)
    }
}
