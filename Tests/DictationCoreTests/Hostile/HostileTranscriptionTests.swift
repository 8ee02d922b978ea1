import DictationCapture
import DictationCore
import DictationEngines
import DictationTesting
import Testing

/// Transcriptions of recordings with parts that break their promises.
@Suite struct HostileTranscriptionTests {
    /// Returns a recording of a given length, which counts in `open` how often it is open.
    static func recording(seconds: Int, open: Count) -> HostileCapturer {
        HostileCapturer(
            pacing: .onDemand, stop: { _ in open.drop() },
            start: { _ in
                open.next()
                return stream { number in
                    number < seconds * 10 ? .buffer(humming.moved(to: .milliseconds(number * 100))) : nil
                }
            })
    }

    @Test(arguments: 1...6 as ClosedRange<UInt64>) func aRecordingBecomesAllItsText(seed: UInt64) async throws {
        try await VirtualTime.run(seed: seed) { _ in
            let open = Count()
            let engine = ScriptedEngine()
            let text = try await engine.transcribe(Self.recording(seconds: 60, open: open)).transcript()
            #expect(text.text == Array(repeating: "one two three four", count: 30).joined(separator: " "))
            #expect(text.isComplete && text.duration == .seconds(60))
            #expect(engine.openSessions == 0)
        }
    }

    enum End: CaseIterable, Sendable { case itsOwn, anError, theEngines }

    @Test(arguments: End.allCases, [1, 4]) func theSourceIsStopped(after end: End, workers: Int) async throws {
        try await VirtualTime.run { clock in
            let stops = Count()
            let source = HostileCapturer(
                pacing: .onDemand, stop: { _ in stops.next() },
                start: { _ in
                    stream { number throws(DictationError) in
                        if number == 10, end == .anError { throw DictationError(.fileUnreadable, "It ends here.") }
                        return number < 20 ? .buffer(humming.moved(to: .milliseconds(number * 100))) : nil
                    }
                })
            _ = try? await ParallelEngine(way: end == .theEngines ? .throwing : .good)
                .transcribe(source, workers: workers).text()
            await clock.advance(by: .seconds(10))
            #expect(stops.value > 0)
        }
    }

    /// The recording was read to its end, and the engine does not finish.
    @Test(arguments: 1...3 as ClosedRange<UInt64>)
    func aReaderThatIsCancelledAtTheEndDoesNotWait(seed: UInt64) async throws {
        try await VirtualTime.run(seed: seed) { clock in
            let open = Count()
            let engine = ScriptedEngine([.final("words", at: .seconds(1)), .neverFinishes()])
            var options = RecognitionOptions.fileTranscription()
            options.finalizationTimeout = .seconds(3_600)
            let reading = DictationRuntime.current.task { [options] in
                try? await engine.transcribe(Self.recording(seconds: 2, open: open), options: options).text()
            }
            await clock.advance(by: .seconds(10))
            reading.cancel()
            await clock.advance(by: .seconds(1))
            #expect(engine.openSessions == 0 && open.value == 0)
            #expect(await reading.value == nil)
        }
    }

    @Test(arguments: [0.0, 0.001, 0.5, 1.5, 5.0], 1...3 as ClosedRange<UInt64>)
    func aReaderThatIsCancelledClosesAll(after delay: Double, seed: UInt64) async throws {
        try await VirtualTime.run(seed: seed) { clock in
            let open = Count()
            let starts = Count()
            let runtime = DictationRuntime.current
            let capturer = HostileCapturer(
                pacing: .onDemand, stop: { _ in open.drop() },
                start: { _ in
                    open.next()
                    starts.next()
                    return stream { number in
                        await runtime.rest(.milliseconds(50))
                        return .buffer(humming)
                    }
                })
            let engine = ScriptedEngine([
                .slowStart(.seconds(1)), .final("x", at: .seconds(1)), .repeats(every: .seconds(1)),
            ])
            let reading = runtime.task { try? await engine.transcribe(capturer).transcript() }
            await clock.advance(by: .seconds(delay))
            reading.cancel()
            let began = clock.now.offset
            _ = await reading.value
            #expect(clock.now.offset - began <= .seconds(1))
            await clock.advance(by: .seconds(20))
            #expect(engine.openSessions == 0)
            #expect(open.value <= 0)
        }
    }

