import DictationCore
import DictationEngines
import DictationTesting
import Testing

private let english = ModelAsset(
    id: "en", engine: "scripted", locales: ["en-US"], name: "English", license: "Apache-2.0", byteCount: 1_000_000)
private let german = ModelAsset(id: "de", engine: "scripted", locales: ["de-DE"], name: "German")

private func inventory(_ faults: [ScriptedAssetInventory.Asset.Fault] = [], speed: Int64? = 100_000)
    -> ScriptedAssetInventory
{
    ScriptedAssetInventory([
        ScriptedAssetInventory.Asset(english, bytesPerSecond: speed, faults: faults),
        ScriptedAssetInventory.Asset(german, isInstalled: true),
    ])
}

/// Everything that a request's updates say until they end, each with its time.
private func collect(_ request: any AssetInstallation, _ clock: ManualClock) -> Task<[(Duration, Int64)], Never> {
    let updates = request.progress
    return DictationRuntime.current.task {
        var seen: [(Duration, Int64)] = []
        for await progress in updates { seen.append((clock.now.offset, progress.completedBytes)) }
        return seen
    }
}

@Suite struct ScriptedAssetInventoryTests {
    @Test func aDownloadTakesItsTime() async throws {
        try await VirtualTime.run { clock in
            let inventory = inventory()
            #expect(await inventory.status(of: "en") == .supported)
            let request = try #require(try await inventory.installation(of: "en"))
            let seen = collect(request, clock)
            let install = DictationRuntime.current.task {
                await #expect(throws: Never.self) { try await request.install() }
            }
            await clock.advance(by: .seconds(5))
            #expect(await inventory.status(of: "en") == .downloading)
            await install.value
            #expect(clock.now.offset == .seconds(10))
            #expect(await inventory.status(of: "en") == .installed)
            let updates = await seen.value
            #expect(updates.count == 101)
            #expect(updates.map(\.1) == updates.map(\.1).sorted())
            #expect(updates.last?.1 == 1_000_000)
            #expect(try await inventory.installation(of: "en") == nil)
            #expect(try await inventory.installedLocales(engine: "scripted") == ["de-DE", "en-US"])
        }
    }

    @Test func aFailureKeepsWhatWasDownloaded() async throws {
        try await VirtualTime.run { clock in
            let lost = DictationError(.installationFailed, "lost")
            let inventory = inventory([.failure(lost, afterBytes: 750_000), .failure(lost, afterBytes: 250_000)])
            let request = try #require(try await inventory.installation(of: "en"))
            for seconds in [2.5, 7.5] {
                await #expect(throws: lost) { try await request.install() }
                #expect(clock.now.offset == .seconds(seconds))
                #expect(await inventory.status(of: "en") == .stalled)
            }
            let seen = collect(request, clock)
            try await request.install()
            #expect(clock.now.offset == .seconds(10))
            #expect(await seen.value.first?.1 == 750_000)
        }
    }

    @Test func aStallShowsAndPasses() async throws {
        try await VirtualTime.run { clock in
            let inventory = inventory([.stall(for: .seconds(20), afterBytes: 500_000)])
            let request = try #require(try await inventory.installation(of: "en"))
            let install = DictationRuntime.current.task { try? await request.install() }
            await clock.advance(by: .seconds(15))
            #expect(await inventory.status(of: "en") == .stalled)
            await clock.advance(by: .seconds(11))
            #expect(await inventory.status(of: "en") == .downloading)
            await install.value
            #expect(clock.now.offset == .seconds(30))
        }
    }

    @Test(arguments: [true, false])
    func cancellingStopsAndResumingGoesOn(byTask: Bool) async throws {
        try await VirtualTime.run { clock in
            let inventory = inventory([.stall(for: nil, afterBytes: 400_000)])
            let request = try #require(try await inventory.installation(of: "en"))
            let install = DictationRuntime.current.task {
                await expectError(.cancelled) { try await request.install() }
            }
            await clock.advance(by: .seconds(100))
            if byTask { install.cancel() } else { await request.cancel() }
            await install.value
            #expect(clock.now.offset == .seconds(100))
            #expect(await inventory.status(of: "en") == .stalled)
            await request.cancel()
            try await request.install()
            #expect(clock.now.offset == .seconds(106))
            #expect(await inventory.status(of: "en") == .installed)
        }
    }

