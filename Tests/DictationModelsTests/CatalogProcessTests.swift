#if ModelCatalog
import DictationCore
import DictationSystem
import DictationTesting
import Foundation
import Glibc
import TestSupport
import Testing

@testable import DictationModels

/// What happens between processes, and to a process whose disk, permissions or life are taken away.
@Suite(.serialized) struct CatalogProcessTests {
    private static let archive = Result { try TestArchive.tarGzip.bytes(TestModel.entries) }

    /// A folder with a catalogue in it, and what the helper is called with.
    private struct Place {
        let folder: TemporaryFolder
        let models: [CatalogModel]
        let arguments: [String]

        init(_ address: String, archive: [UInt8]? = nil) throws {
            folder = try TemporaryFolder()
            models = [try TestModel.entry([address], archive: try archive ?? CatalogProcessTests.archive.get())]
            let json = try ModelCatalog(name: "Test", models: models).json()
            arguments = [folder.store.folder, try folder.write(json, to: "catalog.json"), "test-model"]
        }

        var inventory: CatalogAssetInventory { .quick(folder, models) }

        func run(_ more: [String] = []) throws -> String? {
            try InstallProbe(arguments + more).end(within: .seconds(60))
        }
    }

    @Test func severalProcessesDownloadOnce() async throws {
        let archive = try Self.archive.get()
        let server = try MisbehavingServer { request in
            var reply = MisbehavingServer.Reply.file(archive, for: request)
            reply.blockDelay = .milliseconds(20)
            return reply
        }
        defer { server.stop() }
        for _ in 0..<3 {
            let before = server.requests.count
            let place = try Place(server.address("/model"))
            let probes = try (0..<3).map { _ in try InstallProbe(place.arguments) }
            for probe in probes { #expect(try probe.end(within: .seconds(60)) == "installed") }
            #expect(server.requests.count - before == 1)
            #expect(await place.inventory.status(of: "test-model") == .installed)
        }
    }

    @Test func anotherProcessGoesOnWhenTheFirstIsKilled() async throws {
        let archive = try Self.archive.get()
        let server = try MisbehavingServer { request in
            var reply = MisbehavingServer.Reply.file(archive, for: request)
            if request.number == 1 { reply.silentAfter = 100_000 }
            return reply
        }
        defer { server.stop() }
        let place = try Place(server.address("/model"))
        let inventory = place.inventory
        let first = try InstallProbe(place.arguments + ["--stall", "60000"])
        let part = place.folder.file("models/.staging/test-model/0.part")
        try #require(await eventually { byteCount(part) == 100_000 })
        #expect(await inventory.status(of: "test-model") == .downloading)
        let request = try #require(try await inventory.installation(of: "test-model"))
        let second = Task { try await request.install() }
        // It waits for the first, and shows how far that is.
        let seen = await request.progress.first { $0.completedBytes == 100_000 }
        #expect(seen?.totalBytes == Int64(archive.count))
        #expect(server.requests.count == 1)
        kill(first.process, SIGKILL)
        #expect(try first.end(within: .seconds(10)) == "")
        try await second.value
        #expect(await inventory.status(of: "test-model") == .installed)
        #expect(server.requests.count == 2)
        #expect(server.requests[1].rangeStart == 100_000)
    }

    @Test func aModelThatIsBeingInstalledIsNotRemoved() async throws {
        let folder = try TemporaryFolder()
        let archive = try Self.archive.get()
        let inventory = CatalogAssetInventory.quick(
            folder, [try TestModel.entry(["http://127.0.0.1:1/"], archive: archive)])
        try await inventory.importModel(fromFile: try folder.write(archive, to: "archive"), as: "test-model")
        let lock = try folder.store.lock(FileName("test-model"))
        #expect(await error { try await inventory.remove("test-model") }?.code == .alreadyRunning)
        withExtendedLifetime(lock) {}
        #expect(await inventory.status(of: "test-model") == .installed)
    }

    /// Kills the install at random moments, over a fresh store or over a damaged model, and starts it again.
    @Test func anInstallThatIsKilledLeavesTheOldOrTheNew() async throws {
        let kills = ProcessInfo.processInfo.environment["DICTATION_KILLS"].flatMap { Int($0) } ?? 60
        let archive = try Self.archive.get()
        let server = try MisbehavingServer { request in
            var reply = MisbehavingServer.Reply.file(archive, for: request)
            reply.blockDelay = .milliseconds(2)
            return reply
        }
        defer { server.stop() }
        let full = try await Self.timeOfAnInstall(server.address("/model"))
        var random = SplitMix64(seed: 6)
        var found: [String: Int] = [:]
        var killed = 0
        while killed < kills {
            let place = try Place(server.address("/model"))
            let inventory = place.inventory
            let isOverDamage = Bool.random(using: &random)
            if isOverDamage {
                try await inventory.importModel(
                    fromFile: try place.folder.write(archive, to: "archive"), as: "test-model")
                try Self.damage(place.folder.file("models/test-model/weights.onnx"))
            }
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                let moment = full * Double.random(in: 0.1...1.1, using: &random)
                guard try InstallProbe(place.arguments).end(within: moment) == nil else { continue }
                killed += 1
                #expect(try !place.folder.store.isLocked(FileName("test-model")), "a lost lock")
                let status = await inventory.status(of: "test-model")
                #expect(status == .installed || status == (isOverDamage ? .damaged : .supported))
                found[Self.scene(place.folder, status), default: 0] += 1
                if status == .installed {
                    try await inventory.verify("test-model")
                } else {
                    #expect(place.folder.store.models(engine: "test").isEmpty)
                }
            }
            #expect(try place.run() == "installed")
            #expect(await inventory.status(of: "test-model") == .installed)
            try await inventory.verify("test-model")
            #expect(TestModel.isWhole(at: place.folder.file("models/test-model")))
            #expect(names(in: place.folder.file("models/test-model")).count == 3)
            #expect(!isThere(place.folder.store.folder + "/.staging/" + "test-model"))
            #expect(names(in: place.folder.store.folder + "/.trash").isEmpty)
        }
        print(
            "Killed \(killed) times over an install of \(full); then there was:", found.sorted { $0.key < $1.key })
        // A sanitizer's runtime takes so long to start that "nothing" and "all" are what is mostly met.
        let isSanitized = ProcessInfo.processInfo.environment["DICTATION_SANITIZED"] != nil
        #expect(found.count >= (isSanitized ? 2 : 3), "the moments were all alike: \(found)")
    }

