import DictationCore
import Testing

@testable import DictationText

/// Numbers that no caller means, and that end no process.
@Suite struct SurfaceLimitTests {
    private static let numbers = [Int.min, -1, 0, 1, 2, .max]
    private let transcript = Transcript(segments: [
        .spoken("One two three. Four five six, seven. Eight!", 0...4), .spoken("\n\n👩‍👩‍👧 e\u{301} 你好。 بعد", 4...6),
    ])

    @Test(arguments: numbers) func titlesAndSummariesHaveAnyLength(_ number: Int) {
        #expect(transcript.title(length: number).text.count <= max(0, number))
        #expect(transcript.summary(sentences: number).text.count <= 600)
        #expect(transcript.summary(sentences: number, length: number).text.count <= max(0, number))
        if number < 1 { #expect(transcript.summary(sentences: number).text.isEmpty) }
    }

    @Test(arguments: numbers) func linesHaveAnyWidth(_ number: Int) {
        #expect(transcript.text.wrapped(columns: number).allSatisfy { $0.displayWidth <= max(2, number) })
    }

    @Test(arguments: numbers) func processorsTakeAnyNumber(_ number: Int) {
        let pause = Duration.seconds(Int64(clamping: number))
        let text = transcript.processed(by: [
            SpokenUndo(pause: pause), PauseParagraphs(pause: pause, maximumWords: number), WrittenVocabulary([]),
            FillerRemoval([]), SpokenUndo([]),
        ]).text
        #expect(text.split(whereSeparator: \.isWhitespace) == transcript.text.split(whereSeparator: \.isWhitespace))
    }

    @Test(arguments: numbers) func rewritersTakeAnyLimit(_ number: Int) async throws {
        let parts = await transcript.rewritten(by: CommandRewriter(["cat"]), partLength: number)
        #expect(parts.error == nil && parts.written.text == transcript.text)
        let limited = await transcript.rewritten(by: CommandRewriter(["cat"], outputLimit: number))
        #expect((limited.error == nil) == (number > 100), "\(String(describing: limited.error))")
        #expect(limited.written.text == transcript.text)
        let model = try ChatModel(
            at: "http://127.0.0.1:1", timeout: .seconds(Int64(clamping: number)), answerLimit: number)
        await #expect(throws: DictationError.self) { try await model.rewrite("one") }
    }

    @Test(arguments: [Double.nan, -.infinity, .infinity, -1, 0, 2]) func anyConfidenceIsLow(_ confidence: Double) {
        let page = HTMLWriter(lowConfidence: confidence).document(transcript)
        #expect(page.contains("One") && page.hasSuffix("</html>\n"))
    }
}
