import DictationCore
import DictationTesting
import Foundation
import Testing

@testable import DictationText

#if canImport(FoundationXML)
import FoundationXML
#endif

/// Pages as text; the proofs open them in a browser.
@Suite struct HTMLWriterTests {
    private static func digest(_ text: String) throws -> String {
        let file = FileManager.default.temporaryDirectory.appending(path: "dictation-\(UUID().uuidString)")
        try Data(text.utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let (process, output) = (Process(), Pipe())
        process.executableURL = URL(filePath: "/usr/bin/sha256sum")
        process.arguments = [file.path]
        process.standardOutput = output
        try process.run()
        let digits = Array(
            String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self).prefix(64))
        process.waitUntilExit()
        let bytes = stride(from: 0, to: digits.count, by: 2).compactMap {
            UInt8(String(digits[$0..<$0 + 2]), radix: 16)
        }
        return "sha256-" + Data(bytes).base64EncodedString()
    }

    @Test func thePolicyNamesTheScriptAndTheStyleOfThePage() throws {
        #expect(try Self.digest(Page.script) == Page.scriptHash)
        #expect(try Self.digest(Page.style) == Page.styleHash)
        #expect(Page.policy.contains("'\(Page.scriptHash)'") && Page.policy.contains("'\(Page.styleHash)'"))
        #expect(!Page.policy.contains("unsafe") && !Page.policy.contains("http"))
    }

    @Test func aPageIsSmall() {
        let source = TranscriptSource(name: "talk.flac", audio: .file("talk.flac"))
        let empty = HTMLWriter().document(Transcript(), from: source).utf8.count
        #expect(empty < 20_000)
        let words = (0..<500).map { number in
            SpeechResult.Word("word", range: .milliseconds(number * 400)..<(.milliseconds(number * 400 + 390)))
        }
        let spoken = SpeechResult(
            range: .zero..<(.seconds(200)), text: words.map(\.text).joined(separator: " "), words: words)
        let page = HTMLWriter().document(Transcript(segments: [spoken]), from: source).utf8.count
        #expect(page < 40_000, "three minutes of speech")
    }

    @Test func wordsKnowTheirTimesAndDoubts() {
        let words = [
            SpeechResult.Word("Go", range: .milliseconds(1_250)..<(.seconds(2)), confidence: 0.9),
            SpeechResult.Word("on", range: .seconds(2)..<(.milliseconds(2_005)), confidence: 0.05),
        ]
        let result = SpeechResult(range: .seconds(1)..<(.seconds(3)), text: "Go on!", words: words, speaker: "Anna")
        let page = HTMLWriter().document(Transcript(segments: [result], duration: .seconds(3_675)))
        #expect(page.contains("<p dir=\"auto\"><span class=\"time\">0:01</span> <b><bdi>Anna</bdi>:</b> "))
        #expect(page.contains("<span data-t=\"1.25 2\">Go</span> "))
        #expect(page.contains("<span data-t=\"2 2.005\" class=\"low\" title=\"5 % sure\">on!</span>"))
        #expect(page.contains("<li>Duration 1:01:15.</li>") && page.contains("Underlined with dots"))
        #expect(!HTMLWriter(lowConfidence: 0).document(Transcript(segments: [result])).contains("class=\"low\""))
    }

    /// A page has times to jump to, even if nothing processed its text.
    @Test func aTextWithoutParagraphsGetsSome() {
        func starts(_ times: [Double], _ text: String = "word") -> [String] {
            let segments = times.map { SpeechResult.spoken(text, $0...($0 + 4)) }
            let paragraphs = HTMLWriter().document(Transcript(segments: segments)).components(
                separatedBy: "class=\"time\">")
            return paragraphs.dropFirst().map { String($0.prefix { $0 != "<" }) }
        }
        #expect(starts([0, 5, 10, 15, 20, 25, 30, 35, 61]) == ["0:00", "0:30", "1:01"])
        #expect(starts([0, 5, 11, 16]) == ["0:00", "0:11"])
        #expect(starts([0, 5, 11, 60], "\nword") == ["0:00", "0:11", "1:00"])
    }

