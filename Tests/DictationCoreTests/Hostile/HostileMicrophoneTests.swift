import DictationCapture
import DictationCore
import DictationEngines
import DictationTesting
import Testing

/// Formats that change during a take, and gaps anywhere.
@Suite struct HostileMicrophoneTests {
    #if SampleRate
    typealias Step = ScriptedCapturer.Step
    static func format(_ rate: Int, _ channels: Int = 1, _ type: AudioFormat.SampleType = .int16) -> Step {
        .format(AudioFormat(sampleRate: rate, channelCount: channels, sampleType: type))
    }
    static let scripts: [[Step]] = [
        [.gap(for: .seconds(1)), .tone(440, for: .seconds(1)), .gap(for: .seconds(1)), .end],
        [.gap(for: .milliseconds(7)), .end],
        [.gap(for: .seconds(3_600)), .end],
        [
            .tone(300, for: .milliseconds(13)), .gap(for: .milliseconds(13)), .tone(300, for: .milliseconds(13)),
            .end,
        ],
        [
            format(44_100), .tone(300, for: .seconds(1)), format(48_000, 2, .float32), .tone(300, for: .seconds(1)),
            format(11_025, 1, .int24), .tone(300, for: .seconds(1)), format(192_000, 6, .float64),
            .tone(300, for: .seconds(1)), format(16_000), .tone(300, for: .seconds(1)), .end,
        ],
        [
            format(44_100), .gap(for: .seconds(1)), .tone(300, for: .seconds(1)), format(8_000),
            .gap(for: .seconds(2)), .tone(300, for: .seconds(1)), .gap(for: .seconds(1)), format(96_000), .end,
        ],
        [
            format(11_025), .unplug(for: .seconds(1)), format(48_000), .tone(300, for: .seconds(1)),
            .suspend(for: .seconds(2)), format(22_050), .tone(300, for: .seconds(1)), .stall(for: .seconds(1)),
            .end,
        ],
        (0..<50).flatMap { index -> [Step] in
            [
                format([11_025, 44_100, 192_000, 8_000][index % 4]), .tone(300, for: .microseconds(7_919)),
                .gap(for: .microseconds(3_331)),
            ]
        } + [.end],
    ]

    @Test(arguments: scripts.indices, 1...3 as ClosedRange<UInt64>)
    func audioAndGapsAddUpToTheTake(script: Int, seed: UInt64) async throws {
        try await VirtualTime.run(seed: seed) { clock in
            let engine = ScriptedEngine()
            let spool = HostileSpool([.close: .hanging])
            let microphone = ScriptedCapturer(Self.scripts[script], bufferDuration: .microseconds(23_456))
            let session = DictationSession(
                engine: engine, capturer: microphone, converters: SampleRateConverter.Provider(quality: .fast),
                spool: spool, configuration: shortLimits())
            let witness = Witness(session)
            _ = try? await session.start()
            await clock.advance(by: .seconds(8_000))
            let text = try #require(witness.ended[TakeID(number: 1)])
            let told = witness.events.compactMap { if case .gap(let gap) = $0.kind { gap } else { nil } }
            #expect(text.gaps == told)
            let left = unaccounted(text, fed: engine.sessions.flatMap(\.ranges))
            #expect(left.missing < .milliseconds(10))
            #expect(left.doubled < .milliseconds(10))
            #expect(text == session.transcript)
            #expect(witness.problems == [])
            // The spool keeps all audio of an incomplete take, and none of a complete take.
            let kept = spool.disk.value.duration(of: "take 0")
            #expect(text.isComplete ? kept == .zero : abs((kept - text.duration).inSeconds) < 0.001)
        }
    }
    #endif

    @Test func aFormatThatNothingConvertsEndsTheTakeWithItsText() async throws {
        try await VirtualTime.run { clock in
            let engine = ScriptedEngine([.final("said", at: .seconds(1)), .volatile("seen", at: .seconds(1.5))])
            let microphone = ScriptedCapturer([
                .tone(440, for: .seconds(2)), .format(AudioFormat(sampleRate: 44_100)), .tone(440, for: .seconds(5)),
            ])
            let session = DictationSession(
                engine: engine, capturer: microphone, converters: BasicConverter.Provider(),
                configuration: shortLimits())
            let witness = Witness(session)
            try await session.start()
            await clock.advance(by: .seconds(10))
            let text = await session.stop()
            #expect(text.error?.code == .unsupportedFormat)
            #expect(text.text == "said seen")
            #expect(!text.isComplete)
            let left = unaccounted(text, fed: engine.sessions.flatMap(\.ranges))
            #expect(left.missing < .milliseconds(1), "\(text.gaps)")
            #expect(left.doubled < .milliseconds(1))
            #expect(witness.problems == [])
            #expect(engine.openSessions == 0)
        }
    }

    @Test func aTakeWithoutASingleSampleEndsEmpty() async throws {
        try await VirtualTime.run { clock in
            let engine = ScriptedEngine()
            let session = DictationSession(
                engine: engine, capturer: ScriptedCapturer([.nothing(for: .seconds(50))]), configuration: shortLimits())
            let witness = Witness(session)
            try await session.start()
            await clock.advance(by: .seconds(5))
            #expect(witness.shown.input == .noAudio)
            let text = await session.stop()
            #expect(text.isEmpty && text.error == nil && text.duration == .zero && text.isComplete)
            await clock.advance(by: .seconds(5))
            #expect(witness.problems == [])
        }
    }
}

extension HostileMicrophoneTests {
    /// What takes too long for everyday runs.
    @Suite struct ProofTests {
        @Test(arguments: [1, 2, 3, 5, 8, 10]) func anEngineThatIsBehindCostsOnlyWhatTheGapsSay(backlog: Int)
            async throws
        {
            try await VirtualTime.run { clock in
                let engine = ScriptedEngine([
                    .stall(at: .seconds(1), for: .seconds(20)), .final("end", at: .seconds(2)),
                ])
                let microphone = ScriptedCapturer(
                    [.tone(440, for: .seconds(90))], bufferDuration: .microseconds(33_333))
                let spool = HostileSpool()
                let session = DictationSession(
                    engine: engine, capturer: microphone, spool: spool,
                    configuration: shortLimits { $0.backlog = .seconds(backlog) })
                let witness = Witness(session)
                try await session.start()
                await clock.advance(by: .seconds(60))
                let text = await session.stop()
                await session.waitUntilSettled()
                let lost = text.gaps.filter { $0.cause == .engineBehind }.reduce(0) { $0 + $1.frameCount }
                #expect(lost > 0)
                #expect(engine.framesFed + lost == microphone.counts.captured)
                #expect(!text.isComplete)
                #expect(spool.disk.value.events.count == 1)
                let again = try await session.retry()
                #expect(again.isComplete && again.gaps.isEmpty)
                await session.waitUntilSettled()
                #expect(spool.disk.value.events.isEmpty)
                await clock.advance(by: .seconds(10))
                #expect(witness.problems == [])
            }
        }
    }
}
