import BenchSpeech
@_spi(Benchmarks) import DictationBatch
import DictationCore
import DictationEngines
import DictationTesting
import Glibc

/// Words and the times when they are said.
struct SpokenWords {
    struct Word {
        var text: String
        var range: Range<Duration>
    }

    var words: [Word] = []
    /// The range of each sentence among the words.
    var sentences: [Range<Int>] = []
}

/// Sentences that were joined, with pauses between them and inside them.
struct SpokenLine {
    var samples: [Int16] = []
    var spoken = SpokenWords()

    private static let pauses = 0.2...1.5

    /// Joins recordings. The pauses depend on the seed alone.
    ///
    /// - Parameters:
    ///   - recordings: The recordings, each of which counts as a sentence.
    ///   - count: The number of sentences. The recordings come again and again.
    init(_ recordings: [(SpeechRecording, [Int16])], count: Int, seed: UInt64) async throws {
        var random = SplitMix64(seed: seed)
        var aligned: [([Int16], [SpokenWords.Word])] = []
        for (recording, samples) in recordings {
            aligned.append((samples, try await Self.words(recording.text, in: samples)))
        }
        samples = Self.quiet(.seconds(1))
        for number in 0..<count {
            let (sentence, words) = aligned[number % aligned.count]
            let place = words.count > 5 ? Int.random(in: 2..<words.count - 2, using: &random) : nil
            append(
                sentence, words, pauseBefore: place, of: .seconds(Double.random(in: Self.pauses, using: &random)))
            samples += Self.quiet(.seconds(Double.random(in: Self.pauses, using: &random)))
        }
        samples += Self.quiet(.seconds(3))
    }

    var duration: Duration { AudioFormat.speech.duration(ofFrames: Int64(samples.count)) }

    /// Adds noise again and again, so loud that the speech is this much louder.
    mutating func add(_ noise: [Int16], below decibels: Double) {
        func power(_ samples: [Int16]) -> Double {
            samples.reduce(0) { $0 + Double($1) * Double($1) } / Double(max(1, samples.count))
        }
        let speech = spoken.words.flatMap { word in
            Array(samples[Self.sample(word.range.lowerBound)..<Self.sample(word.range.upperBound)])
        }
        let gain = (power(speech) / max(1, power(noise)) / pow(10, decibels / 10)).squareRoot()
        for index in samples.indices {
            let sum = Double(samples[index]) + gain * Double(noise[index % noise.count])
            samples[index] = Int16(clamping: Int(sum.rounded()))
        }
    }

    private mutating func append(
        _ sentence: [Int16], _ words: [SpokenWords.Word], pauseBefore place: Int?, of pause: Duration
    ) {
        let start = AudioFormat.speech.duration(ofFrames: Int64(samples.count))
        let first = spoken.words.count
        var cut = sentence.count
        if let place {
            let (before, after) = (words[place - 1].range.upperBound, words[place].range.lowerBound)
            cut = min(sentence.count, Self.sample((before + after) / 2))
        }
        for (index, word) in words.enumerated() {
            let shift = start + (place.map { index >= $0 } == true ? pause : .zero)
            spoken.words.append(
                SpokenWords.Word(
                    text: word.text, range: word.range.lowerBound + shift..<word.range.upperBound + shift))
        }
        samples += sentence[..<cut]
        if place != nil { samples += Self.quiet(pause) }
        samples += sentence[cut...]
        spoken.sentences.append(first..<spoken.words.count)
    }

    private static func sample(_ time: Duration) -> Int { Int(AudioFormat.speech.frames(in: time)) }

    /// Hardly audible noise, as in a quiet room.
    private static func quiet(_ duration: Duration) -> [Int16] {
        var random = SplitMix64(seed: 1)
        return (0..<sample(duration)).map { _ in Int16.random(in: -6...6, using: &random) }
    }

    /// Returns the times of known words, by forced alignment. Without it, the letters tell how long each word took.
    private static func words(_ text: String, in samples: [Int16]) async throws -> [SpokenWords.Word] {
        let words = WordErrorCount.words(of: text)
        var options = RecognitionOptions(task: .alignment(words.joined(separator: " ")), wordTimes: true)
        options.contextualStrings = Set(words).sorted().map { RecognitionOptions.ContextualString($0) }
        let session = try await PocketSphinxEngine(retention: .processLifetime).makeSession(options)
        try session.start(AudioInput.pieces(of: samples))
        var found: [Range<Duration>] = []
        for try await case .final(let result) in session.results { found += result.words.compactMap(\.range) }
        if found.count != words.count {
            let duration = AudioFormat.speech.duration(ofFrames: Int64(samples.count))
            let letters = words.reduce(0) { $0 + $1.count }
            var before = 0
            found = words.map { word in
                defer { before += word.count }
                return duration * (Double(before) / Double(letters))..<duration
                    * (Double(before + word.count) / Double(letters))
            }
        }
        return zip(words, found).map { SpokenWords.Word(text: $0, range: $1) }
    }
}
