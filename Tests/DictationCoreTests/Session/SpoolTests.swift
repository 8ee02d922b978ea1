import DictationCapture
import DictationCore
import DictationEngines
import DictationTesting
import FoundationEssentials
import Testing

@Suite struct SpoolTests {
    private let broken = DictationError(.engineFailed, "It broke.")

    @Test func aTakeWhoseEngineFailedIsRecognizedAgain() async throws {
        try await inSpool { spool, _ in
            let engine = ScriptedEngine(sessions: [
                [.final("first half", at: .seconds(1)), .error(broken, at: .seconds(2))],
                [.final("first half", at: .seconds(1)), .final("second half", at: .milliseconds(1_900))],
            ])
            let capturer = ScriptedCapturer([.tone(440, for: .seconds(10))])
            let session = DictationSession(engine: engine, capturer: capturer, spool: spool)
            try await session.start()
            await DictationRuntime.current.pass(.milliseconds(4_000))
            let transcript = await session.stop()
            #expect(transcript.text == "first half")
            #expect(transcript.error == broken)
            #expect(try await spool.takes().count == 1)
            let again = try await session.retry()
            #expect(again.text == "first half second half")
            #expect(again.isComplete)
            #expect(session.state == .idle)
            #expect(session.transcript == again)
            await DictationRuntime.current.pass(.seconds(1))
            #expect(try await spool.takes().isEmpty)
        }
    }

    @Test func whatAnEngineWasTooSlowForIsRecognizedAgain() async throws {
        try await inSpool { spool, _ in
            let engine = ScriptedEngine(sessions: [
                [.stall(at: .seconds(1), for: .seconds(5))],
                [.final("all of it", at: .milliseconds(7_900))],
            ])
            let session = DictationSession(
                engine: engine, capturer: ScriptedCapturer([.tone(440, for: .seconds(20))]), spool: spool)
            session.configuration.backlog = .seconds(2)
            try await session.start()
            await DictationRuntime.current.pass(.seconds(8))
            let transcript = await session.stop()
            #expect(transcript.gaps.map(\.cause) == [.engineBehind])
            #expect(transcript.error == nil && !transcript.isComplete)
            let again = try await session.retry()
            #expect(again.text == "all of it" && again.isComplete && again.gaps.isEmpty)
            #expect(again.duration == transcript.duration)
            await session.waitUntilSettled()
            #expect(try await spool.takes().isEmpty)
        }
    }

    /// The backlog is not a multiple of the buffers' length.
    @Test func aSourceThatWaitsLosesNothingToASlowEngine() async throws {
        try await VirtualTime.run { _ in
            let engine = ScriptedEngine([.stall(at: .seconds(1), for: .seconds(5)), .final("all", at: .seconds(3))])
            let recording = ScriptedCapturer(
                [.tone(440, for: .seconds(6)), .end], bufferDuration: .milliseconds(30), pacing: .onDemand)
            let session = DictationSession(engine: engine, capturer: recording)
            session.configuration.backlog = .seconds(1)
            let events = session.events()
            try await session.start()
            for await event in events { if case .ended = event.kind { break } }
            let transcript = session.transcript
            #expect(transcript.gaps.isEmpty && transcript.isComplete, "\(transcript)")
            #expect(transcript.duration == .seconds(6))
        }
    }

    @Test func aTakeWhoseTextIsSafeIsNotKept() async throws {
        try await inSpool { spool, _ in
            let session = DictationSession(
                engine: ScriptedEngine(), capturer: ScriptedCapturer([.tone(440, for: .seconds(10))]), spool: spool)
            try await session.start()
            await DictationRuntime.current.pass(.seconds(3))
            #expect(try await spool.takes().count == 1)
            #expect(await session.stop().isComplete)
            await session.waitUntilSettled()
            #expect(try await spool.takes().isEmpty)
            await #expect { try await session.retry() } throws: { ($0 as? DictationError)?.code == .invalidInput }
        }
    }

    /// A spool whose writing never ends.
    private struct StuckSpool: AudioSpool {
        func makeWriter() async throws(DictationError) -> any AudioSpoolWriter {
            await DictationRuntime.current.pass(.seconds(1_000_000))
            throw DictationError(.timedOut, "It was cancelled.")
        }
        func takes() async throws(DictationError) -> [SpooledTake] { [] }
        func read(_ id: SpooledTake.ID) async throws(DictationError) -> CaptureStream {
            throw DictationError(.invalidInput, "There is nothing.")
        }
        func discard(_ id: SpooledTake.ID) async throws(DictationError) {}
    }

    @Test func whatHangsIsNotWaitedForWithoutEnd() async throws {
        try await VirtualTime.run { clock in
            let session = DictationSession(
                engine: ScriptedEngine(), capturer: ScriptedCapturer([.tone(440, for: .seconds(10))]),
                spool: StuckSpool())
            await session.waitUntilSettled()
            try await session.start()
            await session.waitUntilSettled()
            #expect(clock.now.offset == .seconds(2))
            await session.stop()
            await session.waitUntilSettled()
            #expect(clock.now.offset < .seconds(60))
        }
    }

    private func cancelledAfterThreeSeconds(_ spool: any AudioSpool) async throws -> DictationSession {
        let session = DictationSession(
            engine: ScriptedEngine(), capturer: ScriptedCapturer([.tone(440, for: .seconds(10))]), spool: spool)
        try await session.start()
        await DictationRuntime.current.pass(.seconds(3))
        await session.cancel()
        return session
    }