    /// Engines that write well return a minute at once.
    @Test func aLongResultGetsParagraphsToo() {
        let marks = [20: "word.", 61: "Mr.", 63: "word,", 65: "word.”"]
        let words = (0..<80).map { index in
            let start = Duration.milliseconds(index * 500 + (index < 75 ? 0 : 2_500))
            return SpeechResult.Word(marks[index] ?? "word", range: start..<start + .milliseconds(500))
        }
        let text = words.map(\.text).joined(separator: " ")
        let result = SpeechResult(range: .zero..<(.seconds(43)), text: text, words: words)
        let page = HTMLWriter().document(Transcript(segments: [result]))
        let paragraphs = page.components(separatedBy: "class=\"time\">").dropFirst()
        #expect(paragraphs.map { String($0.prefix { $0 != "<" }) } == ["0:00", "0:33", "0:40"])
    }

    /// The paragraphs of a text are the paragraphs of its page.
    @Test func aTextKeepsItsParagraphs() {
        let texts = [(0.0, "\n\none"), (9, "two"), (50, "three"), (55, "\n\nfour")]
        let segments = texts.map { SpeechResult.spoken($1, $0...($0 + 1)) }
        let page = HTMLWriter().document(Transcript(segments: segments))
        #expect(page.components(separatedBy: "<p dir").count - 1 == Transcript(segments: segments).paragraphs.count)
    }

