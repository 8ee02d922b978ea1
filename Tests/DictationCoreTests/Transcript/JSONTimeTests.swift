import DictationCore
import FoundationEssentials
import Testing

@Suite struct JSONTimeTests {
    private let decoder = JSONDecoder()

    private func json(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }

    private let result = SpeechResult(
        range: .milliseconds(250)..<(.seconds(2)), text: "go",
        words: [.init("go", range: .milliseconds(250)..<(.milliseconds(500)), confidence: 0.5), .init("on")])

    @Test func timesAreSeconds() throws {
        #expect(
            try json(result) == """
                {"alternatives":[],"isComplete":true,"range":{"end":2,"start":0.25},"text":"go",\
                "words":[{"confidence":0.5,"range":{"end":0.5,"start":0.25},"text":"go"},{"text":"on"}]}
                """)
        let gap = AudioGap(range: .seconds(2)..<(.milliseconds(2_100)), frameCount: 1_600, cause: .overrun)
        #expect(try json(gap) == #"{"cause":"overrun","frameCount":1600,"range":{"end":2.1,"start":2}}"#)
        let transcript = Transcript(
            segments: [result], gaps: [gap], duration: .milliseconds(2_800), take: TakeID(number: 3))
        #expect(try json(transcript).contains(#""duration":2.8,"#) && json(transcript).contains(#""take":3"#))
        #expect(try decoder.decode(Transcript.self, from: JSONEncoder().encode(transcript)) == transcript)
    }

    @Test func onlyADoubtfulResultIsMarked() throws {
        var doubtful = result
        doubtful.isDoubtful = true
        #expect(try json(doubtful).contains(#""isDoubtful":true"#))
        #expect(try decoder.decode(SpeechResult.self, from: JSONEncoder().encode(doubtful)) == doubtful)
        #expect(try decoder.decode(SpeechResult.self, from: JSONEncoder().encode(result)) == result)
    }

    @Test func onlyAResultWithASpeakerNamesOne() throws {
        var said = result
        said.speaker = "Anna"
        #expect(try json(said).contains(#""speaker":"Anna""#) && !json(result).contains("speaker"))
        #expect(try decoder.decode(SpeechResult.self, from: JSONEncoder().encode(said)) == said)
    }

    @Test(arguments: [0, 1, 3, 333_333_333, 999_999_999, 86_399_999_999_999, 7_000_000_000_000_001])
    func everyNanosecondSurvives(_ nanoseconds: Int64) throws {
        let word = SpeechResult.Word("a", range: .nanoseconds(nanoseconds)..<(.nanoseconds(nanoseconds + 1)))
        #expect(try decoder.decode(SpeechResult.Word.self, from: JSONEncoder().encode(word)) == word)
    }

    @Test(arguments: [
        #"{"start":2,"end":1}"#, #"{"start":0}"#, #"{"start":0,"end":1e300}"#, #"{"start":-1e30,"end":0}"#, "[0,1]",
    ])
    func aRangeThatIsNoneIsRefused(_ range: String) {
        #expect(throws: DecodingError.self) {
            try decoder.decode(SpeechResult.self, from: Data(#"{"text":"go","range":\#(range)}"#.utf8))
        }
    }

    @Test func whatIsLeftOutHasItsDefault() throws {
        let read = try decoder.decode(
            SpeechResult.self, from: Data(#"{"text":"go","range":{"start":0,"end":1}}"#.utf8))
        #expect(read == SpeechResult(range: .zero..<(.seconds(1)), text: "go"))
    }

    @Test func aCodeIsPrintedAsItsName() {
        #expect("\(DictationError.Code.deviceLost)" == "deviceLost")
    }
}
