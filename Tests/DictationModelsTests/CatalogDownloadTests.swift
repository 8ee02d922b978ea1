#if ModelCatalog
import DictationCore
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import DictationModels

@Suite struct CatalogDownloadTests {
    private static let archive = Result { try TestArchive.tarGzip.bytes(TestModel.entries) }

    /// Servers that misbehave and still let the model be installed, with the requests that it takes.
    enum Trouble: String, CaseIterable, Sendable {
        case none, cutConnection, cutOften, ignoredRange, changedTag, noTag, lyingRange, serverErrors, silence,
            slowLoris
        case tooLittle, redirect

        func reply(to request: MisbehavingServer.Request, _ archive: [UInt8]) -> MisbehavingServer.Reply {
            let honest = MisbehavingServer.Reply.file(archive, for: request)
            let isFirst = request.number == 1
            switch self {
            case .none: return honest
            case .cutConnection: return isFirst ? honest.cut(after: 100_000) : honest
            case .cutOften: return request.number <= 5 ? honest.cut(after: 40_000) : honest
            case .ignoredRange:
                var whole = MisbehavingServer.Reply(headers: [("ETag", "\"v1\"")], body: archive)
                if isFirst { whole.cutAfter = 100_000 }
                return whole
            case .changedTag:
                let other = [UInt8](repeating: 7, count: archive.count)
                return isFirst
                    ? .file(other, tag: "\"old\"", for: request).cut(after: 100_000)
                    : .file(archive, tag: "\"new\"", for: request)
            case .noTag:
                let whole = MisbehavingServer.Reply.file(archive, tag: nil, for: request)
                return isFirst ? whole.cut(after: 100_000) : whole
            case .lyingRange:
                if isFirst { return honest.cut(after: 100_000) }
                guard request.rangeStart != nil else { return honest }
                return .init(
                    status: 206,
                    headers: [("Content-Range", "bytes 5-\(archive.count - 1)/\(archive.count)")],
                    body: Array(archive[5...]))
            case .serverErrors: return request.number <= 2 ? .status(request.number == 1 ? 500 : 503) : honest
            case .silence:
                var silent = honest
                silent.silentAfter = 50_000
                return isFirst ? silent : honest
            case .slowLoris:
                var slow = honest
                slow.byteDelay = .milliseconds(50)
                return isFirst ? slow : honest
            case .tooLittle:
                // The server says that this is all of it.
                return request.path == "/model" ? .init(body: Array(archive.prefix(1_000))) : honest
            case .redirect:
                return request.path == "/model" ? .status(302, [("Location", "/elsewhere")]) : honest
            }
        }

        /// Whether the second request goes on where the first ended.
        var resumes: Bool? {
            switch self {
            case .cutConnection, .cutOften, .ignoredRange, .changedTag, .silence: true
            case .noTag, .serverErrors: false
            default: nil
            }
        }
    }