    @Test func aTakeThatWasCancelledIsNotKept() async throws {
        try await inSpool { spool, _ in
            let session = try await cancelledAfterThreeSeconds(spool)
            await DictationRuntime.current.pass(.seconds(3))
            #expect(try await spool.takes().isEmpty)
            withExtendedLifetime(session) {}
        }
    }

    @Test func aTakeThatWasCancelledIsNotKeptByASessionThatGoesAway() async throws {
        try await inSpool { spool, _ in
            _ = try await cancelledAfterThreeSeconds(spool)
            await DictationRuntime.current.pass(.seconds(3))
            #expect(try await spool.takes().isEmpty)
        }
    }

    @Test func aRetryThatIsCancelledKeepsItsAudio() async throws {
        try await inSpool { spool, _ in
            let engine = ScriptedEngine(sessions: [
                [.error(broken, at: .seconds(1))], [.stall(at: .milliseconds(100), for: .seconds(60))],
                [.final("all of it", at: .seconds(1))],
            ])
            let session = DictationSession(
                engine: engine, capturer: ScriptedCapturer([.tone(440, for: .seconds(20))]), spool: spool)
            try await session.start()
            await DictationRuntime.current.pass(.seconds(3))
            #expect(await session.stop().error == broken)
            await session.waitUntilSettled()
            let retrying = DictationRuntime.current.task { try? await session.retry() }
            await DictationRuntime.current.pass(.seconds(1))
            await session.cancel()
            #expect(await retrying.value == nil)
            await session.waitUntilSettled()
            #expect(try await spool.takes().count == 1)
            #expect(try await session.retry().text == "all of it")
            await session.waitUntilSettled()
            #expect(try await spool.takes().isEmpty)
        }
    }

    @Test func aSessionThatGoesAwayKeepsItsAudio() async throws {
        try await inSpool { spool, _ in
            do {
                let session = DictationSession(
                    engine: ScriptedEngine([]), capturer: ScriptedCapturer([.tone(440, for: .seconds(20))]),
                    spool: spool)
                try await session.start()
                await DictationRuntime.current.pass(.seconds(3))
            }
            await DictationRuntime.current.pass(.seconds(5))
            #expect(try await spool.takes().count == 1)
        }
    }

    @Test func aGapAfterAPauseLiesWhereItLayInTheTake() async throws {
        try await inSpool { spool, _ in
            let microphone = ScriptedCapturer([
                .tone(440, for: .milliseconds(500)), .gap(for: .milliseconds(500)), .tone(440, for: .seconds(20)),
            ])
            let engine = ScriptedEngine([.error(broken, at: .milliseconds(3_500))])
            let session = DictationSession(engine: engine, capturer: microphone, spool: spool)
            try await session.start()
            await DictationRuntime.current.pass(.seconds(2))
            await session.pause()
            await DictationRuntime.current.pass(.seconds(1))
            try await session.resume()
            await DictationRuntime.current.pass(.seconds(3))
            let transcript = await session.stop()
            await session.waitUntilSettled()
            var position = Duration.zero
            var gaps: [Range<Duration>] = []
            for try await event in try await spool.read(try #require(try await spool.takes().first).id) {
                switch event {
                case .buffer(let buffer):
                    #expect(buffer.start == position)
                    position = buffer.end
                case .gap(let gap):
                    #expect(gap.range.lowerBound == position)
                    position = gap.range.upperBound
                    gaps.append(gap.range)
                default: break
                }
            }
            #expect(gaps.count == 2 && gaps == transcript.gaps.filter { $0.cause != .engineFailed }.map(\.range))
        }
    }

    @Test func aSpoolThatFailsIsReportedAndTheTakeGoesOn() async throws {
        try await VirtualTime.run { clock in
            let spool = WaveSpool(folder: "/proc/nothing/can/be/written/here")
            let session = DictationSession(
                engine: ScriptedEngine(), capturer: ScriptedCapturer([.tone(440, for: .seconds(10))]), spool: spool)
            let events = session.events()
            try await session.start()
            await clock.advance(by: .milliseconds(2_100))
            #expect(await session.stop().text.hasPrefix("one two three four"))
            var failures = 0
            for await event in events {
                if case .spoolFailed = event.kind { failures += 1 }
                if case .ended = event.kind { break }
            }
            #expect(failures == 1)
        }
    }

    @Test func aRetryDuringATakeIsRefused() async throws {
        try await inSpool { spool, _ in
            let session = DictationSession(
                engine: ScriptedEngine(), capturer: ScriptedCapturer([.tone(440, for: .seconds(10))]), spool: spool)
            try await session.start()
            await #expect { try await session.retry("any") } throws: { ($0 as? DictationError)?.code == .notRunning }
            await session.cancel()
        }
    }

    private func inSpool(
        _ body: @escaping @Sendable (WaveSpool, String) async throws -> Void
    ) async throws {
        let folder = FileManager.default.temporaryDirectory.path + "/dictation-spool-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try await VirtualTime.run { _ in try await body(WaveSpool(folder: folder), folder) }
    }
}

extension DictationRuntime {
    /// Waits, and ends early without an error when the task is cancelled.
    fileprivate func pass(_ duration: Duration) async { try? await sleep(duration) }
}
