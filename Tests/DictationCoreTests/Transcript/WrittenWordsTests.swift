import DictationCore
import Testing

@Suite struct WrittenWordsTests {
    @Test(arguments: [
        ("One, two three.", ["One,", "two", "three."]), ("", []), (" … ", ["…"]),
        ("今天天气，很好。", ["今", "天", "天", "气，", "很", "好。"]),
        ("コーヒーを「二つ」ください", ["コー", "ヒー", "を", "「二", "つ」", "く", "だ", "さ", "い"]),
        ("สวัสดี ครับ", ["ส", "วั", "ส", "ดี", "ค", "รั", "บ"]),
        ("买iPhone吧 now", ["买", "iPhone", "吧", "now"]), ("안녕하세요 여러분", ["안녕하세요", "여러분"]),
    ])
    func charactersAreWordsWhereAScriptHasNoSpaces(_ text: String, _ words: [String]) {
        #expect(text.writtenWords.map(String.init) == words)
        #expect(text.writtenWords.joined() == text.filter { !$0.isWhitespace }, "nothing is lost")
    }

    @Test(arguments: [
        (["Hello.", "How are you?"], "Hello. How are you?"), (["今天", "很好。", "再见"], "今天很好。再见"),
        (["", "one", "", "two"], "one two"), ([], ""),
    ])
    func textsAreJoinedAsTheyAreWritten(_ texts: [String], _ joined: String) {
        #expect(texts.joinedAsWritten == joined)
    }

    @Test func charactersBecomeStableWhileTheSentenceGrows() {
        var prefix = TranscriptAccumulator.StablePrefix()
        _ = prefix.split("今天")
        _ = prefix.split("今天天气")
        #expect(prefix.split("今天天气很好") == ("今天天", "气很好"))
    }
}
