import DictationCore
import DictationEngines
import DictationTesting
import Testing

/// The best model of an engine for a locale, among any assets.
@Suite struct SurfaceInstallationTests {
    private struct Entry: Sendable {
        var asset: ModelAsset
        var isInstalled = false
        var error: DictationError?
    }

    private struct Request: AssetInstallation {
        let asset: ModelAsset
        let progress = ModelAsset.Progress.Updates.makeStream().updates
        func install() async throws(DictationError) {}
        func cancel() async {}
    }

    private struct Inventory: AssetInventory {
        var entries: [Entry]
        var broken: DictationError?

        func assets() async throws(DictationError) -> [ModelAsset] {
            if let broken { throw broken }
            return entries.map(\.asset)
        }

        func status(of asset: ModelAsset.ID) async -> ModelAsset.Status {
            guard let entry = entries.first(where: { $0.asset.id == asset }) else { return .unsupported }
            return entry.isInstalled ? .installed : .supported
        }

        func installation(of asset: ModelAsset.ID) async throws(DictationError) -> (any AssetInstallation)? {
            guard let entry = entries.first(where: { $0.asset.id == asset }) else {
                throw DictationError(.unknownModel, "No such model.")
            }
            if entry.isInstalled { return nil }
            if let error = entry.error { throw error }
            return Request(asset: entry.asset)
        }

        func verify(_ asset: ModelAsset.ID) async throws(DictationError) {}
        func remove(_ asset: ModelAsset.ID) async throws(DictationError) {}
    }

    /// What the document of `installation(engine:locale:)` promises, said once more.
    private func promised(_ entries: [Entry], _ engine: EngineID, _ locale: SpeechLocale) -> String {
        let ours = entries.filter { $0.asset.engine == engine }
        guard !ours.isEmpty else { return "unknownModel" }
        let fitting = ours.filter { $0.asset.locales.contains(locale) }
        guard !fitting.isEmpty else { return "unsupportedLocale" }
        if fitting.contains(where: \.isInstalled) { return "nil" }
        let ordered = fitting.filter(\.asset.isPinned) + fitting.filter { !$0.asset.isPinned }
        return ordered.first { $0.error == nil }?.asset.id ?? ordered[0].error?.message ?? ""
    }

    private func answer(_ inventory: Inventory, _ engine: EngineID, _ locale: SpeechLocale) async -> String {
        do throws(DictationError) {
            return try await inventory.installation(engine: engine, locale: locale)?.asset.id ?? "nil"
        } catch {
            return [.unknownModel, .unsupportedLocale].contains(error.code) ? error.code.rawValue : error.message
        }
    }

    @Test(arguments: 1...30 as ClosedRange<UInt64>) func theBestModelIsTheOneThatIsPromised(seed: UInt64) async {
        var random = SplitMix64(seed: seed)
        let locales: [SpeechLocale] = ["en-US", "de-DE", "fr"]
        for _ in 0..<60 {
            let entries = (0..<Int.random(in: 0...5, using: &random)).map { number in
                Entry(
                    asset: ModelAsset(
                        id: "m\(number)", engine: Bool.random(using: &random) ? "one" : "two",
                        locales: locales.filter { _ in Bool.random(using: &random) }, name: "m",
                        isPinned: Bool.random(using: &random)),
                    isInstalled: Int.random(in: 0..<5, using: &random) == 0,
                    error: Int.random(in: 0..<3, using: &random) == 0
                        ? DictationError(.installationFailed, "No. \(number)") : nil)
            }
            let inventory = Inventory(entries: entries)
            for locale in locales {
                let answer = await answer(inventory, "one", locale)
                #expect(answer == promised(entries, "one", locale), "seed \(seed)")
            }
        }
    }

    @Test func theSpellingOfALocaleDoesNotMatter() async throws {
        let asset = ModelAsset(id: "m", engine: "one", locales: ["en-US"], name: "m")
        for spelling in ["en_US", "EN-us", "en-us"] {
            #expect(await answer(Inventory(entries: [Entry(asset: asset)]), "one", SpeechLocale(spelling)) == "m")
        }
        for other in ["", "e", "en-", "zz-ZZ"] {
            #expect(
                await answer(Inventory(entries: [Entry(asset: asset)]), "one", SpeechLocale(other))
                    == "unsupportedLocale")
        }
    }

    @Test func anInventoryThatCannotListSaysWhy() async {
        let broken = DictationError(.fileUnreadable, "The disk is gone.")
        let inventory = Inventory(entries: [], broken: broken)
        await #expect(throws: broken) { _ = try await inventory.installation(engine: "one", locale: "en-US") }
        await #expect(throws: broken) { _ = try await inventory.status(engine: "one", locale: "en-US") }
    }

    @Test func twoRequestsForOneModelBothEnd() async throws {
        try await VirtualTime.run { clock in
            let asset = ModelAsset(id: "m", engine: "one", locales: ["en-US"], name: "m")
            let inventory = ScriptedAssetInventory([ScriptedAssetInventory.Asset(asset, bytesPerSecond: 100_000)])
            let one = try #require(try await inventory.installation(engine: "one", locale: "en-US"))
            let other = try #require(try await inventory.installation(engine: "one", locale: "en_us"))
            let installing = DictationRuntime.current.task { try? await one.install() }
            await clock.advance(by: .seconds(2))
            _ = try? await other.install()
            _ = await installing.value
            #expect(try await inventory.installation(engine: "one", locale: "en-US") == nil)
        }
    }
}
