import DictationCore
import Foundation

@testable import DictationText

/// Transcripts whose captions are in files beside the tests, as players open them.
enum GoldenTranscript: String, CaseIterable {
    /// A reading voice, with the time of each word.
    case talk
    /// Two people who also talk at once.
    case call
    /// A microphone that was unplugged in the middle of a phrase.
    case unplugged
    /// Text that formats could take for something else, in several scripts, after the first hour.
    case marks

    var transcript: Transcript {
        switch self {
        case .talk: Transcript(segments: [Self.spoken(Self.novel, from: .milliseconds(400))], duration: .seconds(33))
        case .call:
            Transcript(
                segments: [
                    Self.spoken("Good morning. Is this the right number for the library?", from: .zero, by: "Anna"),
                    Self.spoken("It is. What can I do for you?", from: .milliseconds(3_300), by: "Bert"),
                    Self.spoken(
                        "I would like to keep a book for two more weeks.", from: .milliseconds(4_900), by: "Anna"),
                ], duration: .seconds(9))
        case .unplugged:
            Transcript(
                segments: [
                    Self.spoken(
                        "We came to the end of the first part and then we went on with the second.", from: .zero,
                        without: .milliseconds(1_900)..<(.milliseconds(2_600)))
                ],
                gaps: [
                    AudioGap(
                        range: .milliseconds(1_900)..<(.milliseconds(2_600)), frameCount: 11_200, cause: .unplugged)
                ], duration: .seconds(6))
        case .marks:
            Transcript(
                segments: [
                    Self.spoken("a < b && b > c --> \"a\" <i>and</i> {\\an8} more &amp; more", from: .seconds(3_599)),
                    SpeechResult(range: .seconds(3_604)..<(.seconds(3_608)), text: "我们今天讨论语音识别的结果，然后再谈谈别的事情。"),
                    SpeechResult(
                        range: .seconds(3_609)..<(.seconds(3_612)), text: "Élan, naïve café — « Ça va ? » 🎤 مرحبا"),
                ], duration: .seconds(3_615))
        }
    }

    /// Returns the file with the captions.
    func file(_ format: Player.Format) -> URL {
        URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Golden/\(rawValue).\(format)")
    }

    private static let novel = """
        Mr. Dashwood had been at leisure to consider how much there might be prudently in his power to do for them. He \
        was not an ill disposed young man, unless to be rather cold hearted, and rather selfish, is to be ill \
        disposed: but he was, in general, well respected; for he conducted himself with propriety in the discharge \
        of his ordinary duties. Had he married a more amiable woman, he might have been made still more respectable \
        than he was.
        """

    /// Says a text, with a time for each letter and a pause after each mark. Nothing is said in lost audio.
    private static func spoken(
        _ text: String, from start: Duration, without lost: Range<Duration>? = nil, by speaker: String? = nil
    ) -> SpeechResult {
        var time = start
        let words = text.split(separator: " ").map { word in
            var end = time + .milliseconds(60 * (word.count + 1))
            if let lost, end > lost.lowerBound, time < lost.upperBound {
                time = lost.upperBound
                end = time + .milliseconds(60 * (word.count + 1))
            }
            defer { time = end + (word.last?.isPunctuation == true ? .milliseconds(250) : .zero) }
            return SpeechResult.Word(String(word), range: time..<end)
        }
        return SpeechResult(
            range: start..<(words.last?.range?.upperBound ?? start), text: text, words: words, speaker: speaker)
    }
}
