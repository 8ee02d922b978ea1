import DictationCore
import DictationTesting
import Foundation
import TestSupport
import Testing

@testable import DictationText

/// A document does not depend on how its results came, whatever they contain.
@Suite struct HostileWriterTests {
    static let seeds = RandomRuns.seeds(30)
    private static let silences = ["", " ", "\n\t", "\u{2028}"]

    @Test(arguments: TranscriptWriterTests.writers.indices, seeds)
    func anySplitMakesTheSameDocument(_ index: Int, seed: UInt64) {
        var hostile = HostileDocument(
            random: SplitMix64(seed: seed), isDisorderly: seed % 3 == 0, hasSpeakers: seed % 2 == 0)
        for _ in 0..<8 {
            let transcript = hostile.transcript()
            let source = TranscriptSource(name: hostile.text(), engine: hostile.text(), model: hostile.text())
            let whole = TranscriptWriterTests.writers[index].document(transcript, from: source)
            for count in 0...transcript.segments.count {
                var writer = TranscriptWriterTests.writers[index]
                var text = writer.begin(source)
                for segment in transcript.segments.prefix(count) {
                    let silence = Self.silences.randomElement(using: &hostile.random) ?? ""
                    text += writer.write(SpeechResult(range: segment.range, text: silence))
                    text += writer.write(segment)
                }
                text +=
                    Bool.random(using: &hostile.random)
                    ? writer.finish(transcript) : writer.end(transcript) + writer.finish()
                #expect(text == whole, "seed \(seed), \(count) of \(transcript.segments.count)")
            }
        }
    }

    /// `begin(_:)` is optional for a single recording without a name.
    @Test(arguments: TranscriptWriterTests.writers.indices, seeds)
    func aRecordingWithoutANameNeedsNoBeginning(_ index: Int, seed: UInt64) {
        var hostile = HostileDocument(random: SplitMix64(seed: seed))
        let transcript = hostile.transcript()
        var begun = TranscriptWriterTests.writers[index]
        var written = TranscriptWriterTests.writers[index]
        var (one, other) = (begun.begin(TranscriptSource()), "")
        for segment in transcript.segments {
            (one, other) = (one + begun.write(segment), other + written.write(segment))
        }
        #expect(one + begun.finish(transcript) == other + written.finish(transcript), "seed \(seed)")
    }

    @Test(arguments: TranscriptWriterTests.writers.indices, seeds)
    func recordingsWrittenBitByBitOrAtOnceAreTheSame(_ index: Int, seed: UInt64) {
        var hostile = HostileDocument(random: SplitMix64(seed: seed), isDisorderly: seed % 3 == 0)
        let recordings = (0..<4).map { number in (TranscriptSource(name: "r\(number)"), hostile.transcript(upTo: 4)) }
        var (bits, whole) = (TranscriptWriterTests.writers[index], TranscriptWriterTests.writers[index])
        var (one, other) = ("", "")
        for (source, transcript) in recordings {
            other += whole.begin(source) + whole.end(transcript)
            one += bits.begin(source)
            for segment in transcript.segments { one += bits.write(segment) }
            one += bits.end(transcript)
        }
        #expect(one + bits.finish() == other + whole.finish(), "seed \(seed)")
    }

    /// A document of a writer in use is a new one, and does not change the writer.
    @Test(arguments: TranscriptWriterTests.writers.indices) func aDocumentLeavesItsWriterAlone(_ index: Int) {
        let transcript = Transcript(segments: [.spoken("one", 0...2), .spoken("two", 2...3)], duration: .seconds(3))
        var writer = TranscriptWriterTests.writers[index]
        var text = writer.write(transcript.segments[0])
        _ = writer.document(Transcript(segments: [.spoken("other", 0...9)]))
        text += writer.finish(transcript)
        #expect(text == TranscriptWriterTests.writers[index].document(transcript))
    }

    @Test(arguments: TranscriptWriterTests.writers.indices) func whiteSpaceIsNoText(_ index: Int) {
        let transcript = Transcript(segments: [.spoken(" \n", 0...1), .spoken("one", 1...2)], duration: .seconds(2))
        var writer = TranscriptWriterTests.writers[index]
        let text = writer.write(transcript.segments[0]) + writer.finish(transcript)
        let spoken = Transcript(segments: [transcript.segments[1]], duration: .seconds(2))
        #expect(Self.segments(text) == Self.segments(TranscriptWriterTests.writers[index].document(spoken)))
        #expect(text.contains("one"))
    }

