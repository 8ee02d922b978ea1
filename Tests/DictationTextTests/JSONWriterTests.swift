import DictationCore
import DictationText
import Foundation
import Testing

@Suite struct JSONWriterTests {
    /// All that a transcript can hold is in the document, to the letter.
    @Test func everyNameThatIsDocumentedIsThere() {
        let word = SpeechResult.Word("go", range: .seconds(1)..<(.seconds(2)), confidence: 0.25)
        var segment = SpeechResult(range: .seconds(1)..<(.seconds(2)), text: "go", words: [word])
        segment.alternatives = [.init("no", confidence: 0.5)]
        (segment.isComplete, segment.isDoubtful) = (false, true)
        let transcript = Transcript(
            segments: [segment],
            gaps: [AudioGap(range: .seconds(2)..<(.seconds(3)), frameCount: 16_000, cause: .overrun)],
            duration: .seconds(3), locale: "de-AT",
            error: DictationError(.engineFailed, "It broke.", recovery: "Mend it."), isComplete: false)
        let source = TranscriptSource(name: "a.wav", engine: "pocketsphinx", model: "de")
        let text = JSONWriter().document(transcript, from: source)
        #expect(
            text == """
                {"version":1,"transcripts":[
                {"segments":[\
                {"alternatives":[{"confidence":0.5,"text":"no"}],"end":2,"isComplete":false,"isDoubtful":true,"start":1,"text":"go",\
                "words":[{"confidence":0.25,"end":2,"start":1,"text":"go"}]}],\
                "duration":3,"engine":"pocketsphinx",\
                "error":{"code":"engineFailed","message":"It broke.","recovery":"Mend it."},\
                "gaps":[{"cause":"overrun","end":3,"frames":16000,"start":2}],\
                "isComplete":false,"locale":"de-AT","model":"de","source":"a.wav","text":"go"}
                ]}

                """)
    }

    @Test func aSegmentIsWrittenAtOnce() {
        var writer = JSONWriter()
        let segment = SpeechResult(range: .seconds(1)..<(.seconds(2)), text: "go")
        let before = writer.begin(TranscriptSource()) + writer.write(segment)
        #expect(before.contains(#""text":"go""#))
        let whole = before + writer.finish(Transcript(segments: [segment]))
        #expect(whole == JSONWriter().document(Transcript(segments: [segment]), from: TranscriptSource()))
    }

    @Test func aDocumentCanBeShownOnATerminal() throws {
        let text = "a\u{1B}b\u{9B}c\u{202E}d\u{2028}e"
        let json = JSONWriter.encode([text])
        #expect(json.visible == json)
        #expect(try JSONDecoder().decode([String].self, from: Data(json.utf8)) == [text])
    }
}
