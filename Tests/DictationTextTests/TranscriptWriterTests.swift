import DictationCore
import DictationText
import Testing

@Suite struct TranscriptWriterTests {
    static let writers: [any TranscriptWriter] = [
        TextWriter(), TextWriter(showsWords: true, showsSources: true), JSONWriter(), SRTWriter(), VTTWriter(),
        HTMLWriter(),
    ]

    private let transcript = Transcript(
        segments: [.spoken("one two", 0...2), .spoken("three", 2.5...3), .spoken("four", 9...10)],
        gaps: [AudioGap(range: .seconds(4)..<(.seconds(5)), frameCount: 16_000, cause: .overrun)],
        duration: .seconds(11), isComplete: false)

    @Test(arguments: writers.indices)
    func howResultsArriveDoesNotChangeTheDocument(_ index: Int) {
        let source = TranscriptSource(name: "a.wav", engine: "e", model: "m")
        let whole = Self.writers[index].document(transcript, from: source)
        for count in 0...transcript.segments.count {
            var writer = Self.writers[index]
            var text = writer.begin(source)
            for segment in transcript.segments.prefix(count) { text += writer.write(segment) }
            text += writer.finish(transcript)
            #expect(text == whole)
        }
        #expect(["one", "two", "three", "four"].allSatisfy(whole.contains))
    }

