import DictationCapture
import DictationCore
import DictationEngines
import DictationTesting
import Testing

/// Microphones that break their promises.
@Suite struct HostileCapturerTests {
    /// Runs a take with a microphone and checks the promises of every take.
    static func take(
        _ microphone: any AudioCapturer, for length: Duration = .seconds(5),
        engine: ScriptedEngine = ScriptedEngine([]),
        seed: UInt64? = nil, clock: ManualClock, configuration: DictationSession.Configuration = shortLimits()
    ) async -> (text: Transcript, witness: Witness, session: DictationSession) {
        let session = DictationSession(engine: engine, capturer: microphone, configuration: configuration)
        let witness = Witness(session)
        let began = clock.now.offset
        _ = try? await session.start()
        #expect(clock.now.offset - began <= .seconds(3.5))
        await clock.advance(by: length)
        let stopped = clock.now.offset
        let text = await session.stop()
        #expect(clock.now.offset - stopped <= .seconds(2.5))
        await session.waitUntilSettled()
        #expect(clock.now.offset - stopped <= .seconds(20))
        await clock.advance(by: .seconds(60))
        #expect(witness.problems == [])
        #expect(witness.ended.values.contains(text) || witness.ended.isEmpty)
        #expect(engine.openSessions == 0)
        return (text, witness, session)
    }

    @Test func oneThatEndsAtOnceEndsTheTake() async throws {
        try await VirtualTime.run { clock in
            let microphone = HostileCapturer { _ in stream { _ in nil } }
            let (text, _, session) = await Self.take(microphone, clock: clock)
            #expect(text.isEmpty && text.error == nil)
            #expect(session.state == .idle)
        }
    }

    /// The take stops reading a stream that it has left.
    @Test func oneThatNeverEndsAfterItsStopIsLeft() async throws {
        try await VirtualTime.run { clock in
            let pulls = Pulls()
            let microphone = HostileCapturer { _ in
                stream { _ in await pulls.isTooLate ? nil : .buffer(humming) }
            }
            let engine = ScriptedEngine([.final("said", at: .seconds(1))])
            let (text, _, _) = await Self.take(microphone, engine: engine, clock: clock)
            #expect(text.text == "said")
            #expect(microphone.stops.value > 0)
            // The reader stops soon after the take has left the stream.
            #expect(pulls.late.value <= 1)
        }
    }

    /// The take stops reading a stream that it has left.
    @Test(arguments: [true, false]) func oneWhoseStreamHangsDeafIsLeft(beforeAnything: Bool) async throws {
        try await VirtualTime.run { clock in
            let gate = Gate()
            let pulls = Pulls()
            let microphone = HostileCapturer { _ in
                stream { number in
                    if beforeAnything || number > 12 { await gate.wait() }
                    return await pulls.isTooLate ? nil : .buffer(humming)
                }
            }
            let engine = ScriptedEngine([.final("said", at: .seconds(1))])
            let (text, witness, _) = await Self.take(microphone, engine: engine, clock: clock)
            #expect(text.text == (beforeAnything ? "" : "said"))
            let count = witness.events.count
            // Audio that comes after the take left the stream belongs to no take.
            gate.open()
            await clock.advance(by: .seconds(20))
            #expect(witness.events.count == count)
            #expect(pulls.late.value <= 1)
        }
    }

    @Test func oneWhoseStopHangsDeafIsLeftAndTheNextTakeRecords() async throws {
        try await VirtualTime.run { clock in
            let gate = Gate()
            let microphone = FedCapturer(beforeStop: { await gate.wait() })
            let (text, _, session) = await Self.take(microphone, clock: clock)
            #expect(text.duration >= .seconds(5))
            let began = clock.now.offset
            await #expect(throws: DictationError.self) { try await session.start() }
            #expect(clock.now.offset - began <= .seconds(3.5))
            gate.open()
            await clock.advance(by: .seconds(1))
            try await session.start()
            await clock.advance(by: .seconds(1))
            #expect(await session.stop().duration >= .seconds(1))
            await session.waitUntilSettled()
            await clock.advance(by: .seconds(10))
            #expect(microphone.open.value == 0)
        }
    }

