#if ModelCatalog
import DictationCore
import DictationTesting
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import DictationModels

@Suite struct CatalogConformanceTests {
    @Test func theInventoryConforms() async throws {
        let folder = try TemporaryFolder()
        let archive = try TestArchive.tarGzip.bytes(TestModel.entries)
        let isOffline = Mutex(false)
        let server = try MisbehavingServer { request in
            if isOffline.withLock({ $0 }) { return .status(503) }
            if request.path == "/failing", request.number == 1 { return .status(404) }
            var reply = MisbehavingServer.Reply.file(archive, for: request)
            reply.blockDelay = .milliseconds(20)
            return reply
        }
        defer { server.stop() }
        let models = try ["good", "failing"].map {
            try TestModel.entry([server.address("/" + $0)], archive: archive, id: $0)
        }
        let loose = try TestModel.entry([server.address("/loose")], id: "loose")
        let inventory = CatalogAssetInventory.quick(folder, models + [loose])
        let store = inventory.store
        let report = try await InventoryConformance(
            inventory, asset: "good", failing: "failing",
            damage: { id in
                let path = "\(store.folder)/\(id)/weights.onnx"
                guard var bytes = FileManager.default.contents(atPath: path) else { return }
                bytes[5_000] ^= 1
                try? bytes.write(to: URL(fileURLWithPath: path))
            },
            evict: {
                let kept = store.installed(catalogs: []).filter { store.isReserved($0.asset.id) }
                try? store.makeRoom(
                    for: 0, besides: "", within: kept.reduce(0) { $0 + ($1.receipt?.byteCount ?? 0) })
            },
            setOffline: { value in isOffline.withLock { $0 = value } }
        ).run()
        #expect(report.conforms, "\(report)")
        #expect(report.unchecked.isEmpty, "\(report.unchecked)")
    }
}
#endif
