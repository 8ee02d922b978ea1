import DictationCapture
import DictationCore
import DictationEngines
import DictationTesting
import Testing

/// User code that calls the session from inside its callbacks.
@Suite struct HostileReentrancyTests {
    typealias Call = HostileSessionTests.Call
    static let calls: [Call] = [.start, .stop, .cancel, .pause, .resume, .toggle, .retry, .prepare]

    /// Starts a take, stops it, and checks that all of its work has ended.
    static func take(
        _ session: DictationSession, _ witness: Witness, clock: ManualClock, thenQuiet quiet: () -> Void = {}
    ) async {
        let began = clock.now.offset
        _ = try? await session.start()
        await clock.advance(by: .seconds(2))
        _ = await session.stop()
        await session.waitUntilSettled()
        #expect(clock.now.offset - began < .seconds(30))
        quiet()
        _ = await session.stop()
        await clock.advance(by: .seconds(60))
        _ = await session.stop()
        await clock.advance(by: .seconds(60))
        #expect(witness.problems == [])
    }

    @Test(arguments: calls) func aCapturerMayCallTheSessionWhenItStartsAndStops(call: Call) async throws {
        try await VirtualTime.run { clock in
            let session = Held<DictationSession?>(nil)
            let left = Held(6)
            let feed = Held<CaptureFeed?>(nil)
            @Sendable func callBack() async {
                look(session.value)
                guard
                    left.change({ left in
                        left -= 1; return left >= 0
                    }), let session = session.value
                else { return }
                await call.make(on: session)
            }
            let microphone = HostileCapturer(
                stop: { _ in
                    await callBack()
                    feed.value?.finish()
                },
                start: { _ in
                    let new = CaptureFeed()
                    feed.value = new
                    await callBack()
                    new.write(humming)
                    return new.stream
                })
            let engine = ScriptedEngine([.final("said", at: .milliseconds(100))])
            let made = DictationSession(engine: engine, capturer: microphone, configuration: shortLimits())
            session.value = made
            let witness = Witness(made)
            await Self.take(made, witness, clock: clock) { left.value = 0 }
            session.value = nil
            #expect(engine.openSessions == 0)
        }
    }

    @Test(arguments: calls) func anEngineSessionMayCallTheSessionFromEverywhere(call: Call) async throws {
        try await VirtualTime.run { clock in
            let session = Held<DictationSession?>(nil)
            let left = Held(6)
            @Sendable func callBack() async {
                look(session.value)
                guard
                    left.change({ left in
                        left -= 1; return left >= 0
                    }), let session = session.value
                else { return }
                await call.make(on: session)
            }
            let sessions = HandSessions()
            let engine = sessions.engine(
                .init(
                    start: { hand, input in
                        look(session.value)
                        hand.read(input)
                    },
                    finalize: { _ in
                        await callBack()
                        return .complete
                    },
                    finish: { hand in
                        await callBack()
                        hand.out.finish()
                        return .complete
                    },
                    cancel: { hand in
                        await callBack()
                        hand.out.finish()
                    },
                    whenReleased: { look(session.value) }))
            let made = DictationSession(
                engine: engine, capturer: ScriptedCapturer([.tone(440, for: .seconds(300))]),
                configuration: shortLimits())
            session.value = made
            let witness = Witness(made)
            await Self.take(made, witness, clock: clock) { left.value = 0 }
            session.value = nil
            #expect(sessions.areEnded)
        }
    }

    @Test(arguments: calls) func anEngineMayCallTheSessionWhileItMakesASession(call: Call) async throws {
        try await VirtualTime.run { clock in
            let session = Held<DictationSession?>(nil)
            let left = Held(4)
            let made = Held<[HandSession]>([])
            let engine = HandEngine { _ in
                look(session.value)
                if left.change({ left in
                    left -= 1; return left >= 0
                }), let session = session.value {
                    await call.make(on: session)
                }
                let hand = HandSession()
                made.change { $0.append(hand) }
                return hand
            }
            let dictation = DictationSession(
                engine: engine, capturer: ScriptedCapturer([.tone(440, for: .seconds(300))]),
                configuration: shortLimits())
            session.value = dictation
            let witness = Witness(dictation)
            await Self.take(dictation, witness, clock: clock) { left.value = 0 }
            session.value = nil
            #expect(made.value.allSatisfy { $0.wasEnded })
        }
    }

