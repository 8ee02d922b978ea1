import DictationCore
import DictationTesting
import Testing

/// What the package offers to those who write a capturer, a converter or an inventory.
@Suite struct ImplementersPartTests {
    // MARK: CaptureTakes

    /// Plays silence until it is stopped.
    private final class QuietCapturer: AudioCapturer {
        let pacing = CaptureStream.Pacing.live
        private let takes = CaptureTakes()
        private let runtime = DictationRuntime.current
        private let failsAfter: Duration?

        init(failsAfter: Duration? = nil) { self.failsAfter = failsAfter }

        func start(_ options: CaptureOptions) async throws(DictationError) -> CaptureStream {
            try await takes.start { [runtime, failsAfter] feed throws(DictationError) in
                let began = runtime.now()
                while !Task.isCancelled {
                    if let failsAfter, feed.position >= failsAfter { throw DictationError(.deviceLost, "It is gone.") }
                    feed.write(AudioBuffer(silence: 320, format: .speech))
                    try? await runtime.sleep(began + feed.position - runtime.now())
                }
            }
        }

        func stop(_ mode: CaptureOptions.StopMode) async { await takes.stop() }
    }

    @Test(arguments: [UInt64?.none, 1, 2, 3, 4]) func aCapturerWithCaptureTakesConforms(seed: UInt64?) async throws {
        let report = try await VirtualTime.run(seed: seed) { _ in
            await expectConformance(
                of: CapturerConformance(
                    QuietCapturer(), overflow: .seconds(30), failing: QuietCapturer(failsAfter: .seconds(1))))
        }
        #expect(report?.unchecked.keys.contains(.slowReadersAreTold) == false)
    }

    @Test func aReleasedCapturerEndsItsTake() async throws {
        try await VirtualTime.run { clock in
            let hasEnded = Watched(false)
            var takes: CaptureTakes? = CaptureTakes()
            let stream = try await takes?.start { [weak takes] feed in
                feed.write(AudioBuffer(silence: 320, format: .speech))
                // Holds nothing that keeps the capturer alive.
                while !Task.isCancelled { try? await DictationRuntime.current.sleep(.seconds(1)) }
                _ = takes
                hasEnded.change { $0 = true }
            }
            takes = nil
            await clock.advance(by: .seconds(1))
            #expect(hasEnded.value)
            var events = 0
            if let stream { for try await _ in stream { events += 1 } }
            #expect(events == 1)
        }
    }

    // MARK: AssetInstaller

    /// Models that take a second to install, and of which one fails at first.
    private final class SlowInventory: AssetInventory {
        private let installed = Watched<[ModelAsset.ID: Int]>([:])
        private let failures = Watched(["failing": 1])
        private let installer: AssetInstaller

        init() {
            let (installed, failures, runtime) = (installed, failures, DictationRuntime.current)
            installer = AssetInstaller { asset, report throws(DictationError) in
                while case let done = installed.value[asset.id] ?? 0, done < 10 {
                    if Task.isCancelled { throw DictationError(.cancelled, "It was cancelled.") }
                    try? await runtime.sleep(.milliseconds(100))
                    if done == 5, failures.value[asset.id] ?? 0 > 0 {
                        failures.change { $0[asset.id] = 0 }
                        throw DictationError(.installationFailed, "The network is gone.")
                    }
                    installed.change { $0[asset.id] = done + 1 }
                    report(ModelAsset.Progress(completedBytes: Int64(done + 1), totalBytes: 10))
                }
            }
        }

        func assets() async throws(DictationError) -> [ModelAsset] {
            ["good", "failing"].map { ModelAsset(id: $0, engine: "slow", locales: ["en-US"], name: $0) }
        }

        func status(of asset: ModelAsset.ID) async -> ModelAsset.Status {
            guard asset == "good" || asset == "failing" else { return .unsupported }
            if let status = installer.status(of: asset) { return status }
            return switch installed.value[asset] ?? 0 {
            case 10...: .installed
            case ..<0: .damaged
            default: .supported
            }
        }

        func installation(of asset: ModelAsset.ID) async throws(DictationError) -> (any AssetInstallation)? {
            guard let known = try await assets().first(where: { $0.id == asset }) else {
                throw DictationError(.unknownModel, "There is no “\(asset)”.")
            }
            return await status(of: asset) == .installed ? nil : installer.request(for: known)
        }

        func remove(_ asset: ModelAsset.ID) async throws(DictationError) {
            installed.change { $0[asset] = nil }
            installer.forget(asset)
        }

        func damage(_ asset: ModelAsset.ID) { installed.change { $0[asset] = -1 } }
    }

    @Test(arguments: [UInt64?.none, 1, 2, 3, 4]) func anInventoryWithAnAssetInstallerConforms(seed: UInt64?)
        async throws
    {
        try await VirtualTime.run(seed: seed) { _ in
            let inventory = SlowInventory()
            await expectConformance(
                of: InventoryConformance(inventory, asset: "good", failing: "failing") { inventory.damage($0) })
        }
    }

    @Test func aRequestThatWaitsForAnotherEndsWhenItIsCancelled() async throws {
        try await VirtualTime.run { clock in
            let runtime = DictationRuntime.current
            let installer = AssetInstaller { _, _ throws(DictationError) in try? await runtime.sleep(.seconds(3_600)) }
            let asset = ModelAsset(id: "a", engine: "slow", locales: ["en-US"], name: "a")
            let (first, second) = (installer.request(for: asset), installer.request(for: asset))
            let installing = runtime.task { (try? await first.install()) != nil }
            await clock.advance(by: .seconds(1))
            let waiting = runtime.task { () async -> DictationError.Code? in
                do throws(DictationError) {
                    try await second.install()
                    return nil
                } catch { return error.code }
            }
            await clock.advance(by: .seconds(1))
            await second.cancel()
            #expect(await waiting.value == .cancelled)
            #expect(runtime.now() < .seconds(10) && installer.status(of: "a") == .downloading)
            #expect(await installing.value)
        }
    }

    // MARK: ConvertedFrames

    @Test(arguments: 1...20 as ClosedRange<UInt64>) func framesAreDueHoweverTheInputIsCut(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let rates = [8_000, 11_025, 16_000, 44_100, 48_000, 96_000]
        let input = AudioFormat(sampleRate: rates[Int.random(in: 0..<6, using: &random)])
        let output = AudioFormat(sampleRate: rates[Int.random(in: 0..<6, using: &random)])
        var frames = try ConvertedFrames(from: input, to: output)
        for _ in 0..<3 {
            let start = Duration.milliseconds(Int.random(in: 0...5_000, using: &random))
            var (taken, given) = (0, 0)
            for _ in 0..<50 {
                let count = Int.random(in: 0...2_000, using: &random)
                let time = start + input.duration(ofFrames: Int64(taken))
                try frames.take(AudioBuffer(silence: count, format: input, start: time))
                taken += count
                let part = Int.random(in: 0...frames.due, using: &random)
                let placed = frames.place(AudioBuffer(silence: part, format: output))
                #expect(placed.start == start + output.duration(ofFrames: Int64(given)))
                given += part
            }
            let all = (Double(taken) * Double(output.sampleRate) / Double(input.sampleRate)).rounded()
            #expect(frames.due == Int(all) - given)
            frames.reset()
            #expect(frames.due == 0)
        }
        #expect(throws: DictationError.self) {
            try frames.take(AudioBuffer(silence: 1, format: AudioFormat(sampleRate: 12_345)))
        }
    }
}