    private static func timeOfAnInstall(_ address: String) async throws -> Duration {
        var longest = Duration.zero
        for _ in 0..<3 {
            let place = try Place(address)
            let start = ContinuousClock.now
            #expect(try place.run() == "installed")
            longest = max(longest, ContinuousClock.now - start)
        }
        return longest
    }

    private static func damage(_ path: String) throws {
        let file = open(path, O_WRONLY)
        defer { close(file) }
        try #require(pwrite(file, "damage", 6, 100) == 6 && ftruncate(file, 200_000) == 0)
    }

    /// What a killed process left behind.
    private static func scene(_ folder: TemporaryFolder, _ status: ModelAsset.Status) -> String {
        let names = names(in: folder.store.folder + "/.staging/" + "test-model")
        if status == .installed { return names.isEmpty ? "installed" : "installed, untidy" }
        if names.contains("tree") { return "unpacking" }
        return names.contains("0.part") ? "downloading" : "nothing yet"
    }

    /// Limits that the archive does not fit in, and one that only what is in it does not fit in.
    @Test(
        arguments: [(100_000, false), (1_000_000, true)], ["--file-limit", "--disk-room"]
    ) func aFullDiskIsSaidAndLeavesTheWayOpen(_ limit: (bytes: Int, isWhileUnpacking: Bool), _ way: String)
        async throws
    {
        let zeros = TestEntry.file("model/zeros", [UInt8](repeating: 0, count: 2_000_000))
        let archive = limit.isWhileUnpacking ? try TestArchive.tarGzip.bytes([zeros]) : try Self.archive.get()
        let server = try MisbehavingServer { .file(archive, for: $0) }
        defer { server.stop() }
        let place = try Place(server.address("/model"), archive: archive)
        #expect(try place.run([way, "\(limit.bytes)"]) == "storageFull")
        #expect(await place.inventory.status(of: "test-model") == .supported)
        #expect(try place.run() == "installed")
        try await place.inventory.verify("test-model")
        // What was downloaded before is not downloaded again; on a disk, notes about it took some of the room.
        #expect(server.requests.count == (limit.isWhileUnpacking ? 1 : 2))
        let start = server.requests.last?.rangeStart
        #expect(limit.isWhileUnpacking || (limit.bytes * 9 / 10...limit.bytes) ~= (start ?? 0))
    }

    /// Only root can make a small disk; for anyone else, and here as well, the test above has one that looks so.
    @Test func aRealDiskThatIsFullIsSaid() async throws {
        let folder = try TemporaryFolder()
        try makeFolder(folder.file("models"))
        guard mount("tmpfs", folder.file("models"), "tmpfs", 0, "size=200k") == 0 else {
            try #require(errno == EPERM, "mount: \(String(cString: strerror(errno)))")
            return
        }
        defer { umount2(folder.file("models"), Int32(MNT_DETACH)) }
        let archive = try Self.archive.get()
        let server = try MisbehavingServer { .file(archive, for: $0) }
        defer { server.stop() }
        let inventory = CatalogAssetInventory.quick(
            folder, [try TestModel.entry([server.address("/model")], archive: archive)])
        #expect(await error { try await inventory.install("test-model") }?.code == .storageFull)
        #expect(await inventory.status(of: "test-model") == .supported)
        try #require(mount("tmpfs", folder.file("models"), "tmpfs", UInt(MS_REMOUNT), "size=4m") == 0)
        try await inventory.install("test-model")
        try await inventory.verify("test-model")
        #expect(server.requests.count == 2)
        #expect((server.requests[1].rangeStart ?? 0) > 100_000)
    }

    @Test func aFolderWithoutPermissionIsSaid() async throws {
        let place = try Place("http://127.0.0.1:1/")
        try makeFolder(place.folder.store.folder)
        try #require(chmod(place.folder.store.folder, 0o555) == 0)
        #expect(try place.run(geteuid() == 0 ? ["--as-nobody"] : []) == "fileUnreadable")
        chmod(place.folder.store.folder, 0o755)
    }
}
#endif
