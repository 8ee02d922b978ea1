import DictationCapture
import DictationCore
import DictationEngines
import DictationTesting
import Testing

/// Sequences of buffers that throw, never end, lie about their audio, or are read twice.
@Suite struct SurfaceInputTests {
    private struct Foreign: Error, CustomStringConvertible {
        let description = "the cable\u{1B}[2J is\nloose"
    }

    /// A sequence that yields buffers, then throws; each iterator starts again.
    private struct Throwing: AsyncSequence, Sendable {
        var count: Int
        var error: any Error
        func makeAsyncIterator() -> Iterator { Iterator(left: count, error: error) }

        struct Iterator: AsyncIteratorProtocol {
            var left: Int
            var index = 0
            let error: any Error
            init(left: Int, error: any Error) { (self.left, self.error) = (left, error) }
            mutating func next() async throws -> AudioBuffer? {
                defer { index += 1 }
                guard index < left else { throw error }
                return AudioBuffer(silence: 1_600, format: .speech, start: .milliseconds(100 * index))
            }
        }
    }

    /// A sequence that never ends. It takes 100 ms for each buffer, unless its reader is cancelled.
    private func endless(_ pulls: Count) -> AudioInput {
        let runtime = DictationRuntime.current
        let stream = AsyncStream<AudioBuffer> {
            await runtime.rest(.milliseconds(100))
            return AudioBuffer(silence: 1_600, format: .speech, start: .milliseconds(100 * pulls.next()))
        }
        return AudioInput(stream)
    }

    private func session(_ engine: any SpeechEngine) async throws -> any RecognitionSession {
        var options = RecognitionOptions.liveDictation()
        options.finalizationTimeout = .seconds(2)
        return try await engine.makeSession(options)
    }

    private func end(of session: any RecognitionSession) async -> DictationError? {
        do throws(DictationError) {
            for try await _ in session.results {}
            return nil
        } catch { return error }
    }

    @Test(arguments: [0, 1, 5]) func anErrorOfTheSequenceReachesEveryone(count: Int) async throws {
        try await VirtualTime.run { _ in
            let session = try await self.session(ScriptedEngine())
            try session.start(AudioInput(Throwing(count: count, error: Foreign())))
            let error = try #require(await self.end(of: session))
            #expect(error.code == .inputFailed)
            #expect(error.message.contains("loose") && error.message.visible == error.message)
            await #expect(throws: error) { _ = try await session.finish() }
        }
    }

