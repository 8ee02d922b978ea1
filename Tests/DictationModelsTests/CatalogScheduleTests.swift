#if ModelCatalog
import DictationCore
import DictationTesting
import DictationWeb
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import DictationModels

@Suite struct CatalogScheduleTests {
    @Test func mirrorsTakeTurnsAndRoundsGetFurtherApart() {
        var options = DownloadOptions()
        options.maximumRounds = 4
        options.backOff = BackOff(first: .seconds(1), longest: .seconds(3))
        var schedule = RetrySchedule(mirrorCount: 2, options)
        func fail(progress: Bool = false) -> RetrySchedule.Step {
            schedule.next(after: .transient, madeProgress: progress)
        }
        #expect(fail() == .attempt(mirror: 1, after: .zero))
        #expect(fail() == .attempt(mirror: 0, after: .seconds(1)))
        #expect(fail() == .attempt(mirror: 1, after: .zero))
        #expect(fail() == .attempt(mirror: 0, after: .seconds(2)))
        // Progress starts the count again, at the same mirror.
        #expect(fail(progress: true) == .attempt(mirror: 0, after: .seconds(1)))
        #expect(fail() == .attempt(mirror: 1, after: .zero))
        #expect(fail() == .attempt(mirror: 0, after: .seconds(1)))
        #expect(schedule.next(after: .final, madeProgress: false) == .attempt(mirror: 1, after: .zero))
        #expect(fail() == .attempt(mirror: 1, after: .seconds(2)))
        #expect(fail() == .attempt(mirror: 1, after: .seconds(3)))
        #expect(fail() == .giveUp)
    }

    @Test func aMirrorThatWillNeverDoIsNotAskedAgain() {
        var schedule = RetrySchedule(mirrorCount: 3, DownloadOptions())
        #expect(schedule.next(after: .final, madeProgress: false) == .attempt(mirror: 1, after: .zero))
        #expect(schedule.next(after: .final, madeProgress: false) == .attempt(mirror: 2, after: .zero))
        #expect(schedule.next(after: .final, madeProgress: false) == .giveUp)
    }

    @Test func aRateIsThatOfTheLastSeconds() {
        var rate = TransferRate()
        #expect(rate.update(0, at: .zero) == nil)
        #expect(rate.update(1_000, at: .seconds(1)) == 1_000)
        #expect(rate.update(1_000, at: .seconds(2)) == 500)
        for second in 3...20 { _ = rate.update(1_000, at: .seconds(second)) }
        #expect(rate.update(1_000, at: .seconds(21)) == 0)
    }

    /// What a transport without a network does, one step for each fetch; the last one stands for all that follow.
    private enum Step: Sendable {
        case fail
        case give(Range<Int>)
        case giveSlowly(Int, every: Duration)
        case hang
    }

    private final class ScriptedTransport: ModelTransport {
        let bytes: [UInt8]
        let runtime = DictationRuntime.current
        let steps: Mutex<[Step]>
        let times = Mutex<[Duration]>([])

        init(_ bytes: [UInt8], _ steps: [Step]) {
            self.bytes = bytes
            self.steps = Mutex(steps)
        }

        func fetch(_ request: TransferRequest, into receiver: any TransferReceiver) async -> TransferFailure? {
            times.withLock { $0.append(runtime.now()) }
            let step = steps.withLock { $0.count < 2 ? $0.first ?? .fail : $0.removeFirst() }
            var head = WebHead(status: 200, headers: ["etag": "\"1\"", "content-length": "\(bytes.count)"])
            let start = Int(request.resume?.offset ?? 0)
            if start > 0 {
                head = WebHead(status: 206, headers: ["content-range": "bytes \(start)-/\(bytes.count)"])
            }
            switch step {
            case .fail: return .interrupted("no network")
            case .give(let range):
                if let failure = receiver.begin(head) { return failure }
                let end = min(range.upperBound, bytes.count)
                if let failure = Array(bytes[start..<end]).withUnsafeBytes({ receiver.take($0) }) { return failure }
                return end == bytes.count ? nil : .interrupted("cut")
            case .giveSlowly(let count, let pause):
                if let failure = receiver.begin(head) { return failure }
                for index in stride(from: start, to: bytes.count, by: count) {
                    do { try await runtime.sleep(pause) } catch { return .cancelled }
                    let end = min(index + count, bytes.count)
                    if let failure = Array(bytes[index..<end]).withUnsafeBytes({ receiver.take($0) }) {
                        return failure
                    }
                }
                return nil
            case .hang:
                do { try await runtime.sleep(.seconds(1_000_000)) } catch {}
                return .cancelled
            }
        }
    }