    @Test(arguments: [Call.start, .stop, .cancel, .pause, .toggle], 1...3 as ClosedRange<UInt64>)
    func aCancellationHandlerMayCallTheSession(call: Call, seed: UInt64) async throws {
        try await VirtualTime.run(seed: seed) { clock in
            let session = Held<DictationSession?>(nil)
            let runtime = DictationRuntime.current
            let left = Held(5)
            let engine = HandEngine { _ in
                HandSession(
                    .init(take: { _, _ in
                        await withTaskCancellationHandler {
                            try? await runtime.sleep(.seconds(100))
                        } onCancel: {
                            look(session.value)
                            guard
                                left.change({ left in
                                    left -= 1; return left >= 0
                                })
                            else { return }
                            _ = runtime.task { if let session = session.value { await call.make(on: session) } }
                        }
                    }))
            }
            let microphone = ScriptedCapturer([.tone(440, for: .seconds(300))])
            let dictation = DictationSession(engine: engine, capturer: microphone, configuration: shortLimits())
            session.value = dictation
            let witness = Witness(dictation)
            await Self.take(dictation, witness, clock: clock) { left.value = 0 }
            session.value = nil
        }
    }

    @Test func aPullThatIsCancelledMayLookAtTheSession() async throws {
        try await VirtualTime.run { clock in
            let session = Held<DictationSession?>(nil)
            let runtime = DictationRuntime.current
            let looks = Count()
            let microphone = HostileCapturer { _ in
                stream { number in
                    if number < 10 { return .buffer(humming) }
                    await withTaskCancellationHandler {
                        try? await runtime.sleep(.seconds(1_000))
                    } onCancel: {
                        look(session.value)
                        looks.next()
                    }
                    return nil
                }
            }
            let engine = ScriptedEngine([.final("said", at: .milliseconds(500))])
            let dictation = DictationSession(engine: engine, capturer: microphone, configuration: shortLimits())
            session.value = dictation
            let witness = Witness(dictation)
            await Self.take(dictation, witness, clock: clock)
            session.value = nil
            #expect(looks.value == 1)
            #expect(dictation.transcript.text == "said")
        }
    }

    @Test(arguments: calls) func aListenerMayMakeAnyCallAtAnyEvent(call: Call) async throws {
        try await VirtualTime.run { clock in
            let engine = ScriptedEngine()
            let session = DictationSession(
                engine: engine, capturer: ScriptedCapturer([.tone(440, for: .seconds(300))]),
                configuration: shortLimits())
            let witness = Witness(session)
            let calling = DictationRuntime.current.task { [events = session.events()] in
                var left = 12
                for await _ in events where left > 0 {
                    left -= 1
                    await call.make(on: session)
                    look(session)
                }
            }
            await Self.take(session, witness, clock: clock)
            calling.cancel()
            await calling.value
            #expect(engine.openSessions == 0)
        }
    }

    @Test(arguments: calls) func aSpoolMayCallTheSession(call: Call) async throws {
        try await VirtualTime.run { clock in
            let session = Held<DictationSession?>(nil)
            let left = Held(5)
            let spool = CallingSpool {
                look(session.value)
                guard
                    left.change({ left in
                        left -= 1; return left >= 0
                    }), let session = session.value
                else { return }
                await call.make(on: session)
            }
            let dictation = DictationSession(
                engine: ScriptedEngine(), capturer: ScriptedCapturer([.tone(440, for: .seconds(300))]), spool: spool,
                configuration: shortLimits())
            session.value = dictation
            let witness = Witness(dictation)
            await Self.take(dictation, witness, clock: clock) { left.value = 0 }
            session.value = nil
        }
    }

    /// A converter is created and used while the engine pulls audio.
    @Test func aConverterMayLookAtTheSession() async throws {
        try await VirtualTime.run { clock in
            let session = Held<DictationSession?>(nil)
            let dictation = DictationSession(
                engine: ScriptedEngine(), capturer: ScriptedCapturer([.tone(440, for: .seconds(300))]),
                converters: HostileConverters { input, output in
                    look(session.value)
                    return HostileConverter(
                        input, output,
                        convert: { buffer in
                            look(session.value)
                            return buffer
                        })
                }, configuration: shortLimits())
            session.value = dictation
            let witness = Witness(dictation)
            await Self.take(dictation, witness, clock: clock)
            session.value = nil
        }
    }
}

/// Reads all properties of a session and asks for its events.
private func look(_ session: DictationSession?) {
    guard let session else { return }
    _ = (session.state, session.transcript, session.elapsed, session.configuration)
    session.configuration = session.configuration
    _ = session.events()
}

private struct CallingSpool: AudioSpool {
    let call: @Sendable () async -> Void

    func makeWriter() async throws(DictationError) -> any AudioSpoolWriter {
        await call()
        return Writer(call: call)
    }
    func takes() async throws(DictationError) -> [SpooledTake] { [] }
    func read(_ id: SpooledTake.ID) async throws(DictationError) -> CaptureStream {
        await call()
        return stream { _ in nil }
    }
    func discard(_ id: SpooledTake.ID) async throws(DictationError) { await call() }

    struct Writer: AudioSpoolWriter {
        let id = "it"
        let call: @Sendable () async -> Void
        func append(_ event: CaptureEvent) async throws(DictationError) { await call() }
        func close() async throws(DictationError) { await call() }
    }
}