    @Test func eachReaderOfAnInputStartsAgain() async throws {
        let input = AudioInput(Throwing(count: 3, error: Foreign()))
        for _ in 0..<2 {
            var iterator = input.makeAsyncIterator()
            var starts: [Duration] = []
            await #expect(throws: DictationError.self) {
                while let buffer = try await iterator.next() { starts.append(buffer.start) }
            }
            #expect(starts == [.zero, .milliseconds(100), .milliseconds(200)])
        }
        let buffers = AudioInput([AudioBuffer(silence: 10, format: .speech), AudioBuffer(silence: 20, format: .speech)])
        for _ in 0..<2 {
            var frames: [Int] = []
            for try await buffer in buffers { frames.append(buffer.frameCount) }
            #expect(frames == [10, 20])
        }
    }

    @Test func aStreamThatWasReadHasEnded() async throws {
        let (stream, continuation) = AsyncStream<AudioBuffer>.makeStream()
        continuation.yield(AudioBuffer(silence: 10, format: .speech))
        continuation.finish()
        let input = AudioInput(stream)
        var counts: [Int] = []
        for _ in 0..<3 {
            var count = 0
            for try await _ in input { count += 1 }
            counts.append(count)
        }
        #expect(counts == [1, 0, 0])
    }

    @Test func aCancelledSequenceIsAnInputThatFailed() async throws {
        let input = AudioInput(Throwing(count: 0, error: CancellationError()))
        var iterator = input.makeAsyncIterator()
        let error = await #expect(throws: DictationError.self) { _ = try await iterator.next() }
        #expect(error?.code == .inputFailed || error?.code == .cancelled)
    }

    @Test func aReaderThatIsCancelledComesBack() async throws {
        try await VirtualTime.run { clock in
            let (stream, continuation) = AsyncStream<AudioBuffer>.makeStream()
            let input = AudioInput(stream)
            let reading = DictationRuntime.current.task {
                var iterator = input.makeAsyncIterator()
                return (try? await iterator.next())?.frameCount
            }
            await clock.settle()
            reading.cancel()
            #expect(await reading.value == nil)
            continuation.finish()
        }
    }

    @Test func anEndlessInputIsFinishedAtTheDeadline() async throws {
        try await VirtualTime.run { clock in
            let pulls = Count()
            let session = try await self.session(WordEngine())
            try session.start(self.endless(pulls))
            await clock.advance(by: .milliseconds(3_500))
            let began = clock.now.offset
            #expect(try await session.finish() == .incomplete)
            #expect(clock.now.offset - began <= .seconds(2.5))
            var text = TranscriptAccumulator()
            for try await update in session.results { text.apply(update) }
            #expect(text.finalResults.map(\.text).starts(with: ["word 1", "word 2", "word 3"]))
            let taken = pulls.value
            await clock.advance(by: .seconds(60))
            #expect(pulls.value <= taken + 1)
        }
    }

    @Test func aCancelledSessionPullsNoMore() async throws {
        try await VirtualTime.run { clock in
            let pulls = Count()
            let session = try await self.session(WordEngine())
            try session.start(self.endless(pulls))
            await clock.advance(by: .seconds(1))
            await session.cancel()
            let taken = pulls.value
            await clock.advance(by: .seconds(60))
            #expect(pulls.value <= taken + 1)
            #expect(await self.end(of: session) == nil)
        }
    }

    /// Starts of buffers of a tenth of a second, in an order that no microphone has.
    @Test(arguments: [[0, 200, 100], [100, 0], [0, 0], [0, 50], [500, 499]])
    func buffersInTheWrongOrderEndTheSession(starts: [Int]) async throws {
        try await VirtualTime.run { _ in
            let session = try await self.session(ScriptedEngine())
            let buffers = starts.map { AudioBuffer(silence: 1_600, format: .speech, start: .milliseconds($0)) }
            let (stream, continuation) = AsyncStream<AudioBuffer>.makeStream()
            for buffer in buffers { continuation.yield(buffer) }
            continuation.finish()
            try session.start(AudioInput(stream))
            #expect(await self.end(of: session)?.code == .disorderedAudio)
        }
    }

    @Test(arguments: [
        AudioFormat(sampleRate: 48_000), AudioFormat(sampleRate: 16_000, channelCount: 2),
        AudioFormat(sampleRate: 16_000, sampleType: .float32),
    ])
    func buffersOfAnotherFormatEndTheSession(format: AudioFormat) async throws {
        try await VirtualTime.run { _ in
            let session = try await self.session(ScriptedEngine())
            let buffers = [
                AudioBuffer(silence: 1_600, format: .speech),
                AudioBuffer(silence: 1_600, format: format, start: .seconds(1)),
            ]
            try session.start(
                AudioInput(
                    AsyncStream {
                        for buffer in buffers { $0.yield(buffer) }; $0.finish()
                    }))
            #expect(await self.end(of: session)?.code == .unsupportedFormat)
        }
    }

    /// Buffers without frames, and a start at the end of time.
    @Test(arguments: [
        [AudioBuffer(silence: 0, format: .speech)],
        [
            AudioBuffer(silence: 0, format: .speech, start: .seconds(5)),
            AudioBuffer(silence: 1_600, format: .speech, start: .seconds(5)),
        ],
        [AudioBuffer(silence: 1_600, format: .speech, start: .seconds(Int64.max))],
        [AudioBuffer(silence: 1_600, format: .speech, start: .seconds(-5))],
        [
            AudioBuffer(silence: 1_600, format: .speech),
            AudioBuffer(silence: 1_600, format: .speech, start: Duration(attoseconds: .max)),
        ],
    ])
    func strangeBuffersEndWithAnAnswer(buffers: [AudioBuffer]) async throws {
        try await VirtualTime.run { clock in
            let session = try await self.session(ScriptedEngine([]))
            try session.start(AudioInput(buffers))
            _ = try? await session.finish()
            _ = await self.end(of: session)
            #expect(clock.now.offset <= .seconds(10))
        }
    }
}