    @Test func anIteratorThatIsReleasedClosesAll() async throws {
        try await VirtualTime.run { clock in
            let open = Count()
            let engine = ScriptedEngine()
            var results: Transcription.Iterator? = engine.transcribe(Self.recording(seconds: 600, open: open))
                .makeAsyncIterator()
            for _ in 0..<3 { _ = try await results?.next() }
            results = nil
            await clock.advance(by: .seconds(20))
            #expect(engine.openSessions == 0)
            #expect(open.value <= 0)
        }
    }

    @Test(arguments: [0, 5, 15, 39]) func aRecordingThatBreaksKeepsItsText(at count: Int) async throws {
        try await VirtualTime.run { clock in
            let broken = DictationError(.fileUnreadable, "It ends here.")
            let capturer = HostileCapturer(
                pacing: .onDemand,
                start: { _ in
                    stream { number throws(DictationError) in
                        if number == count { throw broken }
                        return .buffer(humming.moved(to: .milliseconds(number * 100)))
                    }
                })
            let engine = ScriptedEngine()
            var results = engine.transcribe(capturer).makeAsyncIterator()
            var thrown: DictationError?
            do throws(DictationError) { while try await results.next() != nil {} } catch { thrown = error }
            #expect(thrown == broken)
            #expect(results.transcript.duration == .milliseconds(count * 100))
            let words = ["one", "two", "three", "four"]
            let said = (0..<count / 5).map { words[$0 % 4] }.joined(separator: " ")
            #expect(results.transcript.text == said)
            await clock.advance(by: .seconds(10))
            #expect(engine.openSessions == 0)
        }
    }

    @Test(arguments: [Int.min, -1, 0, 1, 2, 1_000, .max])
    func anyNumberOfWorkersGivesTheText(workers: Int) async throws {
        try await VirtualTime.run { _ in
            let open = Count()
            let text = try await ScriptedEngine().transcribe(Self.recording(seconds: 8, open: open), workers: workers)
                .text()
            #expect(text == Array(repeating: "one two three four", count: 4).joined(separator: " "))
        }
    }

    enum Parallel: CaseIterable, Sendable {
        case good, throwing, takingNothing, silent, saysVolatile, overlapping, afterItsEnd
    }

