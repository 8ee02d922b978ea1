import BenchSpeech
@_spi(Benchmarks) import DictationBatch
import DictationCore

/// The text that a panel shows while someone speaks, measured against what is said.
struct ShownText {
    private let spoken: SpokenWords
    /// The number of words that final text has said.
    private var finished = 0
    private var shown: [String] = []
    private var stable: [String] = []
    private var prefix = TranscriptAccumulator.StablePrefix()
    /// When each word was shown for the first time, in the right place.
    private var firstShown: [Int: Duration] = [:]
    private var lastWords: [Int: Duration] = [:]
    private var firstTexts: [Duration] = []
    private var waitsForText = true

    private(set) var wrong = (shown: 0, of: 0)
    private(set) var rewritten = 0
    private(set) var brokenStable = (words: 0, of: 0)
    private(set) var finalErrors = 0
    /// The sentences inside which a final result ends.
    private var cutSentences: Set<Int> = []

    init(_ spoken: SpokenWords) { self.spoken = spoken }

    /// Takes a change of the text into account.
    mutating func apply(_ change: DictationEvent.TextChange, at time: Duration, locale: SpeechLocale) {
        let final = change.finalResults.flatMap { WordErrorCount.words(of: $0.text) }
        let tail = change.volatileTail.flatMap { WordErrorCount.words(of: $0.text) }
        let all = final + tail
        rewritten += Self.compare(shown, to: all[...]).errors
        if !final.isEmpty {
            brokenStable.words += Self.compare(stable, to: all[...]).errors
            brokenStable.of += stable.count
            finish(final, at: time)
        }
        if change.startsOver { (prefix, stable) = (TranscriptAccumulator.StablePrefix(), []) }
        if tail != shown || !final.isEmpty { look(at: tail, time) }
        stable = WordErrorCount.words(of: prefix.split(change.volatileTail, in: locale).stable)
        shown = tail
    }

    private mutating func look(at tail: [String], _ time: Duration) {
        guard !tail.isEmpty else { return }
        let match = Self.compare(tail, to: spoken.words[finished...].map(\.text)[...].prefix(tail.count + 20))
        wrong.shown += match.errors
        wrong.of += tail.count
        if waitsForText, finished < spoken.words.count {
            waitsForText = false
            firstTexts.append(time - spoken.words[finished].range.lowerBound)
        }
        note(match, time)
    }

    private mutating func finish(_ final: [String], at time: Duration) {
        let match = Self.compare(final, to: spoken.words[finished...].map(\.text)[...].prefix(final.count + 20))
        finalErrors += match.errors
        note(match, time)
        for place in finished..<finished + match.length { lastWords[place] = time }
        finished += match.length
        let next = finished
        if let sentence = spoken.sentences.firstIndex(where: { $0.lowerBound < next && next < $0.upperBound }) {
            cutSentences.insert(sentence)
        }
        waitsForText = true
    }

    private mutating func note(_ match: Match, _ time: Duration) {
        for place in match.places where firstShown[finished + place] == nil { firstShown[finished + place] = time }
    }

    // MARK: Figures

    /// Returns the figures, with the processor time of a second of audio.
    func measurements(_ name: String, load: Double) -> [Measurement] {
        func figure(_ what: String, _ unit: String, _ value: Double) -> Measurement {
            Measurement(name: "live, \(name): \(what)", unit: unit, runs: [value])
        }
        func percent(_ count: Int, _ all: Int) -> Double { 100 * Double(count) / Double(max(1, all)) }
        let delays = firstShown.map { ($1 - spoken.words[$0].range.upperBound) / .milliseconds(1) }
        let first = firstTexts.map { $0 / .milliseconds(1) }
        let ends = spoken.sentences.compactMap { sentence in
            lastWords[sentence.upperBound - 1].map {
                ($0 - spoken.words[sentence.upperBound - 1].range.upperBound) / .milliseconds(1)
            }
        }
        return [
            figure("shown words wrong", "%", percent(wrong.shown, wrong.of)),
            figure("words rewritten for each final word", "", Double(rewritten) / Double(max(1, finished))),
            figure("stable words that changed", "%", percent(brokenStable.words, brokenStable.of)),
            figure("final words wrong", "%", percent(finalErrors, spoken.words.count)),
            figure(
                "words never shown rightly", "%", percent(spoken.words.count - firstShown.count, spoken.words.count)),
            figure("word's end to screen, median of \(delays.count)", "ms", delays.median),
            figure("word's end to screen, 95 in 100", "ms", delays.part(0.95)),
            figure("first word's beginning to first text, median of \(first.count)", "ms", first.median),
            figure("sentence's end to final text, median of \(ends.count)", "ms", ends.median),
            figure("sentence's end to final text, 95 in 100", "ms", ends.part(0.95)),
            figure("sentences cut inside", "%", percent(cutSentences.count, spoken.sentences.count)),
            figure("processor time, of one core", "%", 100 * load),
        ]
    }

    // MARK: Comparing

    private struct Match {
        var errors = 0
        /// The length of the best-matching beginning of the other words, and those of its words that are right.
        var length = 0
        var places: [Int] = []
    }

    /// Compares words with that beginning of other words which they match best.
    private static func compare(_ words: [String], to other: ArraySlice<String>) -> Match {
        let other = Array(other)
        var rows = [Array(0...other.count)]
        for (index, word) in words.enumerated() {
            var row = [index + 1]
            for (place, own) in other.enumerated() {
                row.append(
                    Swift.min(
                        rows[index][place] + (word == own ? 0 : 1), rows[index][place + 1] + 1, row[place] + 1))
            }
            rows.append(row)
        }
        var match = Match()
        guard let last = rows.last, let least = last.min() else { return match }
        (match.errors, match.length) = (least, last.lastIndex(of: least) ?? 0)
        var (index, place) = (words.count, match.length)
        while index > 0, place > 0 {
            let isSame = words[index - 1] == other[place - 1]
            if rows[index][place] == rows[index - 1][place - 1] + (isSame ? 0 : 1) {
                (index, place) = (index - 1, place - 1)
                if isSame { match.places.append(place) }
            } else if rows[index][place] == rows[index - 1][place] + 1 {
                index -= 1
            } else {
                place -= 1
            }
        }
        return match
    }
}
