import DictationCore
import DictationTesting

@testable import DictationText

/// Random text as engines recognize it, with the time of each word.
struct SpokenText {
    private static let words = """
        one two three five nine ten twelve nineteen twenty thirty ninety hundred thousand million first second third \
        twentieth oh point minus and a an the of at to past half quarter percent dollars cents january may march page \
        pm a m o'clock double comma period full stop question mark new line paragraph open close quote literal dash \
        hyphen scratch that um uh er cat house swift dictation seven eleven twenty-three well-known it's Élan \
        march, third, thousand, hundred, million, twenty, twenty-four, dollars, five, am, PM plus o'clock, and, \
        hello, world. yes! really? (maybe) “so” 3.5 café naïve 你好 e.g. Mr. $5 42nd
        """.split(separator: " ").map(String.init)

    var words: [SpeechResult.Word] = []

    init(_ random: inout SplitMix64, count: Int, leaving left: Set<String> = []) {
        var time = Duration.zero
        let choice = Self.words.filter { !left.contains($0) }
        for _ in 0..<count {
            time += .milliseconds(Int64(random.next() % 12 == 0 ? 1_500 : 20))
            let end = time + .milliseconds(Int64(100 + random.next() % 400))
            let word = choice[Int(random.next() % UInt64(choice.count))]
            words.append(.init(word, range: time..<end, confidence: Double(random.next() % 100) / 100))
            time = end
        }
    }

    /// The words as results: one, or several that are cut at random places.
    func results(_ random: inout SplitMix64, cutsOneIn share: UInt64?) -> [SpeechResult] {
        var results: [SpeechResult] = []
        var current: [SpeechResult.Word] = []
        for word in words {
            current.append(word)
            if let share, random.next() % share == 0 {
                results.append(Self.result(current))
                current = []
            }
        }
        return current.isEmpty ? results : results + [Self.result(current)]
    }

    static func result(_ words: [SpeechResult.Word]) -> SpeechResult {
        let start = words.first?.range?.lowerBound ?? .zero
        return SpeechResult(
            range: start..<(words.last?.range?.upperBound ?? start), text: words.map(\.text).joined(separator: " "),
            words: words)
    }
}
