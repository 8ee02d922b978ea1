import DictationCore
import DictationTesting
import Testing

@testable import DictationText

/// Captions of people who talk at once.
@Suite struct SurfaceCaptionTests {
    /// A conversation in which each speaker has words of their own: Ann's begin with A.
    private static func conversation(_ random: inout SplitMix64) -> Transcript {
        var segments: [SpeechResult] = []
        for name in ["Ann", "Bob"] {
            var (time, number) = (Int(random.next() % 3_000), 0)
            for _ in 0..<12 {
                let words = (0..<Int(random.next() % 20 + 1)).map { _ in
                    number += 1
                    let start = time
                    time += Int(random.next() % 300) + 150
                    return SpeechResult.Word(
                        "\(name.prefix(1))\(number)", range: .milliseconds(start)..<(.milliseconds(time)))
                }
                let (start, end) = (words[0].range?.lowerBound ?? .zero, Duration.milliseconds(time))
                segments.append(
                    SpeechResult(
                        range: start..<end, text: words.map(\.text).joined(separator: " "), words: words, speaker: name)
                )
                time += Int(random.next() % 6_000)
            }
        }
        segments.sort { $0.range.lowerBound < $1.range.lowerBound }
        return Transcript(segments: segments, duration: segments.map(\.range.upperBound).max() ?? .zero)
    }

    @Test func whatTwoPeopleSayAtOnceCanBothBeRead() throws {
        let said = ["yes I think so", "no I do not"].enumerated().map { index, text in
            SpeechResult(range: .zero..<(.seconds(2)), text: text, speaker: "Speaker \(index + 1)")
        }
        for format in Player.Format.allCases {
            let document = format.writer().document(Transcript(segments: said, duration: .seconds(2)))
            let captions = try Player.captions(document, format)
            #expect(captions.count == 2)
            #expect(captions.allSatisfy { $0.end - $0.start >= 900 }, "\(document)")
        }
    }

    @Test(arguments: 10..<22 as Range<UInt64>) func captionsOfAConversationAreInOrderReadableAndNamed(seed: UInt64)
        throws
    {
        var random = SplitMix64(seed: seed)
        let transcript = Self.conversation(&random)
        for format in Player.Format.allCases {
            let document = format.writer().document(transcript)
            let captions = try Player.captions(document, format)
            var shown: [String: [String]] = [:]
            var name = ""
            for (caption, block) in zip(captions, document.split(separator: "\n\n").suffix(captions.count)) {
                var text = caption.text.replacing("\n", with: " ")
                if format == .vtt { name = block.contains("<v Ann>") ? "Ann" : "Bob" }
                for other in ["Ann", "Bob"] where text.hasPrefix(other + ": ") {
                    name = other
                    text = String(text.dropFirst(5))
                }
                let words = text.split(separator: " ").map(String.init)
                #expect(words.allSatisfy { $0.hasPrefix(name.prefix(1)) }, "\(name) says \(text)")
                #expect(caption.text.split(separator: "\n").count <= 2)
                #expect(caption.end - caption.start >= 70, "\(text)")
                shown[name, default: []] += words
            }
            for name in ["Ann", "Bob"] {
                let said = transcript.segments.filter { $0.speaker == name }.flatMap { $0.words.map(\.text) }
                #expect(shown[name] == said, "\(document)")
            }
        }
    }

    /// A caption appears when its words are said, or soon after if someone else speaks.
    @Test(arguments: 10..<22 as Range<UInt64>) func captionsAppearWithTheirWords(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let transcript = Self.conversation(&random)
        let starts = Dictionary(
            uniqueKeysWithValues: transcript.words.compactMap { word in
                word.range.map { (word.text, $0.lowerBound / .milliseconds(1)) }
            })
        for caption in try Player.captions(VTTWriter().document(transcript), .vtt) {
            let word = caption.text.split(whereSeparator: \.isWhitespace).first.map(String.init) ?? ""
            let late = Double(caption.start) - (starts[word] ?? 0)
            #expect(late > -2 && late < 7_000, "\(caption)")
        }
    }
}
