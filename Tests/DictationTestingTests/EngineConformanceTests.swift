import DictationCore
import DictationTesting
import Testing

@Suite struct EngineConformanceTests {
    @Test(arguments: [false, true]) func aSoundEngineConforms(isWrapped: Bool) async throws {
        let report = try await VirtualTime.run { _ in
            await expectConformance(of: suite(SpecimenEngine(wrapsSessions: isWrapped)))
        }
        #expect(report?.unchecked.isEmpty == true)
        #expect(report?.checked == EngineConformance.Clause.allCases)
    }

    @Test func aSlowSoundEngineConforms() async throws {
        let flaws = WordDecoder.Flaws(slowness: .milliseconds(20))
        _ = try await VirtualTime.run { _ in await expectConformance(of: suite(SpecimenEngine(flaws: flaws))) }
    }

    @Test(arguments: 1...5 as ClosedRange<UInt64>)
    func aSoundEngineConformsInAnyOrderOfTasks(seed: UInt64) async throws {
        _ = try await VirtualTime.run(seed: seed) { _ in await expectConformance(of: suite(SpecimenEngine())) }
    }

    @Test func aSoundEngineConformsInRealTime() async throws {
        var suite = suite(SpecimenEngine())
        suite.shortTimeout = .milliseconds(100)
        await expectConformance(of: suite)
    }

    @Test func anEngineThatNeverAnswersIsReportedAndNotWaitedFor() async throws {
        _ = try await VirtualTime.run { _ in
            await #expect { try await EngineConformance(MuteEngine(), audio: WordDecoder.audio).run() } throws: {
                ($0 as? DictationError)?.message.contains("did not return") == true
            }
        }
    }

    @Test func audioThatTheEngineCannotTakeIsRefused() async {
        let wrong = [AudioBuffer(silence: 44_100, format: AudioFormat(sampleRate: 44_100))]
        for audio in [wrong, [], Array(WordDecoder.audio.reversed())] {
            await #expect { try await EngineConformance(SpecimenEngine(), audio: audio).run() } throws: {
                ($0 as? DictationError)?.code == .invalidInput
            }
        }
    }

    @Test func aBrokenPromiseIsAnIssueAtTheCallersLine() async throws {
        let line = #line + 3
        try await VirtualTime.run { _ in
            await withKnownIssue {
                _ = await expectConformance(of: suite(SpecimenEngine(.prepareProgressOnlyGrows)))
            } matching: { issue in
                issue.sourceLocation?.line == line
                    && issue.comments.contains { $0.rawValue.contains("prepareProgressOnlyGrows") }
            }
        }
    }

    private func suite(_ engine: SpecimenEngine) -> EngineConformance {
        let fault = engine.fault
        let middle = Duration.milliseconds(650)
        return EngineConformance(
            engine, audio: WordDecoder.audio,
            failing: SpecimenEngine(
                fault == .engineErrorReachesEveryone ? fault : nil, flaws: WordDecoder.Flaws(failsAt: middle)),
            stalling: SpecimenEngine(
                fault == .stalledEngineIsLeft ? fault : nil, flaws: WordDecoder.Flaws(stallsAt: middle)))
    }
}

/// An engine that never says anything.
private struct MuteEngine: SpeechEngine {
    let name = "mute"
    let capabilities = EngineCapabilities()
    var supportedLocales: [SpeechLocale] { [] }
    let runtime = DictationRuntime.current

    func audioFormat(for options: RecognitionOptions) async throws(DictationError) -> AudioFormat {
        try? await runtime.sleep(.seconds(1_000_000))
        return .speech
    }

    func makeSession(_ options: RecognitionOptions) async throws(DictationError) -> any RecognitionSession {
        throw DictationError(.notBuilt, "There are no sessions.")
    }
}

extension EngineConformanceTests {
    /// What takes too long for everyday runs.
    @Suite struct ProofTests {
        @Test(arguments: EngineConformance.Clause.allCases) func aBrokenPromiseIsNamed(clause: EngineConformance.Clause)
            async throws
        {
            let report = try await VirtualTime.run { _ in
                try await EngineConformanceTests().suite(SpecimenEngine(clause)).run()
            }
            #expect(report.broken.contains(clause), "\(report)")
            #expect(report.unchecked[clause] == nil)
        }
    }
}