    @Test func plainTextEndsWithWhatIsMissing() {
        #expect(
            TextWriter().document(transcript)
                == "one two\nthree\nfour\n\n[Audio without text: 0:04.0–0:05.0 (the program was too slow to record it).]\n"
        )
        #expect(
            TextWriter().document(Transcript(isComplete: false))
                == "[The engine did not finish all audio, so words may be missing.]\n")
        #expect(TextWriter(showsLoss: false).document(transcript) == "one two\nthree\nfour\n")
    }

    /// Text that was returned stays true: each call only appends.
    @Test(arguments: writers.indices)
    func silenceIsNotWritten(_ index: Int) {
        var writer = Self.writers[index]
        var text = writer.begin(TranscriptSource(name: "a.wav"))
        let silence = SpeechResult(range: .zero..<(.seconds(1)), text: "")
        for segment in transcript.segments {
            text += writer.write(silence) + writer.write(segment)
        }
        text += writer.finish(transcript)
        #expect(text == Self.writers[index].document(transcript, from: TranscriptSource(name: "a.wav")))
    }

    @Test func textAppearsWithItsResult() {
        var text = TextWriter()
        #expect(text.write(transcript.segments[0]) == "one two\n")
        var srt = SRTWriter()
        #expect(srt.write(transcript.segments[0]) == "")
        #expect(srt.write(transcript.segments[1]) == "1\n00:00:00,000 --> 00:00:02,000\none two\n\n")
    }

    @Test func anEmptyTranscriptIsAValidDocument() {
        #expect(TextWriter().document(Transcript()) == "")
        #expect(SRTWriter().document(Transcript()) == "")
        #expect(VTTWriter().document(Transcript()) == "WEBVTT\n\n")
        #expect(
            JSONWriter().document(Transcript()) == """
                {"version":1,"transcripts":[
                {"segments":[],"duration":0,"engine":"","gaps":[],"isComplete":true,"locale":"en-US","source":"","text":""}
                ]}

                """)
        var none = JSONWriter()
        #expect(none.finish() == "{\"version\":1,\"transcripts\":[\n\n]}\n")
    }

    @Test func recordingsFollowEachOtherInOneDocument() {
        let first = Transcript(segments: [.spoken("one", 0...2)], duration: .seconds(2))
        let second = Transcript(segments: [.spoken("two", 1...3)], duration: .seconds(4))
        func document(_ writer: some TranscriptWriter) -> String {
            var writer = writer
            return [("a", first), ("b", second)].map { name, transcript in
                writer.begin(TranscriptSource(name: name)) + writer.end(transcript)
            }.joined() + writer.finish()
        }
        #expect(document(TextWriter(showsSources: true)) == "==> a <==\none\n\n==> b <==\ntwo\n")
        #expect(document(TextWriter()) == "one\ntwo\n")
        #expect(
            document(SRTWriter())
                == "1\n00:00:00,000 --> 00:00:02,000\none\n\n2\n00:00:03,000 --> 00:00:05,000\ntwo\n\n")
        #expect(
            document(VTTWriter())
                == "WEBVTT\n\n00:00:00.000 --> 00:00:02.000\none\n\n00:00:03.000 --> 00:00:05.000\ntwo\n\n")
        let lines = document(JSONWriter()).split(separator: "\n")
        #expect(lines.count == 4)
        #expect(lines[1].hasSuffix(#""source":"a","text":"one"},"#))
        #expect(lines[2].hasSuffix(#""source":"b","text":"two"}"#))
    }

    @Test func aCaptionThatStaysDoesNotReachIntoTheNextRecording() {
        let first = Transcript(segments: [.spoken("one", 1...1.1)], duration: .seconds(1.2))
        let second = Transcript(segments: [.spoken("two", 0...2)], duration: .seconds(2))
        var writer = SRTWriter()
        let text = writer.end(first) + writer.end(second) + writer.finish()
        #expect(
            text == "1\n00:00:01,000 --> 00:00:02,000\none\n\n2\n00:00:02,000 --> 00:00:03,200\ntwo\n\n")
    }

    @Test func wordsAndAlternativesFollowTheirLine() {
        var segment = SpeechResult.spoken("go on", 0...2)
        segment.words = [
            .init("go", range: .seconds(0)..<(.milliseconds(1_250)), confidence: 0.876), .init("on"),
        ]
        segment.alternatives = [.init("go now", confidence: 0.5), .init("no")]
        #expect(
            TextWriter(showsWords: true).document(Transcript(segments: [segment]))
                == "go on\n\t~ go now\t0.5\n\t~ no\n\t0.000\t1.250\tgo\t0.88\n\t\t\ton\n")
        #expect(TextWriter().document(Transcript(segments: [segment])) == "go on\n\t~ go now\t0.5\n\t~ no\n")
    }

    @Test(arguments: [TextWriter(showsWords: true), SRTWriter(), VTTWriter(), JSONWriter()] as [any TranscriptWriter])
    func noDocumentCommandsATerminal(_ writer: any TranscriptWriter) {
        var segment = SpeechResult.spoken("a\u{1B}[2Jb\u{9B}c\u{2028}d\u{202E}e", 0...2)
        segment.words = [.init("a\u{1B}[2Jb", range: .zero..<(.seconds(1)))]
        let text = writer.document(Transcript(segments: [segment]))
        #expect(text.filter { $0 != "\n" && $0 != "\t" }.allSatisfy { String($0).visible == String($0) })
    }

    /// Times that no recording has.
    @Test(arguments: writers.indices, [Duration.seconds(Int64.max), .seconds(Int64.min), .zero - .nanoseconds(1)])
    func anyTimeCanBeWritten(_ index: Int, _ time: Duration) {
        let range = min(time, .seconds(1))..<max(time, .seconds(1))
        let words = String(repeating: "word ", count: 500)
        let segment = SpeechResult(
            range: range, text: words, words: [.init("word", range: range)])
        let transcript = Transcript(
            segments: [SpeechResult(range: range, text: words), segment], duration: time)
        var writer = Self.writers[index]
        let text = (0..<3).map { _ in writer.begin(TranscriptSource()) + writer.end(transcript) }.joined()
        #expect(text.contains("word"))
    }
}

extension SpeechResult {
    /// A final result without words.
    static func spoken(_ text: String, _ range: ClosedRange<Double>) -> SpeechResult {
        SpeechResult(range: .seconds(range.lowerBound)..<(.seconds(range.upperBound)), text: text)
    }
}
