#if ModelCatalog
import CSodium
import DictationCore
import DictationSystem
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import DictationModels

@Suite struct CatalogSourceTests {
    struct KeyPair {
        let key: ModelCatalog.Key
        let secret: [UInt8]

        init(seed: UInt8) throws {
            try ContentHash.ready()
            var open = [UInt8](repeating: 0, count: Int(crypto_sign_PUBLICKEYBYTES))
            var secret = [UInt8](repeating: 0, count: Int(crypto_sign_SECRETKEYBYTES))
            crypto_sign_seed_keypair(&open, &secret, [UInt8](repeating: seed, count: 32))
            self.secret = secret
            key = try ModelCatalog.Key(base64: Data(open).base64EncodedString())
        }
    }

    static func catalog(_ id: String = "theirs") throws -> ModelCatalog {
        ModelCatalog(name: "Theirs", models: [try TestModel.entry(["https://example.invalid/model"], id: id)])
    }

    @Test func aCatalogueSurvivesJSON() throws {
        #expect(try ModelCatalog(json: try ModelCatalog.builtIn.json()) == .builtIn)
    }

    @Test func theBuiltInCatalogueIsSoundAndInventsNothing() throws {
        try ModelCatalog.builtIn.validate()
        #expect(
            Set(ModelCatalog.builtIn.models.map(\.engine)) == ["pocketsphinx", "sherpa-onnx", "sherpa-onnx-offline"])
        for model in ModelCatalog.builtIn.models {
            for download in model.downloads ?? [] {
                #expect(download.mirrors.allSatisfy { $0.hasPrefix("https://") })
                #expect(download.isPinned == (download.size != nil))
            }
            #expect(model.publisher != nil)
            #expect(model.isPinned == Self.pinned.contains(model.id))
            #expect(model.files == nil || model.asset.byteCount != nil)
        }
    }

    /// Those whose files could be had to be hashed.
    private static let pinned: Set = [
        "pocketsphinx-en-us", "pocketsphinx-en-us-debian", "moonshine-tiny-en", "sherpa-onnx-library",
        "speech-detectors",
    ]

    /// Debian's package has most files of the model as well, byte for byte.
    @Test func theHashesOfTheBuiltInCatalogueAreThoseOfTheFiles() throws {
        let model = try #require(ModelCatalog.builtIn.models.first { $0.id == "pocketsphinx-en-us" })
        let folder = "/usr/share/pocketsphinx/model/en-us/"
        // Debian has these two from an older version.
        let others: Set = ["cmudict-en-us.dict", "en-us/feat.params"]
        var checked = 0
        for download in model.downloads ?? [] {
            guard let path = download.file, !others.contains(path) else { continue }
            let bytes = try #require(
                FileManager.default.contents(atPath: folder + path),
                "Run Scripts/install-dependencies; it installs pocketsphinx-en-us.")
            #expect(try ContentHash.sha256(of: Array(bytes)) == download.sha256, "\(path)")
            #expect(Int64(bytes.count) == download.byteCount, "\(path)")
            checked += 1
        }
        #expect(checked == 7)
    }

    @Test func debiansEnglishModelIsInTheInventory() async throws {
        let folder = try TemporaryFolder()
        let inventory = CatalogAssetInventory(store: folder.store, validators: [:])
        #expect(
            await inventory.status(of: "pocketsphinx-en-us-debian") == .installed,
            "Run Scripts/install-dependencies; it installs pocketsphinx-en-us.")
        #expect(folder.store.models(engine: "pocketsphinx", locale: "en-US").map(\.origin) == [.package])
    }

    @Test(arguments: [
        "", "[]", "{}", #"{"format": 2, "name": "n", "models": []}"#, #"{"format": 1, "name": "n"}"#,
        #"{"format": 1, "name": "n", "models": [{"id": "../x"}]}"#, "\u{0}", #"{"format": 1e99}"#,
    ]) func whatIsNoCatalogueIsRefused(_ text: String) async {
        #expect(await error { _ = try ModelCatalog(json: Array(text.utf8)) }?.code == .invalidInput)
    }

    /// The names of Swift's types help nobody to correct a catalog.
    @Test(arguments: [
        ("garbage", "it is not JSON."), (#"{"format": 1, "name": "n"}"#, "it has no “models”."),
        (#"{"format": 1, "name": 7, "models": []}"#, "“name” has the wrong type or value."),
        (#"{"format": 1, "name": "n", "models": [{"id": "x"}]}"#, "it has no “models[0].engine”."),
        ("[]", "it has the wrong type or value."),
    ]) func theErrorOfACatalogSaysWhatIsWrongInPlainWords(_ text: String, _ reason: String) async {
        let thrown = await error { _ = try ModelCatalog(json: Array(text.utf8)) }
        #expect(thrown?.message == "The catalog can't be read: \(reason)")
    }

    @Test func modelsThatMakeNoSenseAreRefused() async throws {
        let hash = String(repeating: "a", count: 64)
        let changes: [(String, (inout CatalogModel) -> Void)] = [
            ("id climbs", { $0.id = "../up" }), ("id hidden", { $0.id = ".state" }), ("id empty", { $0.id = "" }),
            ("id slash", { $0.id = "a/b" }), ("id long", { $0.id = String(repeating: "a", count: 101) }),
            ("no engine", { $0.engine = "" }), ("no locale", { $0.locales = [] }),
            ("no source", { $0.downloads = nil }), ("no downloads", { $0.downloads = [] }),
            ("ftp", { $0.downloads = [.archive(["ftp://example.invalid/"])] }),
            ("file", { $0.downloads = [.archive(["file:///etc/passwd"])] }),
            ("no mirror", { $0.downloads = [.archive([])] }),
            ("root climbs", { $0.downloads = [.archive(["https://example.invalid/"], root: "../..")] }),
            ("file climbs", { $0.downloads = [.file(["https://example.invalid/"], as: "a/../../b")] }),
            ("file absolute", { $0.downloads = [.file(["https://example.invalid/"], as: "/etc/passwd")] }),
            ("file empty", { $0.downloads = [.file(["https://example.invalid/"], as: "")] }),
            ("short hash", { $0.downloads = [.archive(["https://example.invalid/"], sha256: "abc")] }),
            (
                "capital hash",
                { $0.downloads = [.archive(["https://example.invalid/"], sha256: hash.uppercased())] }
            ),
            ("negative", { $0.downloads = [.archive(["https://example.invalid/"], byteCount: -1)] }),
            ("path climbs", { $0.files = [CatalogModel.File(path: "..")] }),
            ("path hash", { $0.files = [CatalogModel.File(path: "a", sha256: "z")] }),
            ("negative size", { $0.byteCount = -5 }), ("negative limit", { $0.limits = .init(byteCount: -1) }),
            ("file joins a slash", { $0.files = [CatalogModel.File(path: "../\u{301}Z\u{600}/..")] }),
            (
                "file downloaded below a file",
                {
                    $0.downloads = ["a", "a/b"].map { .file(["https://example.invalid/"], as: $0) }
                }
            ),
            ("file below a file", { $0.files = [CatalogModel.File(path: "a/b/c"), CatalogModel.File(path: "a")] }),
            ("name with a zero-width space", { $0.name = "Eng\u{200B}lish" }),
            ("name with a soft hyphen", { $0.name = "Eng\u{AD}lish" }),
            ("publisher of joiners", { $0.publisher = "\u{2060}\u{FEFF}" }),
            ("file twice", { $0.files = [CatalogModel.File(path: "a"), CatalogModel.File(path: "./a")] }),
            ("file of the receipt", { $0.files = [CatalogModel.File(path: ".model.json")] }),
            (
                "file below the receipt",
                { $0.downloads = [.file(["https://example.invalid/"], as: ".model.json/a")] }
            ),
            ("file not composed", { $0.files = [CatalogModel.File(path: "e\u{301}")] }),
            (
                "root with a control character",
                { $0.downloads = [.archive(["https://example.invalid/"], root: "a\nb")] }
            ),
            ("name of two lines", { $0.name = "a\nb" }), ("license turns text", { $0.license = "\u{202E}" }),
            ("engine with an escape", { $0.engine = "\u{1B}[31m" }),
            ("publisher long", { $0.publisher = String(repeating: "p", count: 201) }),
            ("address of two lines", { $0.downloads = [.archive(["https://example.invalid/\nHost: x"])] }),
            ("package climbs", { $0.packaged = .init(name: "p", path: "/usr/../etc") }),
            ("relative package", { $0.packaged = .init(name: "p", path: "relative") }),
            ("id that is an option", { $0.id = "--allow-unpinned" }), ("id begins with a mark", { $0.id = "_a" }),
            ("locale with an escape", { $0.locales = ["\u{1B}[31m"] }),
            ("many locales", { $0.locales = Array(repeating: "en-US", count: 301) }),
            (
                "many mirrors",
                { $0.downloads = [.archive(Array(repeating: "https://example.invalid/", count: 101))] }
            ),
            (
                "a file downloaded twice",
                {
                    $0.downloads = ["a", "./a"].map { .file(["https://example.invalid/"], as: $0) }
                }
            ),
        ]
        for (name, change) in changes {
            var model = try TestModel.entry(["https://example.invalid/"])
            change(&model)
            let json = try ModelCatalog(name: "Bad", models: [model]).json()
            #expect(await error { _ = try ModelCatalog(json: json) }?.code == .invalidInput, "\(name)")
        }
        let model = try TestModel.entry(["https://example.invalid/"])
        #expect(
            await error { try ModelCatalog(name: "Twice", models: [model, model]).validate() }?.code == .invalidInput)
    }

    /// Otherwise a folder of anyone's would count as installed, without a hash, a question or a check.
    @Test func aCatalogueThatWasAddedPassesNoFolderForAPackage() async throws {
        let folder = try TemporaryFolder()
        var model = try TestModel.entry(["https://example.invalid/"])
        (model.downloads, model.packaged) = (nil, .init(name: "nice", path: folder.path))
        try Data(ModelCatalog(name: "Bad", models: [model]).json()).write(
            to: URL(filePath: folder.file("bad.json")))
        let inventory = CatalogAssetInventory.quick(folder, [])
        #expect(await error { try await inventory.addCatalog(folder.file("bad.json")) }?.code == .invalidInput)
        try folder.store.save(
            SavedCatalog(source: "forged", keys: [], json: ModelCatalog(name: "Bad", models: [model]).json()))
        #expect(await inventory.status(of: model.id) == .unsupported)
        #expect(await inventory.catalogProblems().map(\.code) == [.invalidInput])
    }

    @Test func aCatalogueOfMoreModelsThanCanBeListedIsRefused() async throws {
        let models = try (0...1_000).map { try TestModel.entry(["https://example.invalid/"], id: "m\($0)") }
        try ModelCatalog(name: "Long", models: Array(models.dropLast())).validate()
        #expect(await error { try ModelCatalog(name: "Longer", models: models).validate() }?.code == .invalidInput)
    }

    @Test func aSignatureIsChecked() async throws {
        let (ours, other) = (try KeyPair(seed: 1), try KeyPair(seed: 2))
        let catalog = try Self.catalog()
        let signed = try catalog.signedJSON(secretKey: ours.secret, edition: .test)
        #expect(try ModelCatalog(json: signed, trusting: [ours.key]) == catalog)
        #expect(try ModelCatalog(json: signed, trusting: [other.key, ours.key]) == catalog)
        #expect(try ModelCatalog(json: try catalog.json(), trusting: []) == catalog)
        let refused: [(String, [UInt8], [ModelCatalog.Key])] = [
            ("another key", signed, [other.key]), ("no key", signed, []),
            ("not signed", try catalog.json(), [ours.key]),
            ("signed by another", try catalog.signedJSON(secretKey: other.secret, edition: .test), [ours.key]),
        ]
        for (name, json, keys) in refused {
            #expect(
                await error { _ = try ModelCatalog(json: json, trusting: keys) }?.code == .invalidInput, "\(name)")
        }
        #expect(
            await error { _ = try catalog.signedJSON(secretKey: [1, 2, 3], edition: .test) }?.code == .invalidInput)
        #expect(await error { _ = try ModelCatalog.Key(base64: "AAAA") }?.code == .invalidInput)
    }

    @Test func noByteOfASignedCatalogueCanBeChanged() throws {
        let ours = try KeyPair(seed: 1)
        let catalog = try Self.catalog()
        let signed = try JSONDecoder().decode(
            SignedCatalog.self, from: Data(try catalog.signedJSON(secretKey: ours.secret, edition: .test)))
        func isTaken(_ forged: SignedCatalog) throws -> Bool {
            let json = Array(try JSONEncoder().encode(forged))
            return (try? ModelCatalog(json: json, trusting: [ours.key])) != nil
        }
        #expect(try isTaken(signed))
        for index in signed.catalog.indices {
            var forged = signed
            forged.catalog[index] ^= 1
            #expect(try !isTaken(forged), "byte \(index) of the catalogue")
        }
        for index in signed.signature.indices {
            var forged = signed
            forged.signature[index] ^= 1
            #expect(try !isTaken(forged), "byte \(index) of the signature")
        }
        var shortened = signed
        shortened.signature.removeLast()
        #expect(try !isTaken(shortened))
    }

    @Test func aUsersCatalogueIsKeptForWhenThereIsNoNetwork() async throws {
        let folder = try TemporaryFolder()
        let ours = try KeyPair(seed: 1)
        let serves = Mutex(try Self.catalog().signedJSON(secretKey: ours.secret, edition: .test))
        let server = try MisbehavingServer { .file(serves.withLock { $0 }, tag: nil, for: $0) }
        defer { server.stop() }
        let inventory = CatalogAssetInventory.quick(folder, [try TestModel.entry(["https://example.invalid/"])])
        try await inventory.addCatalog(server.address("/catalog.json"), trusting: [ours.key])
        #expect(try await inventory.assets().map(\.id) == ["test-model", "theirs"])

        // What is fetched later has to be signed with the same key; a forged one changes nothing.
        serves.withLock { $0 = (try? Self.catalog("forged").json()) ?? [] }
        #expect(await error { try await inventory.refreshCatalogs() }?.code == .invalidInput)
        #expect(try await inventory.assets().map(\.id) == ["test-model", "theirs"])
        let renewed = try Self.catalog("renewed").signedJSON(
            secretKey: ours.secret, edition: ModelCatalog.Edition(serial: 2, expires: .max))
        serves.withLock { $0 = renewed }
        try await inventory.refreshCatalogs()
        #expect(try await inventory.assets().map(\.id) == ["test-model", "renewed"])

        server.stop()
        let later = CatalogAssetInventory.quick(folder, [])
        #expect(try await later.assets().map(\.id) == ["renewed"])
        #expect(try await later.addedCatalogs() == [server.address("/catalog.json")])
        #expect(await error { try await later.refreshCatalogs() }?.code == .installationFailed)
        #expect(try await later.assets().map(\.id) == ["renewed"])
        try await later.removeCatalog(server.address("/catalog.json"))
        #expect(try await later.assets().isEmpty)
        let found = await error { try await later.removeCatalog(server.address("/catalog.json")) }
        #expect(found?.message.contains("was added") == true)
    }

    @Test func aCatalogueCannotPutItsModelInThePlaceOfAnother() async throws {
        let folder = try TemporaryFolder()
        let inventory = CatalogAssetInventory.quick(folder, [try TestModel.entry(["https://example.invalid/"])])
        let path = try folder.write(try Self.catalog("test-model").json(), to: "catalog.json")
        let thrown = await error { try await inventory.addCatalog(path) }
        #expect(thrown?.message.contains("“test-model”") == true)
        #expect(try await inventory.addedCatalogs().isEmpty)
        #expect(await error { try await inventory.addCatalog(folder.file("absent")) }?.code == .fileUnreadable)
    }

    /// Whoever is on the way could offer models of their own.
    @Test func anUnsignedCatalogComesEncrypted() async throws {
        let folder = try TemporaryFolder()
        let inventory = CatalogAssetInventory.quick(folder, [])
        let found = await error { try await inventory.addCatalog("http://models.invalid/catalog.json") }
        #expect(found?.code == .invalidInput && found?.recovery?.contains("https") == true)
        // With a key it is asked for.
        let keys = [try KeyPair(seed: 1).key]
        let signed = await error {
            try await inventory.addCatalog("http://models.invalid/catalog.json", trusting: keys)
        }
        #expect(signed?.code == .installationFailed)
    }

    @Test func aCatalogueThatNeverEndsIsRefused() async throws {
        let folder = try TemporaryFolder()
        let server = try MisbehavingServer { _ in .init(body: [UInt8](repeating: 32, count: 17 << 20)) }
        defer { server.stop() }
        let inventory = CatalogAssetInventory.quick(folder, [])
        #expect(await error { try await inventory.addCatalog(server.address("/")) }?.code == .installationFailed)
    }
}
#endif