    /// The document without the text of the whole transcript, which JSON adds at the end.
    private static func segments(_ document: String) -> String {
        document.components(separatedBy: #"],"duration""#)[0]
    }

    // MARK: JSON

    @Test(arguments: seeds) func anyTextIsInTheJSONToTheLetter(seed: UInt64) throws {
        var hostile = HostileDocument(random: SplitMix64(seed: seed), isDisorderly: seed % 2 == 0)
        for _ in 0..<15 {
            let (one, two) = (hostile.transcript(), hostile.transcript())
            let source = TranscriptSource(name: hostile.text(), engine: hostile.text(), model: hostile.text())
            var writer = JSONWriter()
            let text =
                writer.begin(source) + writer.end(one) + writer.begin(source) + writer.end(two) + writer.finish()
            let read = try Document(text)
            #expect(read.transcripts.count == 2, "seed \(seed)")
            for (transcript, read) in zip([one, two], read.transcripts) {
                let segments = transcript.segments.filter { $0.text.contains { !$0.isWhitespace } }
                #expect(read.segments.map(\.text) == segments.map(\.text), "seed \(seed)")
                #expect(read.text == transcript.text && read.source == source.name, "seed \(seed)")
                #expect(read.isComplete == transcript.isComplete)
                for (segment, read) in zip(segments, read.segments) {
                    #expect(
                        abs(max(.zero, segment.range.lowerBound) / .seconds(1) - read.start) <= 0.001, "seed \(seed)")
                    #expect(abs(max(.zero, segment.range.upperBound) / .seconds(1) - read.end) <= 0.001, "seed \(seed)")
                    #expect(read.start <= read.end, "seed \(seed)")
                }
            }
            #expect(text.split(separator: "\n").allSatisfy { $0.visible == $0 }, "seed \(seed)")
        }
    }

    @Test(arguments: [
        Duration(attoseconds: .max), Duration(attoseconds: .min), .seconds(Int64.max), .seconds(Int64.min),
        Duration(attoseconds: 1), .nanoseconds(-1),
    ])
    func anyTimeIsANumberInJSON(time: Duration) throws {
        let range = min(time, .seconds(1))..<max(time, .seconds(1))
        let word = SpeechResult.Word("a", range: range, confidence: .nan)
        let segment = SpeechResult(
            range: range, text: "a", words: [word], alternatives: [.init("b", confidence: -.infinity)])
        let gap = AudioGap(range: range, frameCount: .min, cause: .damaged)
        let transcript = Transcript(segments: [segment], gaps: [gap], duration: time)
        let read = try Document(JSONWriter().document(transcript))
        #expect(read.transcripts.first?.segments.map(\.text) == ["a"])
        #expect(read.transcripts.first?.segments.first?.words?.map(\.text) == ["a"])
    }

    @Test func tenThousandSegmentsAreOneDocument() throws {
        let segments = (0..<10_000).map { number in
            SpeechResult(
                range: .milliseconds(number * 100)..<(.milliseconds(number * 100 + 90)),
                text: "w\"\(number)\u{2028}\n-->")
        }
        let transcript = Transcript(segments: segments, duration: .seconds(1_000))
        var writer = JSONWriter()
        var text = ""
        for segment in segments { text += writer.write(segment) }
        text += writer.finish(transcript)
        #expect(try Document(text).transcripts[0].segments.map(\.text) == segments.map(\.text))
        #expect(text == JSONWriter().document(transcript))
        #expect(TextWriter().document(transcript).split(separator: "\n").count == 10_000)
        #expect(try Player.captions(SRTWriter().document(transcript), .srt).count == 10_000)
    }

    private struct Document: Decodable {
        struct Word: Decodable { var text: String }
        struct Segment: Decodable { var start: Double, end: Double, text: String, isComplete: Bool, words: [Word]? }
        struct Recording: Decodable {
            var source: String, text: String, duration: Double, isComplete: Bool, segments: [Segment]
        }
        var version: Int
        var transcripts: [Recording]

        init(_ text: String) throws { self = try JSONDecoder().decode(Document.self, from: Data(text.utf8)) }
    }
}
