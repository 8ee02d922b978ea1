package import DictationCore

/// Cuts audio into pieces at its pauses. It works frame by frame, so that the sizes of the buffers make no difference.
///
/// A piece ends in the first long pause after the least length, or in an earlier pause that no sentence spans. In live speech
/// it ends in a short pause if a turn ends there. If there is none, it ends in the longest pause in the second half of the
/// greatest length, and if there is no pause at all, at the quietest place inside speech. After such a cut, the next piece may begin with the last words of this one, so that a
/// model knows how the sentence began, and no word is cut in both pieces.
package struct PauseCutter: Sendable {
    /// A stretch of audio without a gap.
    package struct Piece: Sendable, Equatable {
        package var samples: [Float]
        /// The time of the first sample.
        package var start: Duration
        /// The length of the audio at the beginning that the previous piece has too.
        package var overlap: Duration = .zero
        /// The time from the first sound that stands out to the last, after the overlap; `nil` when no sound does.
        package var speech: Range<Duration>?
        package var ending: PieceEnding

        package init(
            samples: [Float], start: Duration, overlap: Duration = .zero, speech: Range<Duration>? = nil,
            ending: PieceEnding
        ) {
            self.samples = samples
            self.start = start
            self.overlap = overlap
            self.speech = speech
            self.ending = ending
        }

        package var end: Duration { start + AudioFormat.speech.duration(ofFrames: Int64(samples.count)) }
        /// The length of the audio that only this piece has.
        var newLength: Duration { end - start - overlap }
    }

    private static let frame = 160
    private static let longest = 30 * 16_000
    /// The least power of speech, relative to the background.
    private static let speechRatio: Float = 6
    /// The greatest power of a pause, relative to the mean power of the piece. It finds pauses where the background
    /// is not steady.
    private static let pauseRatio: Float = 0.01
    /// The length of the shortest pause, in frames. A shorter silence may be inside a word.
    private static let shortestPause = 20
    /// The length of the pause in which a turn may end, in frames, and the part of it that belongs to what follows: a word may
    /// begin so softly that its first sound counts as quiet.
    private static let (turnPause, onset) = (20, 10)
    /// The length of the shortest pause that no sentence spans, in frames.
    private static let breakLength = Int(AudioFormat.speech.frames(in: PieceJoiner.longestPause)) / frame

    /// The least length of a piece that ends at a long pause, in frames.
    private let least: Int
    /// The greatest length of a piece, in frames.
    private let most: Int
    /// The length of a long pause, in frames. A sentence hardly ever goes on after it.
    private let pause: Int
    /// The length by which pieces overlap, in frames.
    private let overlap: Int
    private let hearing: Hearing

    private var samples: [Float] = []
    private var powers: [Float] = []
    /// Whether each frame is speech. A voice detector hears several frames at a time, so the last ones may not be known yet.
    private var isSpeech: [Bool] = []
    private var quietFrames = 0
    /// The number of frames at the beginning that the previous piece has too.
    private var shared = 0
    /// The time of the first sample.
    private var start: Duration = .zero
    private var contrast = SpeechContrast(sampleRate: 16_000)
    private var voice: VoiceDetector?
    /// The newest frames in a row that are speech.
    private var newestSpeech: Range<Duration>?

    /// Creates a cutter for a recording, with pieces of the length that models recognize best.
    ///
    /// - Parameters:
    ///   - overlap: The length by which pieces overlap, unless a long pause lies between them.
    ///   - hearing: How to know what is speech.
    package init(overlap: Duration = .zero, hearing: Hearing = .loudness) {
        least = 1_200
        most = 2_500
        pause = 300
        self.overlap = Self.frames(overlap)
        self.hearing = Hearing(voice: hearing.voice)
        voice = hearing.voice
    }

    /// Creates a cutter for live speech, where a user waits for the text. It cuts at the pauses that end an utterance.
    ///
    /// - Parameters:
    ///   - overlap: The length by which pieces overlap at a cut without such a pause.
    ///   - hearing: How to know what is speech and where a turn ends.
    package init(
        _ rules: RecognitionOptions.Endpointing, overlap: Duration = .zero, hearing: Hearing = .loudness
    ) {
        let longest = max(hearing.longestPause ?? .zero, rules.silenceAfterText)
        pause = max(10, Self.frames(min(.seconds(30), longest)))
        least = pause
        self.hearing = hearing
        voice = hearing.voice
        let limit = rules.maximumLength.map { Int(clamping: AudioFormat.speech.frames(in: $0)) }
        most = min(Self.longest, max(16_000, limit ?? Self.longest)) / Self.frame
        self.overlap = min(Self.frames(overlap), most / 4)
    }

    /// The number of samples in the current piece.
    private var count: Int { samples.count - shared * Self.frame }
    /// The number of frames of which it is known whether they are speech.
    private var heardFrames: Int { isSpeech.count }

    /// Adds a buffer and returns the pieces that it completed.
    package mutating func add(_ buffer: AudioBuffer) -> [Piece] {
        var pieces: [Piece] = []
        if samples.isEmpty {
            start = buffer.start
        } else if buffer.start - time(ofSample: samples.count) > .milliseconds(1) {
            pieces += flush()
            start = buffer.start
        }
        buffer.forEachSample { sample in
            samples.append(sample)
            guard contrast.endsFrame(with: sample) else { return }
            powers.append(contrast.power)
            if voice == nil {
                hear(contrast.ratio >= Self.speechRatio, &pieces)
            } else if let isVoice = voice?.add(samples.suffix(Self.frame)) {
                while heardFrames < powers.count { hear(isVoice, &pieces) }
            }
        }
        return pieces
    }

    /// Takes in whether the next frame is speech, and adds a piece that it completes.
    private mutating func hear(_ standsOut: Bool, _ pieces: inout [Piece]) {
        if standsOut, voice != nil {
            let frame = time(ofSample: heardFrames * Self.frame)..<time(ofSample: (heardFrames + 1) * Self.frame)
            let goesOn = newestSpeech?.upperBound == frame.lowerBound
            newestSpeech = (goesOn ? newestSpeech ?? frame : frame).lowerBound..<frame.upperBound
        }
        isSpeech.append(standsOut)
        quietFrames = standsOut ? 0 : quietFrames + 1
        let length = heardFrames - shared
        if quietFrames >= pause, length >= least || quietFrames >= Self.breakLength {
            pieces.append(cut(at: heardFrames - quietFrames / 2, .pause, keeping: 0))
        } else if let endsTurn = hearing.endsTurn, quietFrames == Self.turnPause,
            speech(in: shared..<heardFrames) != nil, endsTurn(samples[..<(heardFrames * Self.frame)])
        {
            pieces.append(cut(at: heardFrames - Self.onset, .pause, keeping: 0))
        } else if length >= most {
            pieces.append(cutWithoutLongPause())
        }
    }

    /// Removes and returns the current piece, if it has any samples.
    package mutating func flush() -> [Piece] {
        while let voice, heardFrames < powers.count { isSpeech.append(voice.isSpeech) }
        let last = count > 0 ? [piece(0..<powers.count, after: shared, .end)] : []
        samples = []
        powers = []
        isSpeech = []
        quietFrames = 0
        shared = 0
        voice = hearing.voice
        return last
    }

    // MARK: Cuts

    private mutating func cutWithoutLongPause() -> Piece {
        let cut = bestCut(in: shared..<heardFrames, overlap: overlap)
        return self.cut(at: cut.end, .length, keeping: cut.end - cut.next)
    }

    /// Returns the best place to cut some frames in their second half, and where the next piece begins.
    private func bestCut(in frames: Range<Int>, overlap: Int) -> (end: Int, next: Int) {
        let candidates = frames.lowerBound + frames.count / 2..<frames.upperBound
        func next(_ frame: Int) -> Int { overlapStart(before: frame, of: overlap, since: frames.lowerBound) }
        if let pause = longestPause(in: candidates, of: frames) {
            return ((pause.lowerBound + pause.upperBound) / 2, next(pause.lowerBound))
        }
        let frame = quietest(in: candidates)
        return (frame, next(frame))
    }

    private func longestPause(in candidates: Range<Int>, of frames: Range<Int>) -> Range<Int>? {
        let mean = powers[frames].reduce(0, +) / Float(max(1, frames.count))
        var longest = 0..<0
        var first = candidates.lowerBound
        for frame in candidates {
            if isSpeech[frame], powers[frame] > mean * Self.pauseRatio {
                first = frame + 1
            } else if frame + 1 - first > longest.count {
                longest = first..<frame + 1
            }
        }
        return longest.count >= Self.shortestPause ? longest : nil
    }

    /// Returns the quiet place where the next piece begins, about as far before a frame as the pieces overlap.
    private func overlapStart(before frame: Int, of overlap: Int, since first: Int) -> Int {
        guard overlap > 0 else { return frame }
        let candidates = max(first, frame - overlap * 5 / 4)..<max(first + 1, frame - overlap * 3 / 4)
        return min(frame, quietest(in: candidates))
    }

    /// Returns the middle of the quietest tenth of a second.
    private func quietest(in candidates: Range<Int>) -> Int {
        func power(_ frame: Int) -> Float { powers[frame..<min(powers.count, frame + 10)].reduce(0, +) }
        let first = candidates.dropLast(min(10, candidates.count - 1)).min { power($0) < power($1) }
        return (first ?? candidates.lowerBound) + 5
    }

    private mutating func cut(at frame: Int, _ ending: PieceEnding, keeping kept: Int) -> Piece {
        let frame = min(heardFrames, max(shared + 1, frame))
        let piece = piece(0..<frame, after: shared, ending)
        let first = frame - max(0, min(kept, frame - shared))
        start = time(ofSample: first * Self.frame)
        samples.removeFirst(first * Self.frame)
        powers.removeFirst(first)
        isSpeech.removeFirst(first)
        shared = frame - first
        quietFrames = min(quietFrames, heardFrames - shared)
        return piece
    }

    /// Returns the audio of some frames, of which the piece before has those before `shared` too.
    private func piece(_ frames: Range<Int>, after shared: Int, _ ending: PieceEnding) -> Piece {
        // The last frame of all may not be complete.
        let end = frames.upperBound < powers.count ? frames.upperBound * Self.frame : samples.count
        func time(_ frame: Int) -> Duration { self.time(ofSample: min(frame * Self.frame, end)) }
        let speech = speech(in: shared..<max(shared, frames.upperBound))
        let start = time(frames.lowerBound)
        return Piece(
            samples: Array(samples[frames.lowerBound * Self.frame..<end]), start: start, overlap: time(shared) - start,
            speech: speech.map { time($0.lowerBound)..<time($0.upperBound) }, ending: ending)
    }

    /// Returns the frames from the first sound that stands out to the last; `nil` if none does.
    private func speech(in frames: Range<Int>) -> Range<Int>? {
        let heard = isSpeech[frames]
        guard let first = heard.firstIndex(of: true), let last = heard.lastIndex(of: true) else { return nil }
        return first..<last + 1
    }

    // MARK: Parts

    /// A part of the current piece, which a look recognizes. The part before it may have its first frames too.
    struct Part: Sendable, Hashable {
        fileprivate var start = 0
        fileprivate var shared = 0

        /// Whether this is the whole piece, from its beginning.
        var isWhole: Bool { start == 0 }
    }

    /// The current piece as its only part.
    var wholePart: Part { Part(start: 0, shared: shared) }

    /// The part that begins where the current piece ends so far.
    var nextPart: Part { Part(start: heardFrames, shared: heardFrames) }

    /// Returns the audio of a part up to the end of the current piece.
    func audio(of part: Part) -> Piece { piece(part.start..<heardFrames, after: part.shared, .end) }

    /// Ends a part that became too long, at an inner pause if there is one; `nil` if it is not too long.
    func end(_ part: inout Part, longerThan length: Duration) -> Piece? {
        let most = Self.frames(length)
        guard heardFrames - part.shared >= most else { return nil }
        let cut = bestCut(in: part.shared..<part.shared + most, overlap: min(overlap, most / 4))
        let end = max(part.shared + 1, cut.end)
        defer { part = Part(start: min(cut.next, end), shared: end) }
        return piece(part.start..<end, after: part.shared, .length)
    }

    /// How much of the current piece was heard.
    struct Heard: Sendable, Hashable {
        var length: Duration
        /// The time from the first sound that stands out to the last; `nil` if none does.
        var speech: Range<Duration>?

        /// The time since the last sound that stands out.
        var quiet: Duration { speech.map { length - $0.upperBound } ?? .zero }
    }

    var heard: Heard {
        Heard(
            length: length(ofFrames: heardFrames),
            speech: speech(in: shared..<heardFrames).map {
                length(ofFrames: $0.lowerBound)..<length(ofFrames: $0.upperBound)
            })
    }

    private func length(ofFrames frames: Int) -> Duration {
        AudioFormat.speech.duration(ofFrames: Int64(frames * Self.frame))
    }

    /// What the voice detector heard since the beginning of the audio; `nil` if there is no detector.
    var heardVoice: SpeechUpdate.Voice? {
        guard voice != nil else { return nil }
        return SpeechUpdate.Voice(through: time(ofSample: heardFrames * Self.frame), speech: newestSpeech)
    }

    // MARK: Times

    private func time(ofSample sample: Int) -> Duration {
        start + AudioFormat.speech.duration(ofFrames: Int64(sample))
    }

    private static func frames(_ duration: Duration) -> Int {
        Int(clamping: AudioFormat.speech.frames(in: max(.zero, duration))) / frame
    }
}
