import DictationCore
import Foundation
import Testing

@testable import DictationText

@Suite struct RewritingTests {
    private func transcript(_ texts: [String]) -> Transcript {
        let segments = texts.enumerated().map { index, text in
            let words = text.split(whereSeparator: \.isWhitespace).enumerated().map { number, word in
                let start = Duration.seconds(index * 10 + number)
                return SpeechResult.Word(String(word), range: start..<(start + .seconds(1)), confidence: 0.5)
            }
            return SpeechResult(
                range: .seconds(index * 10)..<(.seconds(index * 10 + words.count)), text: text, words: words)
        }
        return Transcript(segments: segments)
    }

    @Test func aCommandRewritesTextAndItsWordsKeepTheirTimes() async {
        let original = transcript(["teh cat", "sat down"])
        let rewriting = await original.rewritten(by: CommandRewriter(["sed", "s/teh/The/; s/sat/slowly sat/; s/$/./"]))
        #expect(rewriting.error == nil)
        #expect(rewriting.original == original)
        #expect(rewriting.written.text == "The cat slowly sat down.")
        #expect(rewriting.written.words.map(\.text) == ["The", "cat", "slowly", "sat", "down."])
        #expect(
            rewriting.written.words.map(\.range?.lowerBound)
                == [.zero, .seconds(1), .seconds(2), .seconds(10), .seconds(11)])
        #expect(rewriting.written.words.map(\.confidence) == [nil, 0.5, nil, 0.5, 0.5])
    }

    @Test func aCommandGetsAParagraphAtATime() async {
        let original = transcript(["one two", "three", "\n\nfour"])
        let rewriting = await original.rewritten(
            by: CommandRewriter(["sh", "-c", "text=$(cat); echo \"$text (${#text})\""]))
        #expect(rewriting.written.text == "one two three (13)\n\nfour (4)")
    }

    /// Commands that fail, each in its own way.
    @Test(arguments: [
        ["false"], ["/nonexistent/program"], [], ["true"], ["sh", "-c", "cat; exit 3"], ["sh", "-c", "kill -9 $$"],
        ["head", "-c", "100000", "/dev/zero"], ["yes"], ["printf", "\\377"], ["sh", "-c", "cat; yes | head -c 4000"],
    ])
    func aCommandThatFailsLeavesTheTextAsItWas(_ arguments: [String]) async {
        let original = transcript(["one two", "\n\nthree"])
        let rewriting = await original.rewritten(
            by: CommandRewriter(arguments, timeout: .seconds(20), outputLimit: 20_000))
        #expect(rewriting.written == original)
        #expect(rewriting.error != nil)
    }

    /// What a language model may answer instead of the text, and programs that lose it.
    @Test(arguments: [
        ("en-US", "please call the doctor before noon", "I can't help with that."),
        ("en-US", "please call the doctor before noon", "Error 404: the page was not found."),
        ("en-US", "please call the doctor before noon", "before noon"),
        ("en-US", "please call the doctor before noon", "noon before doctor the call please"),
        ("en-US", "buy milk", "Sorry."), ("en-US", "buy milk", "\u{200B}"), ("en-US", "forty two", "I can't say."),
        ("zh-CN", "我明天早上九点去医院看医生。", "抱歉，无法处理该请求。"), ("zh-CN", "你好。", "不行。"),
        ("ja-JP", "明日の朝九時に病院へ行きます。", "申し訳ありませんが、お手伝いできません。"),
        ("th-TH", "พรุ่งนี้ฉันจะไปโรงพยาบาล", "ขออภัย"), ("ru-RU", "купи молоко и хлеб", "Я не могу помочь."),
    ])
    func aTextThatIsNoVersionOfTheOldOneIsAnError(_ locale: SpeechLocale, _ old: String, _ new: String) async {
        var original = transcript([old])
        original.locale = locale
        let rewriting = await original.rewritten(by: CommandRewriter(["printf", "%s", new]))
        #expect(rewriting.written == original)
        #expect(rewriting.error?.code == .invalidInput && rewriting.error?.recovery != nil)
    }

    /// Corrections that change much and lose nothing.
    @Test(arguments: [
        ("en-US", "PLEASE CALL THE DOCTOR", "Please, call the doctor!"), ("en-US", "forty two", "42"),
        ("en-US", "one thousand two hundred thirty four", "1,234"), ("en-US", "five dollars", "$5"),
        ("en-US", "one million", "1M"), ("en-US", "half past three", "3:30"), ("en-US", "dont", "Don’t."),
        ("en-US", "uh so I mean we meet at at two thirty", "We meet at 2:30."), ("en-US", "by milk", "Buy milk."),
        ("de-DE", "dreiundzwanzig Euro", "23 €"), ("ru-RU", "купи малако и хлеб", "Купи молоко и хлеб."),
        ("zh-CN", "我明天早上九点去医院看医生", "我明天早上9点去医院看医生。"), ("zh-CN", "二十三", "23"),
        ("zh-CN", "他的手机是 iphone 很新", "他的手机是 iPhone，很新。"),
        ("ja-JP", "明日の朝九時に病院へ行きます", "明日の朝9時に、病院へ行きます。"), ("ko-KR", "내일 병원에 가요", "내일 병원에 가요."),
        ("th-TH", "พรุ่งนี้ฉันจะไปโรงพยาบาล", "พรุ่งนี้ ฉันจะไปโรงพยาบาล"),
    ])
    func aCorrectionIsAVersionOfTheText(_ locale: SpeechLocale, _ old: String, _ new: String) async {
        var original = transcript([old])
        original.locale = locale
        let rewriting = await original.rewritten(by: CommandRewriter(["printf", "%s", new]))
        #expect(rewriting.error == nil)
        #expect(rewriting.written.text == new)
    }

    /// Their words are not aligned, because that would take too long.
    @Test func aVeryLongTextIsComparedToo() async {
        let original = transcript([(0..<20_000).map { "word\($0)" }.joined(separator: " ")])
        let corrected = await original.rewritten(by: CommandRewriter(["sed", "s/word7/WORD/g; s/$/./"]))
        #expect(corrected.error == nil && corrected.written.text.hasSuffix("word19999."))
        let cut = await original.rewritten(by: CommandRewriter(["cut", "-c", "1-80000"]))
        #expect(cut.error?.code == .invalidInput && cut.written == original)
    }

    @Test func aCommandThatHangsIsStoppedWithAllItsChildren() async throws {
        let mark = FileManager.default.temporaryDirectory.appending(path: "rewriting-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: mark) }
        let script = "sleep 300 & echo $! > '\(mark.path)'; wait"
        let original = transcript(["one"])
        let rewriting = await original.rewritten(
            by: CommandRewriter(["sh", "-c", script], timeout: .milliseconds(500)))
        #expect(rewriting.error?.code == .timedOut)
        #expect(rewriting.written == original)
        // The script may be so late that it has not started its child.
        guard let text = try? String(contentsOf: mark, encoding: .utf8), let child = pid_t(text.trimmed) else { return }
        // The system may take a moment to remove the killed child.
        for _ in 0..<10_000 where kill(child, 0) == 0 && !isDead(child) { await Task.yield() }
        #expect(kill(child, 0) != 0 || isDead(child))
    }

    private func isDead(_ process: pid_t) -> Bool {
        let status = (try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)) ?? ""
        return status.isEmpty || status.contains(") Z ")
    }

    @Test func aCancelledTaskStopsTheCommand() async {
        let original = transcript(["one"])
        let task = Task { await original.rewritten(by: CommandRewriter(["sleep", "300"], timeout: .seconds(600))) }
        task.cancel()
        #expect(await task.value.error?.code == .cancelled)
    }

    @Test func aCommandThatReadsNothingStillRewrites() async {
        let long = transcript(["short " + String(repeating: "x", count: 400_000)])
        let rewriter = CommandRewriter(["sh", "-c", "printf short"])
        #expect(await long.rewritten(by: rewriter).written.text == "short")
    }

    @Test func theFirstFailureEndsTheWork() async {
        let original = transcript(["one", "\n\ntwo", "\n\nthree"])
        let rewriting = await original.rewritten(by: CommandRewriter(["sed", "/two/q1; s/$/!/"]))
        #expect(rewriting.written.text == "one!\n\ntwo\n\nthree")
        #expect(rewriting.error?.code == .engineFailed)
    }

    @Test func controlCharactersOfACommandDoNotReachTheText() async {
        let rewriting = await transcript(["a c"]).rewritten(by: CommandRewriter(["printf", "a\\033[2Jb\\nc"]))
        #expect(rewriting.written.text == "a [2Jb\nc")
    }

    // MARK: Titles and summaries

    private let talk = """
        Good morning. The harbor bridge closes in May. Workers repair the harbor bridge for six weeks. Buses cross the \
        river at the old bridge. Bring an umbrella. The repair of the bridge costs four million. Thank you.
        """

    @Test func aTitleAndASummaryAreSentencesOfTheText() {
        let transcript = transcript([talk])
        let title = transcript.title(length: 200)
        #expect(title.origin == .extractive)
        #expect(talk.contains(title.text))
        #expect(title.text.contains("bridge"))
        let summary = transcript.summary(sentences: 2)
        #expect(summary.origin == .extractive)
        #expect(summary.text.split(separator: ".").count == 2)
        #expect(summary.text.contains("bridge") && !summary.text.contains("umbrella"))
    }

    @Test func aTitleIsCutBetweenWords() {
        let title = transcript([talk]).title(length: 20)
        #expect(title.text.count <= 20 && title.text.hasSuffix("…"))
        #expect(talk.contains(title.text.dropLast() + " "))
    }

    @Test(arguments: [[], [""], ["one two"], ["hello", "world"], ["...", "?"], ["你好。世界。"]])
    func anyTranscriptHasATitleAndASummary(_ texts: [String]) {
        let transcript = transcript(texts)
        let letters = transcript.text.filter(\.isLetter)
        #expect(transcript.title().text.isEmpty == letters.isEmpty)
        #expect(transcript.summary().text.isEmpty == letters.isEmpty)
        #expect(transcript.summary(sentences: 0, length: 0).text.isEmpty)
    }
}
