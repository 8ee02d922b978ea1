import DictationCore
import DictationSystem
import DictationTesting
import Foundation
import Testing

@testable import DictationCapture

/// The suites of DictationTesting on what is real here.
@Suite struct CaptureConformanceTests {
    private let folder = TemporaryFolder()

    private func capturer(_ file: String, fault: String = "", more: String = "") async throws -> ALSACapturer {
        let device = try await FaultDevice(in: folder, file, fault: fault, times: fault.isEmpty ? 0 : 1, more: more)
        var settings = CaptureLoop.Settings()
        settings.givesUpAfter = .seconds(1)
        return ALSACapturer(
            ListedSystem(system: ALSASystem(configuration: device.configuration)), lingering: .seconds(1),
            settings: settings)
    }

    @Test(arguments: [CaptureStream.Pacing.live, .onDemand]) func theFileCapturerConforms(
        _ pacing: CaptureStream.Pacing
    ) async throws {
        let path = folder("a.wav")
        let sox = try Child("sox", ["-n", "-r", "16000", "-c", "1", "-b", "16", path, "synth", "60", "sine", "440"])
        _ = try #require(await sox.end(), "install sox")
        let flac = try Child("sox", [path, folder("damaged.flac")])
        _ = try #require(await flac.end(), "install sox")
        var damaged = try Data(contentsOf: URL(fileURLWithPath: folder("damaged.flac")))
        let (start, end) = (damaged.count / 10, damaged.count)
        damaged.replaceSubrange(start..<end, with: Data(repeating: 0xA5, count: end - start))
        try damaged.write(to: URL(fileURLWithPath: folder("damaged.flac")))
        let report = try await VirtualTime.run { [folder] _ in
            await expectConformance(
                of: CapturerConformance(
                    FileCapturer(path: path, pacing: pacing), overflow: .seconds(10),
                    failing: FileCapturer(path: folder("damaged.flac"), pacing: pacing)))
        }
        // A file has no trouble that passes and no permission to record; nor a gap, when it waits for its reader.
        let unchecked: Set<CapturerConformance.Clause> =
            pacing == .live
            ? [.deniedThrows, .troubleIsNotTheEnd, .onDemandLosesNothing]
            : [.deniedThrows, .troubleIsNotTheEnd, .slowReadersAreTold, .stopDeliversWhatWasCaptured, .gapsAreCounted]
        #expect(report.map { Set($0.unchecked.keys) } == unchecked, "\(String(describing: report))")
    }
}

/// The real system, except that its list has the device of its own configuration.
private struct ListedSystem: PCMSystem {
    let system: ALSASystem
    var now: Duration { system.now }

    func devices() -> [AudioDevice] {
        [AudioDevice(id: FaultDevice.name, name: "A device that fails", isDefault: true)]
    }
    func tryOpening(_ device: String) throws(DictationError) { try system.tryOpening(device) }
    func rest(_ duration: Duration, wake: Waker) { system.rest(duration, wake: wake) }
    func open(_ device: String, preferring format: AudioFormat, wake: Waker) throws(DictationError) -> any PCM {
        try system.open(device, preferring: format, wake: wake)
    }
}

/// A capturer whose device, once it was opened, can't be opened again until it is stopped.
private struct GoingCapturer: AudioCapturer {
    private let capturer: ALSACapturer
    private let gone: String
    var pacing: CaptureStream.Pacing { capturer.pacing }

    init(_ capturer: ALSACapturer, _ gone: String) {
        self.capturer = capturer
        self.gone = gone
    }

    func start(_ options: CaptureOptions) async throws(DictationError) -> CaptureStream {
        let stream = try await capturer.start(options)
        _ = FileManager.default.createFile(atPath: gone, contents: nil)
        return stream
    }

    func stop(_ mode: CaptureOptions.StopMode) async {
        await capturer.stop(mode)
        try? FileManager.default.removeItem(atPath: gone)
    }
}

extension CaptureConformanceTests {
    /// What takes too long for everyday runs.
    @Suite struct ProofTests {
        private let tests = CaptureConformanceTests()

        @Test func theALSACapturerConforms() async throws {
            let gone = tests.folder("gone")
            let failing = GoingCapturer(
                try await tests.capturer("failing", fault: "enodev", more: "gone \"\(gone)\""), gone)
            let suite = CapturerConformance(
                try await tests.capturer("good"), options: CaptureOptions(device: FaultDevice.name),
                responseTimeout: .seconds(20),
                overflow: .seconds(7), troubled: try await tests.capturer("troubled", fault: "enodev"),
                failing: failing,
                denied: try await tests.capturer("denied", more: "denied 1"))
            let report = await expectConformance(of: suite)
            #expect(report?.unchecked.keys.map(\.self) == [.onDemandLosesNothing], "\(String(describing: report))")
        }

        @Test(arguments: ResamplingQuality.allCases) func theSampleRateConvertersConform(_ quality: ResamplingQuality)
            async
        {
            let report = await expectConformance(
                of: ConverterConformance(SampleRateConverter.Provider(quality: quality)))
            #expect(report?.unchecked.isEmpty == true)
        }
    }
}
