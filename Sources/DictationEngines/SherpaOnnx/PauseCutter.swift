import DictationCore

/// Cuts audio into pieces at its pauses. It works frame by frame, so that the sizes of the buffers make no difference.
///
/// A piece ends in the first pause after the least length. When no pause comes, it ends at a quiet place before the
/// greatest length.
struct PauseCutter: Sendable {
    /// A stretch of audio without a gap.
    struct Piece: Sendable {
        var samples: [Float]
        var start: Duration
        /// The time from the first sound that stands out to the last; `nil` when no sound does.
        var speech: Range<Duration>?
        var end: Duration { start + AudioFormat.speech.duration(ofFrames: Int64(samples.count)) }
    }

    private static let frame = 160
    private static let longest = 30 * 16_000
    /// The least power of speech, relative to the background.
    private static let speechRatio: Float = 6

    /// The least length of a piece that ends at a pause, in samples.
    private let least: Int
    /// The greatest length of a piece, in samples.
    private let most: Int
    /// The length of the pause that ends a piece, in frames.
    private let pause: Int
    private var samples: [Float] = []
    private var powers: [Float] = []
    private var isSpeech: [Bool] = []
    private var quietFrames = 0
    private var start: Duration = .zero
    private var contrast = SpeechContrast(sampleRate: 16_000)

    /// Creates a cutter for a recording. It cuts at pauses of half a second, into pieces of the length that models
    /// recognize best.
    init() {
        least = 15 * 16_000
        most = Self.longest
        pause = 50
    }

    /// Creates a cutter for live speech, where a user waits for the text. It cuts at the pauses that end an utterance.
    init(_ rules: SherpaOnnxConfiguration.Endpointing) {
        pause = max(10, Int(min(30, rules.silenceAfterText / .seconds(1)) * 100))
        least = pause * Self.frame
        let longest = rules.maximumLength.map { Int(clamping: AudioFormat.speech.frames(in: $0)) }
        most = min(Self.longest, max(16_000, longest ?? Self.longest))
    }

    /// The number of samples in the current piece.
    var count: Int { samples.count }
    /// The current piece, which is not yet complete.
    var current: Piece { piece(ofFrames: powers.count, samples: samples) }

    /// Adds a buffer and returns the pieces that it completed.
    mutating func add(_ buffer: AudioBuffer) -> [Piece] {
        var pieces: [Piece] = []
        let end = start + AudioFormat.speech.duration(ofFrames: Int64(samples.count))
        if samples.isEmpty {
            start = buffer.start
        } else if buffer.start - end > .milliseconds(1) {
            pieces += flush()
            start = buffer.start
        }
        buffer.forEachSample { sample in
            samples.append(sample)
            guard contrast.endsFrame(with: sample) else { return }
            powers.append(contrast.power)
            let standsOut = contrast.ratio >= Self.speechRatio
            isSpeech.append(standsOut)
            quietFrames = standsOut ? 0 : quietFrames + 1
            if samples.count >= least, quietFrames >= pause {
                pieces.append(cut(atFrame: powers.count - quietFrames / 2))
            } else if samples.count >= most {
                pieces.append(cut(atFrame: quietest))
            }
        }
        return pieces
    }

    /// Removes and returns the current piece, if it has any samples.
    mutating func flush() -> [Piece] {
        guard !samples.isEmpty else { return [] }
        defer {
            samples = []
            powers = []
            isSpeech = []
            quietFrames = 0
        }
        return [current]
    }

    /// The middle of the quietest tenth of a second in the second half of the current piece, as a frame.
    private var quietest: Int {
        let candidates = (powers.count / 2)..<max(powers.count / 2 + 1, powers.count - 10)
        func power(_ frame: Int) -> Float { powers[frame..<min(powers.count, frame + 10)].reduce(0, +) }
        return (candidates.min { power($0) < power($1) } ?? powers.count) + 5
    }

    private func piece(ofFrames frames: Int, samples: [Float]) -> Piece {
        let heard = isSpeech.prefix(frames)
        func time(_ frame: Int) -> Duration {
            start + AudioFormat.speech.duration(ofFrames: Int64(min(frame * Self.frame, samples.count)))
        }
        var speech: Range<Duration>?
        if let first = heard.firstIndex(of: true), let last = heard.lastIndex(of: true) {
            speech = time(first)..<time(last + 1)
        }
        return Piece(samples: samples, start: start, speech: speech)
    }

    private mutating func cut(atFrame frame: Int) -> Piece {
        let frames = min(powers.count, max(1, frame))
        let count = min(samples.count, frames * Self.frame)
        let piece = piece(ofFrames: frames, samples: Array(samples[..<count]))
        samples.removeFirst(count)
        powers.removeFirst(frames)
        isSpeech.removeFirst(frames)
        quietFrames = min(quietFrames, powers.count)
        start = piece.end
        return piece
    }
}
