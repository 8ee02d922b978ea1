import DictationCore
import Testing

@testable import DictationEngines

@Suite struct ReplayRecordTests {
    /// Results end anywhere, also less than a frame before the end of a buffer.
    @Test(arguments: 0...70) func anEmptyBufferIsNeverSentAgain(microseconds: Int) {
        var record = ReplayRecord()
        record.append(AudioBuffer(silence: 1_600, format: .speech), size: 1_600)
        record.append(AudioBuffer(silence: 1_600, format: .speech, start: .milliseconds(100)), size: 1_600)
        while record.next() != nil {}
        let time = Duration.milliseconds(100) - .microseconds(microseconds)
        _ = record.admit(.finalized(through: time))
        _ = record.rewind()
        var frames = 0
        while let buffer = record.next() {
            #expect(!buffer.isEmpty)
            frames += buffer.frameCount
        }
        #expect((1_600...1_602).contains(frames))
    }

    @Test func audioThatIsGivenUpIsNotSentAgain() {
        var record = ReplayRecord()
        for second in 0..<3 {
            record.append(AudioBuffer(silence: 16_000, format: .speech, start: .seconds(second)), size: 16_000)
        }
        _ = (record.next(), record.next())
        _ = record.admit(.finalized(through: .milliseconds(500)))
        _ = record.rewind()
        #expect(record.giveUp() == .milliseconds(500)..<Duration.seconds(2))
        #expect(record.next()?.start == .seconds(2))
        #expect(record.next() == nil)
    }
}
