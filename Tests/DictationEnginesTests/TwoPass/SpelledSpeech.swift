import DictationCore
import DictationEngines
import DictationTesting
import Synchronization

/// Speech whose samples say which word is spoken, so that an engine without a model recognizes it in any cut.
struct SpelledSpeech: Sendable {
    struct Word: Sendable {
        var text: String
        var frames: Range<Int>
        var endsSentence: Bool

        var range: Range<Duration> { time(frames.lowerBound)..<time(frames.upperBound) }
        private func time(_ frame: Int) -> Duration { AudioFormat.speech.duration(ofFrames: Int64(frame)) }
    }

    private(set) var words: [Word] = []
    let frameCount: Int

    /// Sentences of two to twelve words, some of which follow one another without a pause.
    init(seed: UInt64, seconds: Int) {
        var random = SplitMix64(seed: seed)
        let syllables = ["ba", "ke", "mi", "no", "su", "ta", "re", "li", "do", "pu"]
        var frame = 16 * Int.random(in: 100...900, using: &random)
        let end = 16_000 * (seconds - 1)
        var left = Int.random(in: 2...12, using: &random)
        while frame < end {
            let number = words.count
            let text = [number, number / 10, number / 100].map { syllables[$0 % 10] }.joined()
            let length = 16 * Int.random(in: 150...700, using: &random)
            left -= 1
            words.append(Word(text: text, frames: frame..<frame + length, endsSentence: left == 0))
            frame += length + 16 * Int.random(in: 0...80, using: &random)
            if left == 0 {
                left = Int.random(in: 2...12, using: &random)
                if Bool.random(using: &random) { frame += 16 * Int.random(in: 700...2_500, using: &random) }
            }
        }
        frameCount = (words.last?.frames.upperBound ?? 0) + 16_000
    }

    var text: String { words.map(\.text).joined(separator: " ") }
    var duration: Duration { AudioFormat.speech.duration(ofFrames: Int64(frameCount)) }

    private static func level(_ word: Int) -> Int16 { Int16(clamping: 2_000 + 20 * word) }

    var samples: [Int16] {
        var samples = [Int16](repeating: 0, count: frameCount)
        for (index, word) in words.enumerated() {
            for frame in word.frames { samples[frame] = frame % 2 == 0 ? Self.level(index) : -Self.level(index) }
        }
        return samples
    }

    /// Returns what an engine writes for some of the samples: whole sentences, without words of which it heard no more
    /// than half.
    ///
    /// - Parameter writesParts: Whether it writes the beginning of a word that is cut at the end, and something else for
    ///   a word that is cut at the beginning.
    func written(_ samples: [Int16], writesParts: Bool) -> String {
        var counts: [(word: Int, count: Int)] = []
        for sample in samples where sample != 0 {
            let word = (Int(sample.magnitude) - 2_000) / 20
            if counts.last?.word == word { counts[counts.count - 1].count += 1 } else { counts.append((word, 1)) }
        }
        var texts: [String] = []
        for (index, heard) in counts.enumerated() where words.indices.contains(heard.word) {
            let word = words[heard.word]
            if 2 * heard.count > word.frames.count {
                texts.append(word.text + (word.endsSentence ? "." : ""))
            } else if writesParts, 4 * heard.count >= word.frames.count {
                if index == counts.count - 1 { texts.append(String(word.text.prefix(3))) }
                if index == 0 { texts.append("x" + word.text.suffix(3)) }
            }
        }
        guard let first = texts.first, let last = texts.last else { return "" }
        texts[0] = first.prefix(1).uppercased() + first.dropFirst()
        if last.last != "." { texts[texts.count - 1] += "." }
        return texts.joined(separator: " ")
    }

    /// Returns the script of an engine that recognizes the words at once, ends an utterance half a second after its last
    /// word, and cuts one that is longer than `longest`.
    func quickScript(longest: Duration, lateness: Duration = .milliseconds(50)) -> [ScriptedEngine.Script.Step] {
        var steps: [ScriptedEngine.Script.Step] = []
        var open: [Word] = []
        var start: Duration = .zero
        func text() -> String { open.map(\.text).joined(separator: " ") }
        for (index, word) in words.enumerated() {
            if open.isEmpty { start = max(start, word.range.lowerBound + lateness) }
            if !open.isEmpty, word.range.upperBound - start > longest {
                let middle = (word.range.lowerBound + word.range.upperBound) / 2
                steps.append(.final(text(), from: start, at: middle, endsInSpeech: true))
                (open, start) = ([], middle)
            }
            open.append(word)
            steps.append(.volatile(text(), from: start, at: word.range.upperBound))
            let next = index + 1 < words.count ? words[index + 1].range.lowerBound : duration
            let pause = word.range.upperBound + .milliseconds(500)
            if next > pause {
                steps.append(.final(text(), from: start, at: pause))
                (open, start) = ([], pause)
            }
        }
        if !open.isEmpty { steps.append(.final(text(), from: start, at: duration)) }
        return steps
    }