    @Test func aPageHasItsTitleAndSummary() {
        var source = TranscriptSource(name: "a/talk.wav")
        source.title = TranscriptDigest("On <type>", origin: .extractive)
        source.summary = TranscriptDigest("It is\u{202E}old.", origin: .model)
        let page = HTMLWriter().document(Transcript(), from: source)
        #expect(page.contains("<title>On &lt;type&gt;</title>") && page.contains("<h1>On &lt;type&gt;</h1>"))
        #expect(page.contains("<p class=\"summary\" dir=\"auto\">It is old.</p>"))
        for line in [
            "The recording is “talk.wav”.", "The title is taken from the text.", "The summary is by a language model.",
        ] { #expect(page.contains("<li>\(line)</li>")) }
        source.title?.text = " "
        #expect(HTMLWriter().document(Transcript(), from: source).contains("<h1>talk.wav</h1>"))
        #expect(!HTMLWriter().document(Transcript()).contains("class=\"summary\""))
    }

    @Test func aPageSaysWhatIsMissing() {
        let transcript = Transcript(
            segments: [.spoken("one", 0...1)],
            gaps: [AudioGap(range: .seconds(61)..<(.seconds(62)), frameCount: 1, cause: .damaged)],
            error: DictationError(.engineFailed, "It <broke>."), isComplete: false)
        let page = HTMLWriter().document(transcript)
        #expect(page.contains("Audio without text: 1:01.0–1:02.0 (its file is damaged)."))
        #expect(page.contains("The text ends early: It &lt;broke&gt;."))
        #expect(!page.contains("Underlined"))
        #expect(HTMLWriter().document(Transcript(isComplete: false)).contains("The engine did not finish all audio"))
    }

    @Test func aPageDoesNotTellTheFoldersOfItsRecording() {
        let page = HTMLWriter().document(Transcript(), from: TranscriptSource(name: "/home/anna/secret/talk.wav"))
        #expect(page.contains("<title>talk.wav</title>") && !page.contains("anna"))
    }

    @Test(arguments: [
        ("talk.wav", "talk.wav"), ("a b/ü.wav", "a%20b/%C3%BC.wav"),
        ("javascript:alert(1)", "javascript%3Aalert%281%29"),
        ("//example.org/a.wav", "/example.org/a.wav"), ("../a?b#c%.wav", "../a%3Fb%23c%25.wav"),
        ("a\"onerror=x", "a%22onerror%3Dx"), ("http://example.org", "http%3A//example.org"),
    ])
    func anAddressNamesAFileBesideThePage(path: String, address: String) {
        #expect(HTMLWriter.Audio.file(path).address == address)
    }

    @Test(arguments: [
        ("a.WAV", "audio/wav"), ("talk.m4a", "audio/mp4"), ("x.tar.opus", "audio/ogg"),
        ("noending", "application/octet-stream"),
        ("a.flac\u{301}", "application/octet-stream"),
    ])
    func theEndingSaysTheMediaType(name: String, type: String) {
        #expect(HTMLWriter.Audio.mediaType(ofFileNamed: name) == type)
    }

    // MARK: Hostile text

    /// What is left of a page without its constant script and style.
    private static func parsed(_ page: String) throws -> PageReader {
        let bare = page.replacingOccurrences(of: Page.script, with: "").replacingOccurrences(of: Page.style, with: "")
        let (reader, parser) = (PageReader(), XMLParser(data: Data(bare.utf8)))
        parser.delegate = reader
        guard parser.parse() else {
            throw DictationError(.invalidInput, "\(parser.parserError.map { "\($0)" } ?? "")")
        }
        return reader
    }

    @Test(arguments: 1...30 as ClosedRange<UInt64>)
    func nothingInATranscriptIsMarkup(seed: UInt64) throws {
        var hostile = HostileDocument(
            random: SplitMix64(seed: seed), isDisorderly: seed % 3 == 0, hasSpeakers: true)
        let tags: Set = [
            "html", "head", "meta", "title", "style", "body", "header", "h1", "h2", "div", "input", "output", "details",
            "summary", "dl", "dt", "dd", "kbd", "p", "main", "section", "audio", "a", "b", "bdi", "span", "br", "ul",
            "li",
            "script",
        ]
        for _ in 0..<8 {
            var transcript = hostile.transcript()
            transcript.error = DictationError(.engineFailed, hostile.text())
            let source = TranscriptSource(
                name: hostile.text(), engine: hostile.text(), model: hostile.text(),
                locale: SpeechLocale(hostile.text()),
                audio: Bool.random(using: &hostile.random)
                    ? .file(hostile.text()) : .embedded(Data("x".utf8), type: hostile.text()))
            let reader = try Self.parsed(HTMLWriter().document(transcript, from: source))
            #expect(reader.tags.isSubset(of: tags), "seed \(seed): \(reader.tags.subtracting(tags))")
            #expect(reader.scripts == 1)
            #expect(reader.attributes.isDisjoint(with: ["onerror", "onclick", "style"]))
            let said = transcript.segments.map { segment in
                (TimedPiece.pieces(of: segment) ?? [TimedPiece(text: segment.text, range: segment.range)])
                    .map(\.text).joined()
            }.joined()
            #expect(Self.letters(reader.words) == Self.letters(said), "seed \(seed)")
        }
    }

    private static func letters(_ text: String) -> [UInt32] {
        text.unicodeScalars.filter { scalar in
            !scalar.properties.isWhitespace && !scalar.properties.isNoncharacterCodePoint && scalar != "\u{FFFD}"
                && ![.control, .format].contains(scalar.properties.generalCategory)
        }.map(\.value)
    }
}

/// Reads a page as XML, which is stricter than HTML.
private final class PageReader: NSObject, XMLParserDelegate {
    var tags: Set<String> = []
    var attributes: Set<String> = []
    var scripts = 0
    var words = ""
    private var isInWord = false

    func parser(
        _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
        attributes values: [String: String]
    ) {
        tags.insert(name)
        attributes.formUnion(values.keys)
        if name == "script" { scripts += 1 }
        isInWord = values["data-t"] != nil
    }

    func parser(_ parser: XMLParser, didEndElement name: String, namespaceURI: String?, qualifiedName: String?) {
        isInWord = false
    }

    func parser(_ parser: XMLParser, foundCharacters text: String) { if isInWord { words += text } }
}
