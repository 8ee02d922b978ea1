import DictationCore
import DictationMessages
import Testing

@testable import DictationRemote
@testable import DictationServer

@Suite struct RealtimeItemsTests {
    private func result(_ text: String, _ start: Int, _ end: Int) -> SpeechResult {
        SpeechResult(range: .milliseconds(start) ..< .milliseconds(end), text: text)
    }

    private func types(_ events: [OpenAIRealtimeMessage]) -> [String] {
        events.map { String($0.type.split(separator: ".").last ?? "") }
    }

    @Test func anUtteranceIsAnItem() {
        var items = RealtimeItems("en-US")
        let first = items.apply(.volatile(result("one", 100, 500)))
        #expect(types(first) == ["speech_started", "delta"] && first[0].audioStart == 100 && first[1].delta == "one")
        #expect(items.apply(.volatile(result("one too", 100, 800))).map(\.delta) == [" too"])
        // Words that change can't be taken back, so they wait for the whole transcript.
        #expect(items.apply(.volatile(result("one two", 100, 900))).isEmpty)
        let last = items.apply(.final(result("one two", 100, 1_000)))
        #expect(types(last) == ["speech_stopped", "committed", "completed"])
        #expect(last[2].transcript == "one two" && last[0].audioEnd == 1_000 && last[1].previousItemID == nil)
        let next = items.apply(.final(result("three", 2_000, 2_500)))
        #expect(types(next) == ["speech_started", "delta", "speech_stopped", "committed", "completed"])
        #expect(next[3].previousItemID == last[1].itemID && next[3].itemID != last[1].itemID)
    }

    @Test func aCommitEndsAnItem() {
        var items = RealtimeItems("en-US", endsAtCommit: true)
        #expect(types(items.apply(.final(result("one", 0, 500)))) == ["delta"])
        #expect(items.apply(.volatile(result("two", 500, 900))).map(\.delta) == [" two"])
        #expect(items.apply(.final(result("two", 500, 1_000))).isEmpty)
        let completed = items.commit()
        #expect(types(completed) == ["committed", "completed"] && completed[1].transcript == "one two")
        // The next session of the engine counts its times from zero.
        items.restart(at: .seconds(1))
        #expect(types(items.apply(.final(result("three", 0, 500)))) == ["delta"])
        #expect(items.commit().last?.transcript == "three")
        // Silence has no text, and is an item all the same.
        #expect(items.commit().last?.transcript == "")
    }
}
