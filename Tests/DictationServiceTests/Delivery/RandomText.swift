import DictationCore
import DictationTesting

@testable import DictationService

/// Texts of all of Unicode 13. Qt 5 leaves out what is newer.
struct RandomText {
    private var generator: SplitMix64
    init(seed: UInt64) { generator = SplitMix64(seed: seed) }

    /// Ranges of letters, marks, symbols and emoji.
    private static let ranges: [ClosedRange<UInt32>] = [
        0x20...0x7E, 0x20...0x7E, 0xA1...0xFF, 0x100...0x17F, 0x300...0x30F, 0x391...0x3C9, 0x410...0x44F,
        0x5D0...0x5EA, 0x627...0x64A, 0x905...0x939, 0xE01...0xE2E, 0x1E00...0x1EFF, 0x2010...0x2027,
        0x20A0...0x20BF, 0x2190...0x21FF, 0x3041...0x3096, 0x4E00...0x9FFF, 0xAC00...0xD7A3, 0xFF01...0xFF5E,
        0x1F300...0x1F64F, 0x1F900...0x1F9FF, 0x20000...0x2A6DF,
    ]

    mutating func next(count: ClosedRange<Int> = 1...60) -> String {
        var text = String.UnicodeScalarView()
        for _ in 0..<Int.random(in: count, using: &generator) {
            let range = Self.ranges.randomElement(using: &generator) ?? 0x20...0x7E
            guard let scalar = Unicode.Scalar(UInt32.random(in: range, using: &generator)),
                let age = scalar.properties.age, age.major <= 13
            else { continue }
            text.append(scalar)
        }
        return String(text)
    }
}

extension DictatedText {
    /// A text of a take.
    init(_ text: String, take: Int = 1) {
        self.init(
            take: TakeID(number: take),
            transcript: Transcript(
                segments: [SpeechResult(range: .zero ..< .seconds(1), text: text)], gaps: [], duration: .seconds(1),
                locale: "en-US"))
    }
}
