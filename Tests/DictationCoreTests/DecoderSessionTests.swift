import DictationCore
import DictationTesting
import Testing

/// A decoder that emits one word per buffer: volatile at once, and final in `finalize(into:)`.
private struct CountingDecoder: SpeechDecoder {
    var count = 0
    var pending: Range<Duration>?
    var stallsAt: Int?
    var failsAt: Int?

    mutating func decode(_ buffer: AudioBuffer, into results: ResultSink) async throws(DictationError) {
        count += 1
        if count == failsAt { throw DictationError(.engineFailed, "broken") }
        if count == stallsAt { try? await DictationRuntime.current.sleep(.seconds(1_000_000)) }
        pending = (pending?.lowerBound ?? buffer.start)..<buffer.end
        results.emit(.volatile(SpeechResult(range: pending!, text: "\(count)")))
    }

    mutating func finalize(into results: ResultSink) async throws(DictationError) {
        guard let range = pending else { return }
        results.emit(.final(SpeechResult(range: range, text: "\(count)")))
        pending = nil
    }
}

/// A decoder that fails so late that the session already waits for the next buffer.
private struct SlowlyFailingDecoder: SpeechDecoder {
    let runtime = DictationRuntime.current
    var count = 0

    mutating func decode(_ buffer: AudioBuffer, into results: ResultSink) async throws(DictationError) {
        count += 1
        guard count == 3 else { return }
        try? await runtime.sleep(.milliseconds(100))
        throw DictationError(.engineFailed, "broken")
    }

    mutating func finalize(into results: ResultSink) async throws(DictationError) {}
}

private func buffers(_ count: Int) -> [AudioBuffer] {
    (0..<count).map { AudioBuffer(silence: 1_600, format: .speech, start: .milliseconds(100 * $0)) }
}

private func open(_ decoder: CountingDecoder, deadline: Duration = .seconds(5)) async throws -> DecoderSession {
    var options = RecognitionOptions.liveDictation()
    options.finalizationTimeout = deadline
    return try await DecoderSession.open("test", audioFormat: .speech, options: options) { decoder }
}

@Suite struct DecoderSessionTests {
    @Test func resultsEndWithAFinalOne() async throws {
        let session = try await open(CountingDecoder())
        try session.start(AudioInput(buffers(5)))
        #expect(try await session.finish() == .complete)
        var last: SpeechUpdate?
        for try await update in session.results { last = update }
        #expect(last?.finalizedThrough == .milliseconds(500))
    }

    @Test func aDecoderThatNeverReturnsIsLeftAtTheDeadline() async throws {
        try await VirtualTime.run { clock in
            let session = try await open(CountingDecoder(stallsAt: 3))
            try session.start(AudioInput(buffers(5)))
            #expect(try await session.finish() == .incomplete)
            #expect(clock.now.offset == .seconds(5))
            var texts: [String] = []
            for try await case .final(let result) in session.results {
                texts.append(result.text)
                #expect(!result.isComplete)
            }
            #expect(texts == ["2"])
        }
    }

    @Test func anErrorReachesEveryWaiterAndTheResults() async throws {
        try await VirtualTime.run { _ in
            let session = try await open(CountingDecoder(failsAt: 3))
            try session.start(AudioInput(buffers(5)))
            await #expect(throws: DictationError(.engineFailed, "broken")) { try await session.finish() }
            await #expect(throws: DictationError(.engineFailed, "broken")) {
                for try await _ in session.results {}
            }
        }
    }

    @Test func aTimeAheadOfTheAudioIsWaitedFor() async throws {
        try await VirtualTime.run { clock in
            let session = try await open(CountingDecoder())
            let input = AudioInput {
                var left = buffers(20)[...]
                let runtime = DictationRuntime.current
                return { () throws(DictationError) in
                    try? await runtime.sleep(.milliseconds(100))
                    return left.popFirst()
                }
            }
            try session.start(input)
            #expect(try await session.finalize(through: .milliseconds(950)) == .complete)
            #expect(clock.now.offset == .seconds(1))
            #expect(try await session.finish() == .complete)
        }
    }

    @Test func cancelEndsAtOnceAlsoBeforeAnyInput() async throws {
        let session = try await open(CountingDecoder())
        await session.cancel()
        for try await _ in session.results { Issue.record("a result after the end") }
        #expect(throws: DictationError.self) { try session.start(AudioInput([])) }
    }

    @Test func disorderedAudioIsRefused() async throws {
        let session = try await open(CountingDecoder())
        try session.start(AudioInput([buffers(2)[1], buffers(1)[0]]))
        await #expect { try await session.finish() } throws: { ($0 as? DictationError)?.code == .disorderedAudio }
    }

    @Test func aFailureLetsGoOfTheInput() async throws {
        try await VirtualTime.run { clock in
            let wasCancelled = Watched(false)
            let runtime = DictationRuntime.current
            let input = AudioInput {
                var left = buffers(3)[...]
                return { () throws(DictationError) in
                    if let buffer = left.popFirst() { return buffer }
                    do { try await runtime.sleep(.seconds(1_000_000)) } catch { wasCancelled.change { $0 = true } }
                    return nil
                }
            }
            let session = try await DecoderSession.open("slow", audioFormat: .speech, options: .liveDictation()) {
                SlowlyFailingDecoder()
            }
            try session.start(input)
            await clock.advance(by: .seconds(1))
            #expect(wasCancelled.value)
            _ = session
        }
    }
}
