import BenchSpeech
import DictationCore
import DictationText

/// Measures how long it takes to write the text of a long transcript, and of one live update.
enum TextSpeed {
    private static var processors: [any TextProcessor] {
        [
            WrittenVocabulary([.init("Siobhan"), .init("mac book", as: "MacBook")]), SpokenPunctuation(), SpokenUndo(),
            SpokenNumbers(), FillerRemoval(), PauseParagraphs(),
        ]
    }

    static func measure(runs: Int) -> [Measurement] {
        var all: [Measurement] = []
        for hours in [1, 10] {
            let transcript = transcript(hours: hours)
            all.append(
                Measurement(
                    name: "text: \(hours) h of speech through all processors", unit: "s CPU",
                    runs: (0..<runs).map { _ in seconds { _ = transcript.processed(by: processors) } }))
        }
        all.append(
            Measurement(name: "text: the slowest live update of an hour", unit: "ms CPU", runs: slowestUpdates(runs)))
        return all
    }

    /// Each update is a final result of ten words, or a preview with thirty volatile words.
    private static func slowestUpdates(_ runs: Int) -> [Double] {
        let segments = transcript(hours: 1).segments
        return (0..<runs).map { _ in
            var processing = TextProcessorChain(processors)
            var slowest = 0.0
            for index in segments.indices.dropLast(3) {
                slowest = max(slowest, seconds { _ = processing.preview(Array(segments[index...(index + 2)])) })
                slowest = max(slowest, seconds { _ = processing.add(segments[index]) })
            }
            return slowest * 1_000
        }
    }

    private static func seconds(_ body: () -> Void) -> Double {
        let start = processorSeconds()
        body()
        return processorSeconds() - start
    }

    /// A transcript with 150 words a minute, in results of ten words.
    private static func transcript(hours: Int) -> Transcript {
        let words = """
            well um the harbor bridge closes on may third twenty twenty four comma and repairs cost two million dollars \
            period they begin at nine thirty am new paragraph siobhan has a mac book and twenty five people wait for her \
            open quote soon close quote scratch that i think uh so period of time
            """.split(separator: " ").map(String.init)
        let count = hours * 9_000
        let segments = stride(from: 0, to: count, by: 10).map { first in
            let said = (first..<(first + 10)).map { index in
                let start = Duration.milliseconds(400 * index)
                return SpeechResult.Word(
                    words[index % words.count], range: start..<(start + .milliseconds(350)), confidence: 0.9)
            }
            let range = Duration.milliseconds(400 * first)..<(.milliseconds(400 * (first + 10)))
            return SpeechResult(range: range, text: said.map(\.text).joined(separator: " "), words: said)
        }
        return Transcript(segments: segments, duration: .seconds(hours * 3_600))
    }
}