    @Test(arguments: Trouble.allCases) func aDownloadSurvives(_ trouble: Trouble) async throws {
        let folder = try TemporaryFolder()
        let archive = try Self.archive.get()
        let server = try MisbehavingServer { trouble.reply(to: $0, archive) }
        defer { server.stop() }
        // `tooLittle` looks like a bad mirror at first, so there is a second one.
        let addresses = trouble == .tooLittle ? ["/model", "/model?"] : ["/model"]
        let inventory = CatalogAssetInventory.quick(
            folder, [try TestModel.entry(addresses.map(server.address), archive: archive)])
        #expect(await inventory.status(of: "test-model") == .supported)
        let request = try #require(try await inventory.installation(of: "test-model"))
        async let values = request.progress.reduce(into: [ModelAsset.Progress]()) { $0.append($1) }
        try await request.install()
        #expect(await inventory.status(of: "test-model") == .installed)
        let model = try #require(try await inventory.installedModel("test-model"))
        #expect(TestModel.isWhole(at: model.folder))
        try await inventory.verify("test-model")
        if let resumes = trouble.resumes {
            #expect((server.requests[1].rangeStart != nil) == resumes)
        }
        let seen = await values
        #expect(seen.last?.completedBytes == Int64(archive.count))
        #expect(seen.last?.fraction == 1)
        for (one, next) in zip(seen, seen.dropFirst()) { #expect(one.completedBytes <= next.completedBytes) }
        // Nothing of the staging is left.
        #expect(!isThere(folder.file("models/.staging/test-model")))
        #expect(try await inventory.installation(of: "test-model") == nil)
    }

    /// Servers that can't be installed from, and the word that the error has to have.
    enum Fault: String, CaseIterable, Sendable {
        case notFound, redirectToFile, redirectToOther, redirectForever, wrongHash, wrongLength, tooLong,
            neverAnswers
        case alwaysCut, refused

        func reply(to request: MisbehavingServer.Request, _ archive: [UInt8]) -> MisbehavingServer.Reply {
            switch self {
            case .notFound: return .status(404)
            case .redirectToFile: return .status(302, [("Location", "file:///etc/passwd")])
            case .redirectToOther: return .status(302, [("Location", "gopher://127.0.0.1:1/")])
            case .redirectForever: return .status(302, [("Location", request.path + "x")])
            case .wrongHash: return .file([1] + archive.dropFirst(), for: request)
            case .wrongLength: return .file(archive + [0], for: request)
            case .tooLong: return .init(headers: [("Transfer-Encoding", "identity")], body: archive + archive)
            case .neverAnswers: return .init(contentLength: 10, silentAfter: 0)
            case .alwaysCut: return .init(headers: [], body: archive, cutAfter: 10_000)
            case .refused: return .status(403)
            }
        }

        var code: DictationError.Code {
            switch self {
            case .wrongHash, .wrongLength, .tooLong: .modelInvalid
            default: .installationFailed
            }
        }
    }

    @Test(arguments: [Duration.seconds(Int64.max), Duration(attoseconds: .max)])
    func aDownloadMayWaitForAnyTime(stallTimeout: Duration) async throws {
        let archive = try Self.archive.get()
        let server = try MisbehavingServer { .file(archive, for: $0) }
        defer { server.stop() }
        let folder = try TemporaryFolder()
        var downloads = DownloadOptions()
        downloads.stallTimeout = stallTimeout
        let model = try TestModel.entry([server.address("/model")], archive: archive)
        let inventory = CatalogAssetInventory(
            store: folder.store, catalogs: [ModelCatalog(name: "Test", models: [model])], validators: [:],
            downloads: downloads)
        try await inventory.install("test-model")
        #expect(await inventory.status(of: "test-model") == .installed)
    }

    @Test(arguments: Fault.allCases) func aDownloadIsGivenUp(_ fault: Fault) async throws {
        let folder = try TemporaryFolder()
        let archive = try Self.archive.get()
        let server = try MisbehavingServer { fault.reply(to: $0, archive) }
        defer { server.stop() }
        let inventory = CatalogAssetInventory.quick(
            folder, [try TestModel.entry([server.address("/model")], archive: archive)])
        let thrown = await error { try await inventory.install("test-model") }
        #expect(thrown?.code == fault.code, "\(String(describing: thrown))")
        #expect(await inventory.status(of: "test-model") == .supported)
        #expect(!isThere(folder.file("models/test-model")))
        #expect(server.requests.count <= 8)
    }

    @Test func theNextMirrorIsAskedWhenOneIsWrong() async throws {
        let folder = try TemporaryFolder()
        let archive = try Self.archive.get()
        let server = try MisbehavingServer { request in
            switch request.path {
            case "/dead": .status(404)
            case "/wrong": .file([0] + archive.dropFirst(), for: request)
            default: .file(archive, for: request)
            }
        }
        defer { server.stop() }
        let mirrors = ["/dead", "/wrong", "/good"].map(server.address)
        let inventory = CatalogAssetInventory.quick(folder, [try TestModel.entry(mirrors, archive: archive)])
        try await inventory.install("test-model")
        #expect(server.requests.map(\.path) == ["/dead", "/wrong", "/good"])
    }

    @Test func whatWasCancelledGoesOnWhereItStopped() async throws {
        let folder = try TemporaryFolder()
        let archive = try Self.archive.get()
        let server = try MisbehavingServer { request in
            var reply = MisbehavingServer.Reply.file(archive, for: request)
            if request.number == 1 { reply.silentAfter = 100_000 }
            return reply
        }
        defer { server.stop() }
        let models = [try TestModel.entry([server.address("/model")], archive: archive)]
        let inventory = CatalogAssetInventory.quick(folder, models)
        let request = try #require(try await inventory.installation(of: "test-model"))
        let install = Task { await error { try await request.install() } }
        for await progress in request.progress where progress.completedBytes >= 100_000 {
            #expect(await inventory.status(of: "test-model") == .downloading)
            await request.cancel()
        }
        #expect(await install.value?.code == .cancelled)
        #expect(await inventory.status(of: "test-model") == .supported)
        // As after a new start of the program.
        try await CatalogAssetInventory.quick(folder, models).install("test-model")
        #expect(server.requests.count == 2)
        #expect(server.requests[1].rangeStart == 100_000)
        #expect(server.requests[1].headers["if-range"] == "\"v1\"")
        #expect(await inventory.status(of: "test-model") == .installed)
    }

    @Test func severalRequestsShareOneDownload() async throws {
        let folder = try TemporaryFolder()
        let archive = try Self.archive.get()
        let server = try MisbehavingServer { .file(archive, for: $0) }
        defer { server.stop() }
        let models = [try TestModel.entry([server.address("/model")], archive: archive)]
        // Two inventories of one store know as little of each other as two processes.
        let inventories = (0..<2).map { _ in CatalogAssetInventory.quick(folder, models) }
        try await withThrowingTaskGroup { group in
            for inventory in inventories {
                for _ in 0..<4 {
                    group.addTask {
                        try await inventory.installation(of: "test-model")?.install()
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(server.requests.count == 1)
        #expect(await inventories[0].status(of: "test-model") == .installed)
    }

    @Test func oneRequestThatIsCancelledLeavesTheOthersAlone() async throws {
        let folder = try TemporaryFolder()
        let archive = try Self.archive.get()
        let server = try MisbehavingServer { request in
            var reply = MisbehavingServer.Reply.file(archive, for: request)
            if request.number == 1 { reply.silentAfter = 1_000 }
            return reply
        }
        defer { server.stop() }
        let inventory = CatalogAssetInventory.quick(
            folder, [try TestModel.entry([server.address("/model")], archive: archive)])
        let first = try #require(try await inventory.installation(of: "test-model"))
        let second = try #require(try await inventory.installation(of: "test-model"))
        let firstEnd = Task { await error { try await first.install() } }
        let secondEnd = Task { try await second.install() }
        for await progress in second.progress where progress.completedBytes >= 1_000 { await first.cancel() }
        #expect(await firstEnd.value?.code == .cancelled)
        try await secondEnd.value
        #expect(await inventory.status(of: "test-model") == .installed)
    }

    @Test func oneModelDoesNotWaitForAnother() async throws {
        let folder = try TemporaryFolder()
        let archive = try Self.archive.get()
        let server = try MisbehavingServer { request in
            var reply = MisbehavingServer.Reply.file(archive, for: request)
            if request.path == "/slow" { reply.blockDelay = .milliseconds(250) }
            return reply
        }
        defer { server.stop() }
        let models = try ["slow", "fast"].map {
            try TestModel.entry([server.address("/" + $0)], archive: archive, id: $0)
        }
        let inventory = CatalogAssetInventory.quick(folder, models)
        let slow = try #require(try await inventory.installation(of: "slow"))
        let slowEnd = Task { await error { try await slow.install() } }
        _ = await slow.progress.first { $0.completedBytes > 0 }
        try await inventory.install("fast")
        #expect([.downloading, .stalled].contains(await inventory.status(of: "slow")))
        await slow.cancel()
        #expect(await slowEnd.value?.code == .cancelled)
    }

    /// The catalogue does not say what its archive holds, so this shows only when all of it has come.
    @Test func aFileInThePlaceOfAnArchivesFolderLeavesNothingBehind() async throws {
        let folder = try TemporaryFolder()
        let archive = try TestArchive.tar.bytes([.file("model/a/b", [1])])
        let server = try MisbehavingServer { request in
            request.path == "/archive" ? .file(archive, for: request) : .file([2], for: request)
        }
        defer { server.stop() }
        let model = CatalogModel(
            id: "test-model", engine: "test", locales: ["en-US"], name: "Test",
            downloads: [.archive([server.address("/archive")], root: "model"), .file([server.address("/a")], as: "a")])
        let inventory = CatalogAssetInventory.quick(folder, [model])
        let thrown = await error { try await inventory.install("test-model", allowingUnpinned: true) }
        #expect(thrown?.code == .modelInvalid)
        #expect(!isThere(folder.store.folder + "/.staging/test-model"))
    }

    @Test func looseFilesAreInstalledTogether() async throws {
        let folder = try TemporaryFolder()
        let server = try MisbehavingServer { request in
            request.path == "/weights"
                ? .file(TestModel.weights, for: request) : .file(TestModel.tokens, for: request)
        }
        defer { server.stop() }
        var model = try TestModel.entry([])
        model.downloads = [
            .file(
                [server.address("/weights")], as: "weights.onnx",
                sha256: try ContentHash.sha256(of: TestModel.weights)),
            .file(
                [server.address("/tokens")], as: "tokens.txt", sha256: try ContentHash.sha256(of: TestModel.tokens)),
        ]
        let inventory = CatalogAssetInventory.quick(folder, [model])
        try await inventory.install("test-model")
        #expect(TestModel.isWhole(at: try #require(try await inventory.installedModel("test-model")).folder))
    }
}
#endif