    @Test(arguments: [0.0, 1.9, 2.0, 2.1, 5.0], 1...3 as ClosedRange<UInt64>)
    func oneThatOpensLateIsClosed(opening: Double, seed: UInt64) async throws {
        try await VirtualTime.run(seed: seed) { clock in
            let runtime = DictationRuntime.current
            let open = Count()
            let feed = CaptureFeed()
            let microphone = HostileCapturer(
                stop: { _ in
                    feed.finish()
                    if open.value > 0 { open.drop() }
                },
                start: { _ in
                    // The start ignores the cancellation of its caller.
                    await runtime.task { await runtime.rest(.seconds(opening)) }.value
                    open.next()
                    return feed.stream
                })
            _ = await Self.take(microphone, clock: clock)
            #expect(open.value == 0)
        }
    }

    @Test func oneThatThrowsLateKeepsTheText() async throws {
        try await VirtualTime.run { clock in
            let gone = DictationError(.deviceLost, "Gone.")
            let microphone = HostileCapturer { _ in
                stream { number throws(DictationError) in
                    if number < 20 { return .buffer(humming) }
                    throw gone
                }
            }
            let engine = ScriptedEngine([.final("one", at: .seconds(1)), .volatile("two", at: .seconds(2))])
            let (text, _, session) = await Self.take(microphone, engine: engine, clock: clock)
            #expect(text.text.hasPrefix("one"))
            #expect(text.error == gone)
            #expect(!session.state.isActive)
            #expect(engine.framesFed == 32_000)
        }
    }

    @Test func oneThatThrowsAfterTheStopKeepsTheText() async throws {
        try await VirtualTime.run { clock in
            let microphone = FedCapturer(afterStop: { $0.finish(throwing: DictationError(.deviceLost, "Gone.")) })
            let engine = ScriptedEngine([.final("one", at: .seconds(1))])
            let (text, _, _) = await Self.take(microphone, engine: engine, clock: clock)
            #expect(text.text == "one")
        }
    }

    @Test func whatIsDeliveredAfterTheStopIsGivenToTheEngineOrIsAGap() async throws {
        try await VirtualTime.run { clock in
            let microphone = FedCapturer(afterStop: { feed in
                for _ in 0..<30 { feed.write(humming) }
                feed.finish()
                feed.write(humming)
            })
            let engine = ScriptedEngine([])
            let (text, _, _) = await Self.take(microphone, engine: engine, clock: clock)
            let left = unaccounted(text, fed: engine.sessions.flatMap(\.ranges))
            #expect(left.missing == .zero && left.doubled == .zero)
            #expect(text.duration > .seconds(8))
        }
    }

    static let times: [Duration] = [
        .seconds(-5), .zero, .seconds(1e15), .seconds(Int64.max), .seconds(Int64.min), .milliseconds(1),
    ]

    @Test(arguments: times) func wrongTimesCostNothing(time: Duration) async throws {
        try await VirtualTime.run { clock in
            let microphone = HostileCapturer { _ in
                stream { number in number < 30 ? .buffer(humming.moved(to: time)) : nil }
            }
            let engine = ScriptedEngine([.final("one", at: .seconds(1)), .final("two", at: .seconds(2))])
            let (text, _, _) = await Self.take(microphone, engine: engine, clock: clock)
            #expect(text.duration == .seconds(3))
            #expect(text.text == "one two")
            #expect(engine.framesFed == 48_000)
        }
    }

    static let gaps: [AudioGap] = [
        AudioGap(range: .zero..<Duration.zero, frameCount: 0, cause: .overrun),
        AudioGap(range: .zero..<Duration.seconds(1), frameCount: -16_000, cause: .overrun),
        AudioGap(range: .zero..<Duration.seconds(1), frameCount: .max, cause: .unplugged),
        AudioGap(range: .zero..<Duration.seconds(1), frameCount: .min, cause: .stalled),
        AudioGap(range: .seconds(-9)..<Duration.seconds(-8), frameCount: 16_000, cause: .suspended),
        AudioGap(range: .seconds(Int64.min)..<Duration.seconds(Int64.max), frameCount: 16_000, cause: .suspended),
        AudioGap(range: .zero..<Duration.seconds(1e12), frameCount: 0, cause: .damaged),
    ]

