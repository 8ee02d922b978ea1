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

    /// The next helper hears the same audio again. The reader hears of it once.
    @Test func whatADetectorHeardIsToldOnce() {
        var record = recordOfSeconds(3, remembering: .zero)
        while record.next() != nil {}
        let voices = [1, 2].map { SpeechUpdate.voice(.init(through: .seconds($0), speech: .zero..<(.seconds(1)))) }
        let turn = SpeechUpdate.turnEnded(at: .seconds(2))
        #expect((voices + [turn]).map { record.admit($0) } == voices + [turn])
        _ = record.rewind()
        while record.next() != nil {}
        #expect((voices + [turn]).compactMap { record.admit($0) }.isEmpty)
        let news = [SpeechUpdate.voice(.init(through: .seconds(3), speech: nil)), .turnEnded(at: .seconds(3))]
        #expect(news.compactMap { record.admit($0) } == news)
    }

    @Test func aPauseWithoutAudioIsNotKept() {
        var record = ReplayRecord()
        record.append(AudioBuffer(silence: 16_000, format: .speech), size: 16_000)
        _ = record.next()
        _ = record.admit(.finalized(through: .seconds(1)))
        #expect(record.kept == .zero && record.backlog == .zero)
        record.append(AudioBuffer(silence: 1_600, format: .speech, start: .seconds(10_800)), size: 1_600)
        #expect(record.kept == .milliseconds(100) && record.backlog == .milliseconds(100))
        _ = record.next()
        #expect(record.kept == .milliseconds(100) && record.backlog == .zero)
    }

    /// The next helper begins with a stretch that was final as a whole, at least as long ago as the engine remembers.
    @Test func speechBeforeAPauseIsHeardAgain() {
        var record = recordOfSeconds(8, remembering: .seconds(3))
        for end in [1, 3, 4, 6] { _ = record.admit(.finalized(through: .seconds(end))) }
        #expect(recalled(by: &record) == [3, 4, 5])
        #expect(record.next()?.start == .seconds(6))
    }

    /// A helper that dies between two messages leaves a final text whose pause is not final.
    @Test func aFinalTextInsideAPieceIsHeardAgainUpToItsEnd() {
        var record = recordOfSeconds(3, remembering: .seconds(3))
        let end = Duration.milliseconds(1_500)
        _ = record.admit(.final(SpeechResult(range: .zero..<end, text: "one")))
        _ = record.rewind()
        var frames = 0
        while case .hear(let buffer)? = record.recall() { frames += buffer.frameCount }
        #expect(frames == 24_000)
        #expect(record.next()?.start == end)
    }

    @Test func whatTheProgramMadeFinalIsMadeFinalAgain() {
        var record = recordOfSeconds(2, remembering: .seconds(3))
        _ = record.admit(.finalized(through: .seconds(2)))
        record.noteFinalization()
        record.noteFinalization()
        _ = record.rewind()
        var steps: [RememberedSpeech.Step] = []
        while let step = record.recall() { steps.append(step) }
        #expect(steps.count == 3)
        guard case .finalize? = steps.last else { return #expect(Bool(false), "\(steps)") }
    }

    /// Speech that a helper did not survive again, that was given up, or that is too long, is not heard again.
    @Test func speechIsForgottenWhenItDoesHarm() {
        var record = recordOfSeconds(2, remembering: .seconds(3))
        _ = record.admit(.finalized(through: .seconds(1)))
        #expect(recalled(by: &record) == [0])
        _ = record.rewind()
        _ = record.recall()
        _ = record.next()
        _ = record.rewind()
        #expect(record.isRecalling)
        _ = record.rewind()
        #expect(!record.isRecalling)

        record = recordOfSeconds(4, remembering: .seconds(3))
        _ = record.admit(.finalized(through: .seconds(1)))
        _ = record.rewind()
        while record.recall() != nil {}
        _ = record.next()
        _ = record.rewind()
        #expect(record.giveUp() == .seconds(1)..<Duration.seconds(2))
        #expect(recalled(by: &record) == [])

        record = recordOfSeconds(20, remembering: .seconds(3))
        _ = record.admit(.finalized(through: .seconds(20)))
        #expect(recalled(by: &record) == [])
        record.append(AudioBuffer(silence: 16_000, format: .speech, start: .seconds(20)), size: 16_000)
        _ = (record.next(), record.admit(.finalized(through: .seconds(21))))
        #expect(recalled(by: &record) == [20])
    }

    private func recordOfSeconds(_ count: Int, remembering length: Duration) -> ReplayRecord {
        var record = ReplayRecord(remembering: length)
        for second in 0..<count {
            record.append(AudioBuffer(silence: 16_000, format: .speech, start: .seconds(second)), size: 16_000)
        }
        while record.next() != nil {}
        return record
    }

    /// Returns the seconds where the buffers begin that the next helper hears again.
    private func recalled(by record: inout ReplayRecord) -> [Int] {
        _ = record.rewind()
        var starts: [Int] = []
        while case .hear(let buffer)? = record.recall() { starts.append(Int(buffer.start.components.seconds)) }
        return starts
    }
}