    private static func run(
        _ steps: [Step],
        _ body: @escaping @Sendable (CatalogAssetInventory, ScriptedTransport, ManualClock) async throws -> Void
    ) async throws {
        let folder = try TemporaryFolder()
        let archive = try TestArchive.tarGzip.bytes(TestModel.entries)
        try await VirtualTime.run { clock in
            let transport = ScriptedTransport(archive, steps)
            let catalog = ModelCatalog(
                name: "Test", models: [try TestModel.entry(["https://example.invalid/"], archive: archive)])
            var downloads = DownloadOptions()
            downloads.maximumRounds = 4
            let inventory = CatalogAssetInventory(
                store: folder.store, catalogs: [catalog], downloads: downloads, transport: transport)
            try await body(inventory, transport, clock)
        }
    }

    @Test func aLostNetworkIsTriedAgainFurtherAndFurtherApart() async throws {
        try await Self.run([]) { inventory, transport, clock in
            let install = DictationRuntime.current.task {
                await error { try await inventory.install("test-model") }
            }
            await clock.advance(by: .milliseconds(500))
            #expect(await inventory.status(of: "test-model") == .stalled)
            #expect(await install.value?.code == .installationFailed)
            #expect(transport.times.withLock { $0 } == [.zero, .seconds(1), .seconds(3), .seconds(7)])
            #expect(await inventory.status(of: "test-model") == .supported)
        }
    }

    @Test func aTransferThatGivesNothingIsTriedAgain() async throws {
        try await Self.run([.hang, .give(0..<100_000), .hang, .give(0..<1_000_000)]) {
            inventory, transport, clock in
            try await inventory.install("test-model")
            #expect(await inventory.status(of: "test-model") == .installed)
            #expect(
                transport.times.withLock { $0 } == [.zero, .seconds(31), .seconds(32), .seconds(63)])
        }
    }

    @Test func aTransferThatGivesNextToNothingIsTriedAgain() async throws {
        // 100 bytes a second would take an hour.
        try await Self.run([.giveSlowly(100, every: .seconds(1)), .give(0..<1_000_000)]) {
            inventory, transport, _ in
            try await inventory.install("test-model")
            #expect(transport.times.withLock { $0 } == [.zero, .seconds(31)])
        }
    }

    @Test func progressTellsTheRateAndTheTimeLeft() async throws {
        try await Self.run([.giveSlowly(10_000, every: .seconds(1))]) { inventory, _, clock in
            let request = try #require(try await inventory.installation(of: "test-model"))
            let values = Watched<[ModelAsset.Progress]>([])
            let reader = DictationRuntime.current.task {
                for await progress in request.progress { values.change { $0.append(progress) } }
            }
            try await request.install()
            await reader.value
            let middle = try #require(values.value.dropFirst(10).first)
            #expect(middle.bytesPerSecond == 10_000)
            let total = try #require(middle.totalBytes)
            let left = Double(total - middle.completedBytes) / 10_000
            #expect(middle.timeLeft == .seconds(left))
            #expect(values.value.last?.fraction == 1)
        }
    }

    @Test(arguments: 0..<20) func aCancelAtAnyMomentEndsIt(_ moment: Int) async throws {
        let steps: [Step] = [.fail, .give(0..<1_000), .hang, .giveSlowly(20_000, every: .seconds(2))]
        try await Self.run(steps) { inventory, _, clock in
            let request = try #require(try await inventory.installation(of: "test-model"))
            let install = DictationRuntime.current.task { await error { try await request.install() } }
            await clock.advance(by: .seconds(2) * moment)
            await request.cancel()
            #expect(await install.value?.code == .cancelled)
            #expect(await inventory.status(of: "test-model") == .supported)
            try await inventory.install("test-model")
            #expect(await inventory.status(of: "test-model") == .installed)
        }
    }

    @Test func whatWasDownloadedInVainIsRemoved() async throws {
        try await Self.run([.give(0..<1_000), .fail]) { inventory, _, _ in
            #expect(await error { try await inventory.install("test-model") }?.code == .installationFailed)
            #expect(names(in: inventory.store.folder + "/.staging/" + "test-model") == ["0.part", "0.part.json"])
            try await inventory.remove("test-model")
            #expect(!isThere(inventory.store.folder + "/.staging/" + "test-model"))
        }
    }
}
#endif
