import DictationCore

/// Audio whose words a fake recognizer can tell without doubt: the word number 7 is a fifth of a second of a tone whose
/// samples have a size that means 7, and a fifth of a second of silence.
enum CodedSpeech {
    static let wordFrames = 3_200
    static let frames = 2 * wordFrames

    static func audio(words: Range<Int>) -> [Int16] {
        words.flatMap { word in
            (0..<wordFrames).map { Int16($0 / 20 % 2 == 0 ? 1 : -1) * Int16(500 + 50 * word) }
                + Array(repeating: 0, count: wordFrames)
        }
    }

    /// The audio in buffers of a tenth of a second, one after the other.
    static func buffers(words: Range<Int>, from start: Duration = .zero) -> [AudioBuffer] {
        let samples = audio(words: words)
        return stride(from: 0, to: samples.count, by: 1_600).map { index in
            AudioBuffer(
                Array(samples[index..<min(samples.count, index + 1_600)]),
                start: start + AudioFormat.speech.duration(ofFrames: Int64(index)))
        }
    }

    /// The samples in bytes, the low byte of each first.
    static func samples(_ bytes: [UInt8]) -> [Int] {
        stride(from: 0, to: bytes.count - 1, by: 2).map {
            Int(Int16(bitPattern: UInt16(bytes[$0]) | UInt16(bytes[$0 + 1]) << 8))
        }
    }

    static func text(_ words: Range<Int>) -> String { words.map { "w\($0)" }.joined(separator: " ") }

    /// Recognizes coded speech.
    struct Recognizer {
        struct Word: Sendable, Hashable {
            var number: Int
            var second: Double
        }

        /// The words since the last reset.
        private(set) var words: [Word] = []
        /// Their text.
        var text: String { words.map { "w\($0.number)" }.joined(separator: " ") }
        private(set) var frames = 0
        /// The place of the last reset.
        private(set) var origin = 0
        private var value = 0
        private var run = 0

        /// Takes a sample. Returns whether a word was recognized.
        mutating func take(_ sample: Int) -> Bool {
            let sample = abs(sample)
            frames += 1
            run = sample == value ? run + 1 : 1
            value = sample
            // Half of a word is enough.
            guard value != 0, run == CodedSpeech.wordFrames / 2 else { return false }
            words.append(Word(number: (value - 500) / 50, second: Double(frames - run - origin) / 16_000))
            return true
        }

        /// Whether an utterance ends here: after three words and half of the silence.
        var isEndpoint: Bool { words.count >= 3 && value == 0 && run == CodedSpeech.wordFrames / 2 }

        mutating func reset() {
            words = []
            origin = frames
        }
    }
}
