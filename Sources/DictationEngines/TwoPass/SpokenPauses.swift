import DictationCore

/// The pauses between sounds, found frame by frame, so that the sizes of the buffers make no difference.
///
/// A pause is quiet long enough to say that an utterance may be over. A background that is not steady has none.
struct SpokenPauses: Sendable {
    /// The quiet after the last sound that belongs to an utterance. A shorter quiet may be inside a word.
    static let tail: Duration = .milliseconds(250)
    /// The least power of a sound, relative to the background. Even a word that fades away stands out as much.
    private static let soundRatio: Float = 3

    private var contrast: SpeechContrast
    private var past: [Range<Duration>] = []
    private var quietSince: Duration = .zero
    private var end: Duration = .zero

    init(_ format: AudioFormat) { contrast = SpeechContrast(sampleRate: format.sampleRate) }

    mutating func add(_ buffer: AudioBuffer) {
        var frames: Int64 = 0
        buffer.forEachSample { sample in
            frames += 1
            guard contrast.endsFrame(with: sample), contrast.ratio >= Self.soundRatio else { return }
            let time = buffer.start + buffer.format.duration(ofFrames: frames)
            if time - quietSince > Self.tail { past.append(quietSince..<time) }
            quietSince = time
        }
        end = buffer.end
    }

    /// Forgets the pauses before a time.
    mutating func remove(before time: Duration) { past.removeAll { $0.upperBound <= time } }

    /// The time when speech that began at `start` is probably over, if all has been quiet since; `nil` if it goes on.
    func endOfSpeech(since start: Duration) -> Duration? {
        quietSince > start && quietSince + Self.tail <= end ? quietSince + Self.tail : nil
    }

    /// Returns a range without the quiet at its end, but for the tail.
    func speech(in range: Range<Duration>) -> Range<Duration> {
        let pause = (past + [quietSince..<max(quietSince, end)]).last {
            range.lowerBound < $0.lowerBound && $0.lowerBound + Self.tail <= range.upperBound
                && range.upperBound <= $0.upperBound
        }
        return range.lowerBound..<(pause.map { $0.lowerBound + Self.tail } ?? range.upperBound)
    }
}