    @Test(arguments: gaps.indices) func wrongGapsDoNoHarm(index: Int) async throws {
        try await VirtualTime.run { clock in
            let gap = Self.gaps[index]
            for first in [true, false] {
                let microphone = HostileCapturer { _ in
                    stream { number in
                        if number > 30 { return nil }
                        return number == (first ? 0 : 12) ? .gap(gap) : .buffer(humming)
                    }
                }
                let engine = ScriptedEngine([])
                let (text, _, _) = await Self.take(microphone, engine: engine, clock: clock)
                // After the longest possible time there is no room for more audio, so the text is incomplete.
                #expect(engine.framesFed == 48_000 || !text.isComplete)
                #expect(text.duration >= .seconds(3))
                for gap in text.gaps { #expect(gap.range.lowerBound >= .zero && gap.range.upperBound <= text.duration) }
            }
        }
    }

    @Test func emptyHugeAndBrokenBuffersAreTaken() async throws {
        try await VirtualTime.run { clock in
            let nan = AudioBuffer([Float](repeating: .nan, count: 1_600) + [.infinity, -.infinity, 1e38])
            let huge = AudioBuffer(silence: 16_000 * 300, format: .speech)
            let buffers = [
                AudioBuffer([Int16]()), nan, AudioBuffer(silence: -5, format: .speech), huge, humming,
                AudioBuffer(silence: 1, format: .speech), AudioBuffer([Float](repeating: .signalingNaN, count: 7)),
            ]
            let microphone = HostileCapturer { _ in
                stream { number in number < buffers.count ? .buffer(buffers[number]) : nil }
            }
            let engine = ScriptedEngine([])
            let (text, witness, _) = await Self.take(microphone, for: .seconds(60), engine: engine, clock: clock)
            let frames = buffers.reduce(0) { $0 + Int64($1.frameCount) }
            #expect(text.duration == AudioFormat.speech.duration(ofFrames: frames))
            let left = unaccounted(text, fed: engine.sessions.flatMap(\.ranges))
            #expect(left.missing == .zero && left.doubled == .zero, "\(text.gaps)")
            for event in witness.events {
                if case .level(let level) = event.kind { #expect(!level.rms.value.isNaN && !level.peak.value.isNaN) }
            }
        }
    }

    static let formats = [
        AudioFormat(sampleRate: 0), AudioFormat(sampleRate: -1), AudioFormat(sampleRate: .max),
        AudioFormat(sampleRate: 16_000, channelCount: 0), AudioFormat(sampleRate: 16_000, channelCount: -3),
        AudioFormat(sampleRate: 16_000, channelCount: 1_000_000), AudioFormat(sampleRate: .min, channelCount: .min),
    ]

    @Test(arguments: formats.indices) func impossibleFormatsEndTheTakeInOrder(index: Int) async throws {
        try await VirtualTime.run { clock in
            let format = Self.formats[index]
            let microphone = HostileCapturer { _ in
                stream { number in
                    if number > 30 { return nil }
                    return .buffer(number == 15 ? AudioBuffer(silence: 100, format: format) : humming)
                }
            }
            let engine = ScriptedEngine([.final("one", at: .seconds(1))])
            let (text, _, _) = await Self.take(microphone, engine: engine, clock: clock)
            #expect(text.text == "one")
            let left = unaccounted(text, fed: engine.sessions.flatMap(\.ranges))
            #expect(left.missing < .milliseconds(1) && left.doubled < .milliseconds(1), "\(text)")
        }
    }

    /// The take stops reading a stream that it has left.
    @Test func oneThatPoursOutEventsDoesNotStarveTheStop() async throws {
        try await VirtualTime.run { clock in
            let pulls = Pulls()
            let microphone = HostileCapturer { _ in
                stream { number in
                    if number % 100 == 99, await pulls.isTooLate { return nil }
                    return number % 2 == 0 ? .interrupted(.noData) : .resumed(nil)
                }
            }
            let (text, _, session) = await Self.take(microphone, clock: clock)
            #expect(text.isEmpty)
            #expect(session.state == .idle)
            #expect(pulls.late.value <= 1)
        }
    }

    /// The take stops reading a stream that it has left.
    @Test func oneOnDemandThatNeverEndsIsStopped() async throws {
        try await VirtualTime.run { clock in
            let pulls = Pulls()
            let microphone = HostileCapturer(pacing: .onDemand) { _ in
                stream { number in await pulls.isTooLate ? nil : .buffer(humming) }
            }
            let engine = ScriptedEngine([])
            let (text, _, _) = await Self.take(microphone, engine: engine, clock: clock)
            let left = unaccounted(text, fed: engine.sessions.flatMap(\.ranges))
            #expect(left.missing < .milliseconds(1) && left.doubled == .zero, "\(text.gaps)")
            #expect(pulls.late.value <= 1)
        }
    }
}