    /// If the workers read nothing of a recording (`takingNothing`), the transcription fails or is incomplete.
    @Test(arguments: Parallel.allCases, [1, 4]) func workersThatBreakEndInOrder(way: Parallel, workers: Int)
        async throws
    {
        try await VirtualTime.run { clock in
            let open = Count()
            let engine = ParallelEngine(way: way)
            var results = engine.transcribe(Self.recording(seconds: 5, open: open), workers: workers)
                .makeAsyncIterator()
            var finals: [SpeechResult] = []
            var thrown: DictationError?
            do throws(DictationError) {
                while let result = try await results.next() { finals.append(result) }
            } catch { thrown = error }
            for (a, b) in zip(results.transcript.segments, results.transcript.segments.dropFirst()) {
                #expect(a.range.upperBound <= b.range.lowerBound)
            }
            if way == .throwing, workers > 1 { #expect(thrown != nil) }
            if way == .good { #expect(results.transcript.text == "p0 p1 p2 p3 p4" && results.transcript.isComplete) }
            if way == .takingNothing, workers > 1 { #expect(!results.transcript.isComplete || thrown != nil) }
        }
    }

    /// The input of a cancelled transcription ends even if the source's stream goes on. Otherwise a parallel engine
    /// that reads until the end would read forever.
    @Test func workersThatAreCancelledGetNoMoreInput() async throws {
        try await VirtualTime.run { clock in
            let pulls = Pulls()
            let source = HostileCapturer(pacing: .onDemand) { _ in
                stream { _ in await pulls.isTooLate ? nil : .buffer(humming) }
            }
            let reading = DictationRuntime.current.task {
                try? await ParallelEngine(way: .good).transcribe(source, workers: 4).text()
            }
            await clock.advance(by: .seconds(2))
            reading.cancel()
            _ = await reading.value
            await clock.advance(by: .seconds(20))
            #expect(pulls.late.value <= 1)
        }
    }

    @Test(arguments: [1, 4]) func workersThatAreCancelledCloseTheSource(workers: Int) async throws {
        try await VirtualTime.run { clock in
            let open = Count()
            let runtime = DictationRuntime.current
            let capturer = HostileCapturer(
                pacing: .onDemand, stop: { _ in open.drop() },
                start: { _ in
                    open.next()
                    return stream { _ in
                        await runtime.rest(.milliseconds(10))
                        return Task.isCancelled ? nil : .buffer(humming)
                    }
                })
            let reading = runtime.task {
                try? await ParallelEngine(way: .good).transcribe(capturer, workers: workers).text()
            }
            await clock.advance(by: .seconds(2))
            reading.cancel()
            let began = clock.now.offset
            _ = await reading.value
            #expect(clock.now.offset - began <= .seconds(1))
            await clock.advance(by: .seconds(20))
            #expect(open.value == 0)
        }
    }

    /// A capturer may throw `alreadyRunning` until it is stopped, even after its stream has ended. So the source must
    /// be stopped before the text is returned, because the next reader may start it at once.
    @Test(arguments: 1...3 as ClosedRange<UInt64>, [1, 4])
    func aSourceIsFreeWhenItsTextIsReturned(seed: UInt64, workers: Int) async throws {
        try await VirtualTime.run(seed: seed) { _ in
            let isOpen = Held(false)
            let source = HostileCapturer(pacing: .onDemand, stop: { _ in isOpen.value = false }) {
                _ throws(DictationError) in
                if isOpen.change({ was in
                    defer { was = true }; return was
                }) {
                    throw DictationError(.alreadyRunning, "It runs.", recovery: "Stop it.")
                }
                return stream { number in number < 20 ? .buffer(humming.moved(to: .milliseconds(number * 100))) : nil }
            }
            for _ in 0..<4 {
                let text = try await ParallelEngine(way: .good).transcribe(source, workers: workers).text()
                #expect(text == "p0 p1")
            }
        }
    }

    @Test func twoReadersTranscribeTwice() async throws {
        try await VirtualTime.run { _ in
            let open = Count()
            let engine = ScriptedEngine()
            let recording = Self.recording(seconds: 4, open: open)
            let transcription = engine.transcribe(recording)
            let first = try await transcription.text()
            let second = try await transcription.text()
            #expect(first == second && !first.isEmpty)
            #expect(engine.sessions.count == 2)
            #expect(recording.starts.value == 2)
        }
    }

    /// A session may end its results only in `finish()`. So the transcription must call `finish()` after the last
    /// audio; otherwise it would wait forever.
    @Test func aRecordingWhoseResultsEndWithTheFinishIsFinished() async throws {
        try await VirtualTime.run { clock in
            let open = Count()
            let sessions = HandSessions()
            let engine = sessions.engine(.init(endsWithInput: false))
            let reading = DictationRuntime.current.task {
                try? await engine.transcribe(Self.recording(seconds: 3, open: open)).text()
            }
            await clock.advance(by: .seconds(100))
            reading.cancel()
            #expect(await reading.value == "w0 w1 w2")
            #expect(sessions.made.value.map(\.finishes.value) == [1])
        }
    }

    /// If the engine reads nothing of a recording, the transcription fails or is incomplete.
    @Test func anEngineThatTakesNoInputAndEndsSaysIncomplete() async throws {
        try await VirtualTime.run { clock in
            let open = Count()
            let sessions = HandSessions()
            let engine = sessions.engine(.init(start: { session, _ in session.out.finish() }))
            var results = engine.transcribe(Self.recording(seconds: 4, open: open)).makeAsyncIterator()
            var thrown: DictationError?
            do throws(DictationError) { while try await results.next() != nil {} } catch { thrown = error }
            #expect(thrown != nil || !results.transcript.isComplete)
        }
    }
}
