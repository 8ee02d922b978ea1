import DictationCapture
import DictationCore
import DictationEngines
import DictationTesting
import Synchronization
import Testing

/// A microphone that is slow or can't be opened is not left open, and does not delay the next start.
@Suite struct MicrophoneTests {
    /// A microphone that opens after a delay and ignores a stop before that, as drivers do.
    final class DeafMicrophone: AudioCapturer {
        struct State: Sendable {
            var isOpening = false
            var isOpen = false
            var feed: CaptureFeed?
        }

        let pacing = CaptureStream.Pacing.live
        let state = Watched(State())
        private let delays: Mutex<[Duration]>
        private let runtime = DictationRuntime.current

        init(_ delays: [Duration]) { self.delays = Mutex(delays) }

        func start(_ options: CaptureOptions) async throws(DictationError) -> CaptureStream {
            let isBusy = state.change { state in
                defer { state.isOpening = true }
                return state.isOpen || state.isOpening
            }
            if isBusy { throw DictationError(.alreadyRunning, "It is busy.") }
            let delay = delays.withLock { $0.count > 1 ? $0.removeFirst() : $0[0] }
            // Cancelling the caller must not end the delay, because a driver can't be cancelled.
            let runtime = runtime
            await runtime.task { try? await runtime.sleep(delay) }.value
            let feed = CaptureFeed()
            state.change { $0 = State(isOpen: true, feed: feed) }
            return feed.stream
        }

        func stop(_ mode: CaptureOptions.StopMode) async {
            state.change { state in
                state.feed?.finish()
                state.isOpen = false
                state.feed = nil
            }
        }
    }

    @Test(arguments: 0..<200) func aMicrophoneThatOpensAsTheTimeRunsOutIsNotLeftOpen(seed: UInt64) async throws {
        try await VirtualTime.run(seed: seed) { clock in
            let microphone = DeafMicrophone([.milliseconds(100), .milliseconds(1)])
            let session = DictationSession(engine: WordEngine(), capturer: microphone)
            session.configuration.openTimeout = .milliseconds(100)
            do throws(DictationError) {
                try await session.start()
                await session.stop()
            } catch {
                #expect(error.code == .timedOut)
            }
            await clock.advance(by: .seconds(5))
            #expect(!microphone.state.value.isOpen)
            try await session.start()
            #expect(session.state == .recording)
            await session.cancel()
            await clock.advance(by: .seconds(5))
            #expect(!microphone.state.value.isOpen)
        }
    }

    @Test(arguments: [Duration.seconds(1), .seconds(9)])
    func anOpenThatWasGivenUpIsClosedWhenItComes(limit: Duration) async throws {
        try await VirtualTime.run { clock in
            let microphone = DeafMicrophone([.seconds(30), .milliseconds(1)])
            let session = DictationSession(engine: WordEngine(), capturer: microphone)
            session.configuration.openTimeout = limit
            await #expect(throws: DictationError.self) { try await session.start() }
            await clock.advance(by: .seconds(40))
            #expect(!microphone.state.value.isOpen)
            try await session.start()
            #expect(session.state == .recording)
        }
    }

    /// A microphone whose first start is slow and which accepts another start meanwhile. A stop ends both starts.
    private final class SlowOnceMicrophone: AudioCapturer {
        private struct State: Sendable {
            var starts = 0
            var feed: CaptureFeed?
        }

        let pacing = CaptureStream.Pacing.live
        private let state = Watched(State())
        private let runtime = DictationRuntime.current

        func start(_ options: CaptureOptions) async throws(DictationError) -> CaptureStream {
            let number = state.change { state in
                state.starts += 1
                return state.starts
            }
            let runtime = runtime
            if number == 1 { await runtime.task { try? await runtime.sleep(.seconds(30)) }.value }
            let feed = CaptureFeed()
            state.change { state in
                if state.starts == number { state.feed = feed } else { feed.finish() }
            }
            return feed.stream
        }

        func stop(_ mode: CaptureOptions.StopMode) async { state.change { $0.feed?.finish() } }
    }

    @Test func anOpenThatComesLateDoesNotCloseTheNextTakesMicrophone() async throws {
        try await VirtualTime.run { clock in
            let session = DictationSession(engine: WordEngine(), capturer: SlowOnceMicrophone())
            session.configuration.openTimeout = .seconds(1)
            await #expect(throws: DictationError.self) { try await session.start() }
            try await session.start()
            await clock.advance(by: .seconds(60))
            #expect(session.state == .recording)
        }
    }

