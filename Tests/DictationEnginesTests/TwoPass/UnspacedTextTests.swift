import DictationCore
import DictationTesting
import Testing

@testable import DictationEngines

/// Languages that are written without spaces between words, and sentences of two words.
@Suite struct UnspacedTextTests {
    private func seconds(_ count: Int) -> [AudioBuffer] {
        (0..<(count * 10)).map { AudioBuffer(silence: 1_600, format: .speech, start: .milliseconds(100 * $0)) }
    }

    @Test(arguments: ["我今天早上去了超市", "牛乳を買ってください", "ซื้อนมให้หน่อย", "buy milk", "milk"])
    func aSentenceThatTheThoroughEngineMissedIsKept(_ said: String) async throws {
        try await VirtualTime.run { _ in
            let quick = ScriptedEngine([.volatile(said, at: .seconds(1)), .final(said, at: .seconds(2))])
            let silent = ScriptedEngine([], capabilities: EngineCapabilities([.dictation]))
            let texts = try await TwoPassEngine(quick: quick, thorough: silent).results(seconds(2), .liveDictation())
                .finals
            #expect(texts.map(\.text) == [said])
            #expect(texts.map(\.isDoubtful) == [true])
        }
    }

    @Test(arguments: [("请打电话给我。", 3.0), ("電話してください。", 5.0), ("โทรหาฉัน", 2.0)])
    func aPhraseThatComesAgainAndAgainIsDoubtful(_ phrase: String, _ seconds: Double) {
        let text = String(repeating: phrase, count: 9)
        guard case .repetition = Plausibility(speech: .seconds(seconds)).doubt(about: text) else {
            Issue.record("“\(text)” passes")
            return
        }
        #expect(text.withoutRepetitions == phrase)
    }

    @Test(arguments: [
        ("我今天早上去了一趟超市买了很多东西", 2.2), ("昨日は友達と映画を見に行きました", 1.8), ("วันนี้อากาศดีมาก", 1.0),
        ("哈哈哈哈哈", 1.2), ("谢谢谢谢谢谢", 1.4),
    ])
    func whatPeopleSayIsPlausible(_ text: String, _ seconds: Double) {
        #expect(Plausibility(speech: .seconds(seconds)).doubt(about: text) == nil)
    }

    @Test func eachCharacterHasTheTimeOfItsWord() {
        let times: [(String, Int, Int)] = [
            ("今天", 0, 400), ("天气", 400, 800), ("很", 800, 1_000), ("好", 1_000, 1_200), ("我们", 1_500, 1_900),
            ("走", 1_900, 2_200),
        ]
        let heard = times.map { word, start, end in
            SpeechResult.Word(word, range: .milliseconds(start) ..< .milliseconds(end))
        }
        let words = TimedWords(heard: heard).words(of: "今天天气很好，我们走。")
        #expect(words.map(\.text) == ["今", "天", "天", "气", "很", "好，", "我", "们", "走。"])
        #expect(
            words.map { $0.range.map { Int($0.lowerBound / .milliseconds(1)) } }
                == [0, 200, 400, 600, 800, 1_000, 1_500, 1_700, 1_900])
    }

    @Test(arguments: [
        ("今天天气很好我们", "很好，我们去公园。", "今天天气很好我们去公园。"),
        ("昨日は友達と映画を", "友達と映画を見ました。", "昨日は友達と映画を見ました。"),
    ])
    func anOverlapComesOnce(_ first: String, _ second: String, _ joined: String) throws {
        let seam = try #require(TextSeam(overlapOf: first, and: second, shares: (0.5, 0.5)))
        #expect(seam.first + seam.second == joined)
    }

    @Test func oneCommonCharacterIsNoOverlap() {
        #expect(TextSeam(overlapOf: "这是他的", and: "的确很好", shares: (0.4, 0.4)) == nil)
    }

    @Test func piecesOfOneSentenceAreJoinedWithoutSpaces() {
        var joiner = PieceJoiner(isLive: false)
        let parts: [(String, Range<Int>, PieceEnding)] = [
            ("今天天气", 0..<2, .length), ("很好。我们", 2..<4, .length), ("走。", 4..<6, .end),
        ]
        var finals: [SpeechResult] = []
        for (text, range, ending) in parts {
            let range = Duration.seconds(range.lowerBound)..<Duration.seconds(range.upperBound)
            finals += joiner.add(SpeechResult(range: range, text: text), overlapStart: nil, ending)
        }
        finals += joiner.flush().compactMap(\.finalResult)
        #expect(finals.map(\.text).joined() == "今天天气很好。我们走。")
    }
}