    @Test func requestsForTheSameAssetShareOneDownload() async throws {
        try await VirtualTime.run { clock in
            let inventory = inventory()
            let first = try #require(try await inventory.installation(of: "en"))
            let second = try #require(try await inventory.installation(of: "en"))
            let running = DictationRuntime.current.task { try? await first.install() }
            await clock.advance(by: .seconds(5))
            let seen = collect(second, clock)
            try await second.install()
            await running.value
            #expect(clock.now.offset == .seconds(10))
            let updates = await seen.value
            #expect(updates.first?.1 ?? 0 >= 490_000 && updates.count > 40)
        }
    }

    @Test func theNetworkMayGoAndComeBack() async throws {
        try await VirtualTime.run { clock in
            let inventory = inventory()
            let request = try #require(try await inventory.installation(of: "en"))
            let install = DictationRuntime.current.task {
                await expectError(.installationFailed) { try await request.install() }
            }
            await clock.advance(by: .milliseconds(2_050))
            inventory.setOffline(true)
            await install.value
            #expect(clock.now.offset == .milliseconds(2_050))
            await expectError(.installationFailed) { try await request.install() }
            // What is installed works on.
            #expect(await inventory.status(of: "de") == .installed)
            try await inventory.verify("de")
            inventory.setOffline(false)
            try await request.install()
            #expect(await inventory.status(of: "en") == .installed)
        }
    }

    @Test func damageIsFoundAndMended() async throws {
        let inventory = inventory(speed: nil)
        inventory.damage("de")
        #expect(await inventory.status(of: "de") == .damaged)
        await expectError(.modelInvalid) { try await inventory.verify("de") }
        try await inventory.installation(of: "de")?.install()
        try await inventory.verify("de")
        await expectError(.modelNotInstalled) { try await inventory.verify("en") }
    }

    @Test func whatIsReservedIsNotEvicted() async throws {
        let inventory = inventory(speed: nil)
        try await inventory.installation(of: "en")?.install()
        try await inventory.reserve("en")
        #expect(await inventory.reserved() == ["en"])
        #expect(inventory.evict() == ["de"])
        #expect(await inventory.status(of: "de") == .supported)
        await inventory.release("en")
        #expect(inventory.evict() == ["en"])
        try await inventory.remove("en")
        #expect(await inventory.status(of: "en") == .supported)
    }

    @Test func whatItDoesNotKnowIsRefused() async throws {
        let inventory = inventory()
        #expect(await inventory.status(of: "fr") == .unsupported)
        await expectError(.unknownModel) { try await inventory.reserve("fr") }
        await expectError(.unknownModel) { try await inventory.installation(of: "fr") as Any }
        await expectError(.unknownModel) { try await inventory.verify("fr") }
        try await inventory.remove("fr")
        #expect(try await inventory.assets().map(\.id) == ["en", "de"])
        #expect(try await inventory.supportedLocales(engine: "scripted") == ["de-DE", "en-US"])
    }

    @Test func theBestAssetForAnEngineAndLocaleIsInstalled() async throws {
        func asset(_ id: String, _ locale: SpeechLocale, isPinned: Bool = true) -> ModelAsset {
            ModelAsset(id: id, engine: "scripted", locales: [locale], name: id, isPinned: isPinned)
        }
        let inventory = ScriptedAssetInventory([
            ScriptedAssetInventory.Asset(asset("loose", "fr-FR", isPinned: false)),
            ScriptedAssetInventory.Asset(asset("pinned", "fr-FR")),
            ScriptedAssetInventory.Asset(asset("later", "fr-FR")),
            ScriptedAssetInventory.Asset(asset("german", "de-DE"), isInstalled: true),
        ])
        let request = try #require(try await inventory.installation(engine: "scripted", locale: "fr-FR"))
        #expect(request.asset.id == "pinned")
        try await request.install()
        #expect(try await inventory.installation(engine: "scripted", locale: "fr-FR") == nil)
        #expect(try await inventory.installation(engine: "scripted", locale: "de-DE") == nil)
        await expectError(.unsupportedLocale) {
            try await inventory.installation(engine: "scripted", locale: "it-IT") as Any
        }
        await expectError(.unknownModel) { try await inventory.installation(engine: "none", locale: "de-DE") as Any }
    }
}
