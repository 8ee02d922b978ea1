import DictationCore
import DictationText
import Foundation
import Testing

@Suite struct ParagraphTests {
    private static func said(_ text: String, _ start: Int, by speaker: String? = nil) -> SpeechResult {
        SpeechResult(range: .seconds(start)..<(.seconds(start + 1)), text: text, speaker: speaker)
    }

    private static let talk = Transcript(
        segments: [
            said("\n\nGood morning.", 0, by: "Anna"), said("\nHow are you?", 1, by: "Anna"),
            said("Well.", 2, by: "Anna"),
            said("Fine.", 3, by: "Bert"), said("\n\nAnd now?", 4, by: "Bert"), said("Someone coughs.", 5),
        ],
        duration: .seconds(6))

    @Test func aParagraphEndsAtAnEmptyLineAndAtAnotherSpeaker() {
        let paragraphs = Self.talk.paragraphs
        #expect(paragraphs.map(\.speaker) == ["Anna", "Bert", "Bert", nil])
        #expect(
            paragraphs.map { $0.text(in: "en-US") } == [
                "Good morning.\nHow are you? Well.", "Fine.", "And now?", "Someone coughs.",
            ])
        #expect(paragraphs.first?.range == .seconds(0)..<(.seconds(3)))
        #expect(TranscriptParagraph(segments: []).range == nil)
        #expect(Transcript(segments: [Self.said(" \n", 0)]).paragraphs.isEmpty)
    }

    /// A name is one line, and a name of spaces is none.
    @Test(
        arguments: [("Anna\nB.", "Anna B."), (" \t", nil), ("", nil), ("A\u{202E}nna", "A nna")] as [(String, String?)])
    func aNameIsOneLine(name: String, shown: String?) {
        let transcript = Transcript(segments: [Self.said("Yes.", 0, by: name)])
        #expect(transcript.paragraphs.map(\.speaker) == [shown])
        let start = shown.map { $0 + ": " } ?? ""
        #expect(TextWriter().document(transcript) == "\(start)Yes.\n")
    }

    @Test func textHasParagraphsAndNames() {
        #expect(
            TextWriter().document(Self.talk) == """
                Anna: Good morning.
                How are you?
                Well.

                Bert: Fine.

                And now?

                Someone coughs.

                """)
    }

    @Test func captionsNameTheSpeaker() {
        let lines = SRTWriter().document(Self.talk).split(separator: "\n")
        let texts = lines.filter { $0.contains { $0.isLetter } }
        #expect(
            texts == ["Anna: Good morning.", "How are you?", "Well.", "Bert: Fine.", "And now?", "Someone coughs."])
        let voices = VTTWriter().document(Self.talk).split(separator: "\n").filter { $0.hasPrefix("<v ") }
        #expect(
            voices == [
                "<v Anna>Good morning.", "<v Anna>How are you?", "<v Anna>Well.", "<v Bert>Fine.", "<v Bert>And now?",
            ])
    }

    @Test func aNameIsNoMarkup() {
        let talk = Transcript(segments: [Self.said("Yes.", 0, by: "<b>&\n--> \u{202E}Eve")])
        #expect(VTTWriter().document(talk).contains("<v &lt;b&gt;&amp; --&gt; Eve>Yes."))
        #expect(SRTWriter().document(talk).contains("<\u{2060}b>& --\u{2060}> Eve: Yes."))
        let dashes = Transcript(segments: [Self.said("Yes.", 0, by: "--")])
        #expect(VTTWriter().document(dashes).hasSuffix("\n<v -- >Yes.\n\n"))
    }

    @Test func jsonHasSpeakersAndParagraphs() {
        let segments = JSONWriter().document(Self.talk).split(separator: "\n").filter { $0.contains("\"words\"") }
        #expect(segments.map { $0.contains(#""startsParagraph":true"#) } == [false, false, false, true, true, true])
        #expect(segments.map { $0.contains(#""speaker":"Anna""#) } == [true, true, true, false, false, false])
        #expect(segments[0].contains(#""text":"\n\nGood morning.""#))
    }

    @Test func aPageHasSpeakersAndParagraphs() {
        let page = HTMLWriter().document(Self.talk)
        #expect(page.components(separatedBy: "<p dir=\"auto\">").count == 5)
        #expect(page.components(separatedBy: "<b><bdi>").count == 3)
        #expect(page.contains("Good morning.</span><br /><span data-t=\"1 2\">How are you?"))
    }

    @Test(arguments: [TextWriter(), SRTWriter(), HTMLWriter()] as [any TranscriptWriter])
    func theNextRecordingNamesItsSpeakerAgain(_ writer: any TranscriptWriter) {
        var writer = writer
        let one = Transcript(segments: [Self.said("Yes.", 0, by: "Anna")], duration: .seconds(1))
        let text = writer.end(one) + writer.end(one) + writer.finish()
        #expect(text.components(separatedBy: "Anna").count == 3)
    }
}