    /// The audio in buffers of random sizes.
    func buffers(_ random: inout SplitMix64, longest: Int) -> [AudioBuffer] {
        let samples = samples
        var buffers: [AudioBuffer] = []
        var first = 0
        while first < samples.count {
            let end = min(samples.count, first + Int.random(in: 1...longest, using: &random))
            buffers.append(
                AudioBuffer(
                    Array(samples[first..<end]), start: AudioFormat.speech.duration(ofFrames: Int64(first))))
            first = end
        }
        return buffers
    }
}

/// A thorough engine that recognizes spelled speech, and misbehaves in some sessions.
final class SpellingEngine: SpeechEngine {
    enum Mood: Sendable, CaseIterable {
        case good, late, silent, repeating, rambling, stuck, failing, refusing
    }

    let name = "spelling"
    let capabilities: EngineCapabilities
    private let speech: SpelledSpeech
    private let writesParts: Bool
    private let moods: @Sendable (Int) -> Mood
    private let attempts = Atomic(0)

    init(
        _ speech: SpelledSpeech, writesParts: Bool = false, maximumSessions: Int? = nil,
        moods: @escaping @Sendable (Int) -> Mood = { _ in .good }
    ) {
        self.speech = speech
        self.writesParts = writesParts
        self.moods = moods
        capabilities = EngineCapabilities([.dictation], maximumSessions: maximumSessions)
    }

    var supportedLocales: [SpeechLocale] { get async { ["en-US"] } }
    func audioFormat(for options: RecognitionOptions) async throws(DictationError) -> AudioFormat { .speech }
    func prepare(
        _ options: RecognitionOptions, progress: @escaping @Sendable (Double) -> Void
    ) async throws(DictationError) { progress(1) }

    static let failure = DictationError(.engineFailed, "The thorough engine broke.")

    func makeSession(_ options: RecognitionOptions) async throws(DictationError) -> any RecognitionSession {
        let attempt = attempts.add(1, ordering: .relaxed).oldValue
        let mood = moods(attempt)
        if mood == .refusing { throw Self.failure }
        return try await DecoderSession.open(name, audioFormat: .speech, options: options) {
            [speech, writesParts] in
            SpellingDecoder(speech, writesParts: writesParts, mood: mood, delay: .milliseconds(700 * (attempt % 12)))
        }
    }
}

private struct SpellingDecoder: SpeechDecoder {
    let speech: SpelledSpeech
    let writesParts: Bool
    let mood: SpellingEngine.Mood
    let delay: Duration
    private var samples: [Int16] = []
    private var end: Duration = .zero

    init(_ speech: SpelledSpeech, writesParts: Bool, mood: SpellingEngine.Mood, delay: Duration) {
        (self.speech, self.writesParts, self.mood, self.delay) = (speech, writesParts, mood, delay)
    }

    mutating func decode(_ buffer: AudioBuffer, into results: ResultSink) async throws(DictationError) {
        samples += buffer.int16Samples
        end = buffer.end
    }

    mutating func finalize(into results: ResultSink) async throws(DictationError) {
        let text = speech.written(samples, writesParts: writesParts)
        guard end > .zero, !text.isEmpty else { return }
        let written: String
        switch mood {
        case .good, .refusing: written = text
        // One or two words that only the quick engine recognizes are taken for noise.
        case .silent where text.split(separator: " ").count > 2: return
        case .silent: written = text
        case .repeating: written = Array(repeating: text, count: 40).joined(separator: " ")
        case .rambling: written = (0..<20_000).map { "word\($0)" }.joined(separator: " ")
        case .failing: throw SpellingEngine.failure
        case .late, .stuck:
            written = text
            try? await DictationRuntime.current.sleep(mood == .late ? delay : .seconds(100_000))
        }
        results.emit(.final(SpeechResult(range: .zero..<end, text: written)))
    }
}
