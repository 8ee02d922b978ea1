import DictationCapture
import DictationCore
import DictationTesting
import Testing

@Suite struct CapturerConformanceTests {
    @Test func aSoundCapturerConforms() async throws {
        let report = try await VirtualTime.run { _ in await expectConformance(of: suite(nil)) }
        #expect(report?.unchecked.keys.sorted { $0.rawValue < $1.rawValue } == [.onDemandLosesNothing])
    }

    @Test func aSoundCapturerConformsInRealTime() async {
        var suite = suite(nil)
        suite.overflow = nil
        suite.listening = .milliseconds(100)
        suite.latency = .seconds(1)
        await expectConformance(of: suite)
    }

    @Test(arguments: CapturerConformance.Clause.allCases) func aBrokenPromiseIsNamed(clause: CapturerConformance.Clause)
        async throws
    {
        let report = try await VirtualTime.run { _ in try await suite(clause).run() }
        #expect(report.broken.contains(clause), "\(report)")
    }

    @Test(arguments: [UInt64?.none, 1, 2, 3]) func theScriptedCapturerConforms(seed: UInt64?) async throws {
        let report = try await VirtualTime.run(seed: seed) { _ in
            await expectConformance(
                of: CapturerConformance(
                    ScriptedCapturer([.tone(440, for: .seconds(1)), .gap(for: .milliseconds(100))]) {
                        $0.startDelay = .milliseconds(50)
                        $0.stopDelay = .milliseconds(50)
                    },
                    overflow: .seconds(30),
                    troubled: ScriptedCapturer([
                        .tone(440, for: .seconds(1)), .unplug(for: .seconds(1)),
                        .format(AudioFormat(sampleRate: 44_100, channelCount: 2)), .silence(for: .seconds(1)),
                    ]),
                    failing: ScriptedCapturer([.tone(440, for: .seconds(1)), .unplug]),
                    denied: ScriptedCapturer([]) { $0.authorization = .denied("Allow it in the settings.") }))
        }
        #expect(report?.unchecked.keys.sorted { $0.rawValue < $1.rawValue } == [.onDemandLosesNothing])
    }

    @Test func whatCouldNotBeTriedHasItsReason() async throws {
        let report = try await VirtualTime.run { _ in
            try await CapturerConformance(ScriptedCapturer([.tone(440, for: .seconds(20))])).run()
        }
        #expect(report.conforms && !report.unchecked.values.contains { $0.contains("that far") }, "\(report)")
    }

    @Test func theScriptedCapturerConformsOnDemand() async throws {
        let report = try await VirtualTime.run { _ in
            await expectConformance(
                of: CapturerConformance(ScriptedCapturer([.tone(440, for: .seconds(3))], pacing: .onDemand)))
        }
        #expect(report?.unchecked[.onDemandLosesNothing] == nil)
    }

    private func suite(_ fault: CapturerConformance.Clause?) -> CapturerConformance {
        CapturerConformance(
            SpecimenCapturer(fault), overflow: .seconds(10), troubled: SpecimenCapturer(fault, course: .troubled),
            failing: SpecimenCapturer(fault, course: .failing), denied: SpecimenCapturer(fault, course: .denied))
    }
}
