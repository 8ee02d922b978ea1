import DictationBatch
import DictationCore
import DictationEngines
import DictationTesting
import Synchronization
import TestSupport
import Testing

/// A sequence of items that does what a closure says.
private struct Source: AsyncSequence, AsyncIteratorProtocol, Sendable {
    /// Returns the item with a number, counted from 1.
    let item: @Sendable (Int) async throws -> BatchItem?
    private let taken = Mutexed(0)

    init(_ item: @escaping @Sendable (Int) async throws -> BatchItem?) { self.item = item }

    var count: Int { taken.value.withLock { $0 } }

    func makeAsyncIterator() -> Source { self }

    func next() async throws -> BatchItem? {
        try await item(
            taken.value.withLock {
                $0 += 1
                return $0
            })
    }
}

private final class Mutexed<Value: Sendable>: Sendable {
    let value: Mutex<Value>
    init(_ value: Value) { self.value = Mutex(value) }
}

private struct ForeignError: Error {}

/// Sequences of items that are slow, never end, throw or hang.
struct HostileItemSourceTests {
    @Test(arguments: 0...4) func anErrorOfAnyTypeEndsTheBatchAfterItsItems(count: Int) async throws {
        try await VirtualTime.run { _ in
            let source = Source { number in
                if number > count { throw ForeignError() }
                return BatchItem(path: "1", id: "\(number)")
            }
            var seen: Set<String> = []
            let failure = await error {
                for try await result in batch(workers: 2).results(of: source) { seen.insert(result.item.id) }
            }
            #expect(seen.count == count)
            #expect(failure?.message.contains("ForeignError") == true, "\(String(describing: failure))")
        }
    }

    @Test func anItemOfASlowSourceDoesNotWaitForTheNext() async throws {
        try await VirtualTime.run { clock in
            let source = Source { number in
                guard number <= 5 else { return nil }
                try await clock.sleep(for: .seconds(100))
                return BatchItem(path: "2", id: "\(number)")
            }
            var count = 0
            for try await result in batch(workers: 3).results(of: source) {
                let number = try #require(Int(result.item.id))
                #expect(clock.now.offset < .seconds(100 * number + 50), "\(number)")
                count += 1
            }
            #expect(count == 5)
        }
    }

    @Test(arguments: RandomRuns.seeds(100)) func aReaderCanBeCancelledAtAnyMoment(seed: UInt64) async throws {
        try await VirtualTime.run(seed: seed) { clock in
            var random = SplitMix64(seed: seed)
            let engine = ScriptedEngine()
            let source = Source { BatchItem(path: "\($0 % 3 + 1)", id: "\($0)") }
            var work = batch(engine, workers: Int.random(in: 1...3, using: &random))
            work.window = Int.random(in: 1...5, using: &random)
            let reader = DictationRuntime.current.task { [work] in
                var seen: [String] = []
                var iterator = work.results(of: source).makeAsyncIterator()
                while let result = try? await iterator.next() { seen.append(result.item.id) }
                return seen
            }
            await clock.advance(by: .milliseconds(Int.random(in: 0...20_000, using: &random)))
            reader.cancel()
            let seen = await reader.value
            #expect(Set(seen).count == seen.count)
            await clock.advance(by: .seconds(60))
            #expect(engine.openSessions == 0)
            // Nobody works on after the end.
            let (taken, sessions) = (source.count, engine.sessions.count)
            await clock.advance(by: .seconds(10_000))
            #expect(source.count == taken && engine.sessions.count == sessions)
        }
    }

    /// Like a call of C code, the source does not notice that it is cancelled.
    @Test(arguments: [true, false]) func aSourceThatHangsHoldsNoReaderUp(isCancelled: Bool) async throws {
        try await VirtualTime.run { clock in
            let hanging = Mutexed<CheckedContinuation<Void, Never>?>(nil)
            let engine = ScriptedEngine()
            let source = Source { number in
                if number <= 2 { return BatchItem(path: "1", id: "\(number)") }
                await withCheckedContinuation { (call: CheckedContinuation<Void, Never>) in
                    hanging.value.withLock { $0 = call }
                }
                return BatchItem(path: "1", id: "late")
            }
            let seen = Mutexed<[String]>([])
            let reader = DictationRuntime.current.task {
                var iterator = batch(engine).results(of: source).makeAsyncIterator()
                while let result = try? await iterator.next() {
                    let count = seen.value.withLock {
                        $0.append(result.item.id)
                        return $0.count
                    }
                    if !isCancelled && count == 2 { return }
                }
            }
            await clock.advance(by: .seconds(60))
            #expect(seen.value.withLock { $0 } == ["1", "2"])
            if isCancelled { reader.cancel() }
            await reader.value
            // Its item comes too late.
            let call = hanging.value.withLock { $0 }
            try #require(call != nil)
            call?.resume()
            await clock.advance(by: .seconds(60))
            #expect(seen.value.withLock { $0 } == ["1", "2"])
            #expect(engine.openSessions == 0 && engine.sessions.count == 2)
        }
    }

    @Test func resultsThatAreReadLateAreWhole() async throws {
        try await VirtualTime.run { clock in
            var work = batch(workers: 3)
            work.limits.time = .seconds(10)
            var ids: Set<String> = []
            var iterator = work.results(of: items(Array(repeating: "4", count: 40))).makeAsyncIterator()
            while let result = try await iterator.next() {
                #expect(result.transcript.error == nil && result.workTime < .seconds(6))
                let isNew = ids.insert(result.item.id).inserted
                #expect(isNew)
                await clock.advance(by: .seconds(ids.count % 7 == 0 ? 100_000 : 1))
            }
            #expect(ids.count == 40)
            // The end stays the end.
            let end = try await iterator.next()
            #expect(end?.item.id == nil)
        }
    }

    @Test func eachReaderHasItsOwnRun() async throws {
        try await VirtualTime.run { _ in
            let work = batch(workers: 2).results(of: items(["1", "2", "missing", "3"]))
            let readers = (0..<3).map { _ in
                DictationRuntime.current.task {
                    var (count, iterator) = (0, work.makeAsyncIterator())
                    while (try? await iterator.next()) != nil { count += 1 }
                    return count
                }
            }
            var counts: [Int] = []
            for reader in readers { counts.append(await reader.value) }
            #expect(counts == [4, 4, 4])
        }
    }

    @Test(arguments: [0, -1, .min, .max]) func noNumberOfWorkersIsWrong(count: Int) async throws {
        try await VirtualTime.run { _ in
            var work = batch(workers: count)
            work.window = count
            let done = try await results(work, items(["1", "missing", "2"]))
            #expect(done.map(\.item.id).sorted() == ["0 1", "1 missing", "2 2"])
        }
    }
}
