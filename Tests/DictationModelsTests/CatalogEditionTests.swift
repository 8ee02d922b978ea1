#if ModelCatalog
import CSodium
import DictationCore
import Foundation
import TestSupport
import Testing

@testable import DictationModels

/// Signed catalogues over time: which one takes the place of which.
@Suite struct CatalogEditionTests {
    private typealias KeyPair = CatalogSourceTests.KeyPair
    private static let long = Int64.max

    private static func signed(
        _ serial: Int64, _ id: String = "theirs", by keys: KeyPair, expires: Int64 = long
    ) throws -> [UInt8] {
        try CatalogSourceTests.catalog(id).signedJSON(
            secretKey: keys.secret, edition: ModelCatalog.Edition(serial: serial, expires: expires))
    }

    @Test func anOlderOrAnUnsignedCatalogueNeverTakesThePlace() async throws {
        let folder = try TemporaryFolder()
        let (ours, other) = (try KeyPair(seed: 1), try KeyPair(seed: 2))
        let inventory = CatalogAssetInventory.quick(folder, [])
        func add(_ json: [UInt8], _ keys: [ModelCatalog.Key]) async -> DictationError? {
            do {
                try await inventory.addCatalog(try folder.write(json, to: "catalog.json"), trusting: keys)
                return nil
            } catch { return error as? DictationError ?? DictationError(.engineFailed, "\(error)") }
        }
        func ids() async throws -> [String] { try await inventory.assets().map(\.id) }

        #expect(await add(try Self.signed(5, by: ours), [ours.key]) == nil)
        let refused: [(String, [UInt8], [ModelCatalog.Key])] = [
            ("unsigned", try CatalogSourceTests.catalog("forged").json(), []),
            ("another key", try Self.signed(6, "forged", by: other), [other.key]),
            ("one more key", try Self.signed(6, "forged", by: other), [ours.key, other.key]),
            ("another key and none given", try Self.signed(6, "forged", by: other), []),
            ("older", try Self.signed(4, "forged", by: ours), [ours.key]),
            ("older, and no key given", try Self.signed(4, "forged", by: ours), []),
            ("another one of the same number", try Self.signed(5, "forged", by: ours), []),
            ("expired", try Self.signed(6, "forged", by: ours, expires: 1_000_000_000), []),
            (
                "another catalogue of the same publisher",
                try ModelCatalog(name: "Other", models: []).signedJSON(
                    secretKey: ours.secret, edition: ModelCatalog.Edition(serial: 9, expires: Self.long)), []
            ),
        ]
        for (name, json, keys) in refused {
            #expect(await add(json, keys)?.code == .invalidInput, "\(name)")
            #expect(try await ids() == ["theirs"], "\(name)")
        }
        // The keys stay, so they need not be given again; the same issue may come again.
        #expect(await add(try Self.signed(5, by: ours), []) == nil)
        #expect(await add(try Self.signed(6, "renewed", by: ours), []) == nil)
        #expect(try await ids() == ["renewed"])
        // Who wants another publisher says so by removing the first.
        try await inventory.removeCatalog(folder.file("catalog.json"))
        #expect(await add(try Self.signed(1, "forged", by: other), [other.key]) == nil)
    }

    @Test func anExpiredCatalogueIsSaidAndNotUsed() async throws {
        let folder = try TemporaryFolder()
        let ours = try KeyPair(seed: 1)
        let json = try Self.signed(1, by: ours, expires: 1_000_000_000)
        let thrown = await error { _ = try ModelCatalog(json: json, trusting: [ours.key]) }
        #expect(thrown?.message.contains("expired") == true)
        let store = folder.store
        try store.save(SavedCatalog(source: "https://example.invalid/", keys: [ours.key], json: json))
        let inventory = CatalogAssetInventory.quick(folder, [])
        #expect(try await inventory.assets().isEmpty)
        #expect(await inventory.catalogProblems().map(\.code) == [.invalidInput])
    }

    /// The key may sign other things too, and none of them is a catalogue.
    @Test func aSignatureForAnotherPurposeIsNone() async throws {
        let ours = try KeyPair(seed: 1)
        let genuine = try JSONDecoder().decode(
            SignedCatalog.self, from: Data(try Self.signed(1, by: ours)))
        let message = Array(genuine.catalog)
        var signature = [UInt8](repeating: 0, count: Int(crypto_sign_BYTES))
        crypto_sign_detached(&signature, nil, message, UInt64(message.count), ours.secret)
        let json = try JSONEncoder().encode(SignedCatalog(catalog: genuine.catalog, signature: Data(signature)))
        #expect(
            await error { _ = try ModelCatalog(json: Array(json), trusting: [ours.key]) }?.code == .invalidInput)
        // A catalogue without an edition could be replayed forever.
        let bare = try CatalogSourceTests.catalog().json()
        let bytes = SignedCatalog.signedBytes(bare)
        crypto_sign_detached(&signature, nil, bytes, UInt64(bytes.count), ours.secret)
        let old = try JSONEncoder().encode(SignedCatalog(catalog: Data(bare), signature: Data(signature)))
        #expect(await error { _ = try ModelCatalog(json: Array(old), trusting: [ours.key]) }?.code == .invalidInput)
    }

    @Test func whatIsTrustedWithoutAHashIsSaidInOneLine() async throws {
        let folder = try TemporaryFolder()
        var (safe, plain) = (
            try TestModel.entry(["https://example.invalid/model.tar"], id: "safe"),
            try TestModel.entry(["http://example.invalid/model.tar"], id: "plain")
        )
        (safe.publisher, plain.publisher) = ("Somebody", nil)
        let pinned = try TestModel.entry(["https://example.invalid/"], archive: [1], id: "pinned")
        let inventory = CatalogAssetInventory.quick(folder, [safe, plain, pinned])
        let line = try #require(try await inventory.trustWithoutHash(in: "safe"))
        #expect(["Somebody", "https://example.invalid/model.tar", "TLS"].allSatisfy(line.contains), "\(line)")
        #expect(try await inventory.trustWithoutHash(in: "plain")?.contains("no proof at all") == true)
        #expect(try await inventory.trustWithoutHash(in: "pinned") == nil)
        let thrown = await error { _ = try await inventory.installation(of: "safe") }
        #expect(thrown?.message.contains(line) == true && thrown?.message.contains("\n") == false)
    }
}
#endif