    /// After a stop, a capturer may be started again even if an earlier start has not returned.
    @Test func anOpenThatWasCancelledDoesNotHoldUpTheNextStart() async throws {
        try await VirtualTime.run { clock in
            let microphone = ScriptedCapturer([.tone(440, for: .seconds(60))]) { $0.startDelay = .seconds(8) }
            let session = DictationSession(engine: WordEngine(), capturer: microphone)
            let first = DictationRuntime.current.task { try? await session.start() }
            await clock.advance(by: .seconds(1))
            await session.cancel()
            #expect(await first.value == nil)
            let began = clock.now.offset
            try await session.start()
            #expect(session.state == .recording)
            #expect(clock.now.offset - began <= .seconds(8) + .milliseconds(100))
            #expect(microphone.counts.starts == 2)
        }
    }

    @Test func aStartWhoseCallerIsCancelledLeavesNothingOpen() async throws {
        try await VirtualTime.run { clock in
            var engine = WordEngine()
            engine.warmUp = .seconds(30)
            let microphone = DeafMicrophone([.milliseconds(10)])
            let session = DictationSession(engine: engine, capturer: microphone)
            let starting = DictationRuntime.current.task { () -> DictationError? in
                do throws(DictationError) { try await session.start() } catch { return error }
                return nil
            }
            await clock.advance(by: .seconds(1))
            #expect(session.state == .recording)
            starting.cancel()
            #expect(await starting.value?.code == .cancelled)
            await clock.advance(by: .seconds(1))
            #expect(session.state == .idle && !microphone.state.value.isOpen)
        }
    }

    @Test func aStartThatOnlyJoinedATakeMayBeCancelledAlone() async throws {
        try await VirtualTime.run { clock in
            var engine = WordEngine()
            engine.warmUp = .seconds(5)
            let session = DictationSession(
                engine: engine, capturer: ScriptedCapturer([.tone(440, for: .seconds(60))]))
            async let first = session.start()
            await clock.advance(by: .seconds(1))
            let second = DictationRuntime.current.task { try? await session.start() }
            await clock.advance(by: .seconds(1))
            second.cancel()
            _ = try await first
            #expect(session.state == .recording)
        }
    }

    private static let strangeTimes: [Duration] = [
        .seconds(Int64.min), .seconds(-1), .zero, .nanoseconds(1), .seconds(1), .seconds(Int64.max),
    ]

    @Test(arguments: strangeTimes, 0..<9) func anyTimeInAConfigurationIsTaken(time: Duration, setting: Int) async throws
    {
        try await VirtualTime.run(realTimeLimit: .seconds(60)) { clock in
            var configuration = DictationSession.Configuration()
            switch setting {
            case 0: configuration.tail = time
            case 1: configuration.backlog = time
            case 2: configuration.openTimeout = time
            case 3: configuration.warmUpTimeout = time
            case 4: configuration.stopTimeout = time
            case 5: configuration.retryDelay = time
            case 6: configuration.endingSilence = time
            case 7: configuration.maximumLength = time
            default: configuration.input.silenceTimeout = time
            }
            let session = DictationSession(
                engine: WordEngine(), capturer: ScriptedCapturer([.tone(440, for: .seconds(3)), .end]),
                configuration: configuration)
            _ = try? await session.start()
            await clock.advance(by: .seconds(2))
            let stopping = DictationRuntime.current.task { await session.stop() }
            await clock.advance(by: .seconds(30))
            await session.cancel()
            _ = await stopping.value
            await clock.advance(by: .seconds(5))
            #expect(!session.state.isActive)
        }
    }

    @Test(arguments: [Duration.seconds(-1), .zero, .nanoseconds(1)])
    func anyRetryDelayIsTakenWithoutASpin(delay: Duration) async throws {
        try await VirtualTime.run(realTimeLimit: .seconds(20)) { clock in
            let microphone = ScriptedCapturer([.tone(440, for: .seconds(60))]) { $0.openFailures = 1_000_000 }
            let session = DictationSession(engine: WordEngine(), capturer: microphone)
            session.configuration.retryDelay = delay
            await #expect { try await session.start() } throws: { ($0 as? DictationError)?.code == .deviceUnavailable }
            #expect(microphone.counts.starts < 30)
            #expect(clock.now.offset <= .seconds(10))
        }
    }
}
