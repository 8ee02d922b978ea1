import DictationCore

/// Understands audio whose samples are numbers: a stretch of one number is a word, a stretch of zeros a pause.
struct WordDecoder: SpeechDecoder {
    struct Flaws {
        var breaksWordsAtBuffers = false
        var failsAt: Duration?
        var stallsAt: Duration?
        var slowness: Duration = .zero
        var prefix = ""
    }

    static let wordLength = Duration.milliseconds(100)

    /// An utterance of four words and one of two, with pauses after them.
    static let audio: [AudioBuffer] = {
        let numbers: [Int16] = [1, 2, 3, 4, 0, 5, 6, 0]
        return numbers.enumerated().map { index, number in
            AudioBuffer([Int16](repeating: number * 100, count: 1_600), start: wordLength * index)
        }
    }()

    private let options: RecognitionOptions
    private let flaws: Flaws
    private let runtime = DictationRuntime.current
    private var clock: DecoderSession.FrameClock
    private var words: [SpeechResult.Word] = []
    private var current: (number: Int16, from: Int64)?
    private var pauseFrames = 0

    init(_ options: RecognitionOptions, _ flaws: Flaws) {
        self.options = options
        self.flaws = flaws
        clock = DecoderSession.FrameClock(format: .speech)
    }

    mutating func decode(_ buffer: AudioBuffer, into results: ResultSink) async throws(DictationError) {
        if flaws.slowness > .zero { try? await runtime.sleep(flaws.slowness) }
        if let time = flaws.failsAt, buffer.end > time { throw DictationError(.engineFailed, "The decoder is broken.") }
        if let time = flaws.stallsAt, buffer.end > time { try? await runtime.sleep(.seconds(1_000_000)) }
        let first = clock.frames
        clock.feed(frames: buffer.frameCount, at: buffer.start)
        for (index, number) in buffer.int16Samples.enumerated() { hear(number, at: first + Int64(index), results) }
        if flaws.breaksWordsAtBuffers { endWord() }
        if let result { results.emit(.volatile(result)) }
    }

    mutating func finalize(into results: ResultSink) async throws(DictationError) {
        endWord()
        if let result { results.emit(.final(result)) }
        words = []
    }

    private mutating func hear(_ number: Int16, at frame: Int64, _ results: ResultSink) {
        if let current, current.number != number { endWord(at: frame) }
        if number == 0 {
            pauseFrames += 1
            if pauseFrames == 1_600 {
                if let result { results.emit(.final(result)) }
                words = []
            }
        } else {
            pauseFrames = 0
            if current == nil { current = (number, frame) }
        }
    }

    private mutating func endWord(at frame: Int64? = nil) {
        guard let current else { return }
        words.append(word(current, to: frame ?? clock.frames))
        self.current = nil
    }

    private func word(_ word: (number: Int16, from: Int64), to end: Int64) -> SpeechResult.Word {
        let range = clock.time(ofFrame: word.from)..<clock.time(ofFrame: end)
        return SpeechResult.Word(
            "\(flaws.prefix)\(word.number / 100)", range: options.wordTimes ? range : nil,
            confidence: options.wordConfidence ? 0.9 : nil)
    }

    private var result: SpeechResult? {
        var words = words
        if let current { words.append(word(current, to: clock.frames)) }
        guard !words.isEmpty else { return nil }
        return SpeechResult(
            range: .zero..<clock.time(ofFrame: clock.frames), text: words.map(\.text).joined(separator: " "),
            words: words,
            alternatives: options.maximumAlternatives > 0 ? [SpeechResult.Alternative("other", confidence: 0.1)] : [])
    }
}
