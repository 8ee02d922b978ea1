import DictationBatch
import DictationCapture
import DictationCore
import DictationEngines
import DictationTesting
import Glibc
import Synchronization
import TestSupport
import Testing

struct BatchTranscriptionTests {
    @Test func everyItemHasOneResult() async throws {
        try await VirtualTime.run { _ in
            let list = items((0..<100).map { "\($0 % 7 + 1)" })
            let done = try await results(batch(workers: 3), list)
            #expect(done.map(\.item.id).sorted() == list.map(\.id).sorted())
            #expect(done.allSatisfy { $0.transcript.error == nil })
            #expect(done.first { $0.item.path == "4" }?.transcript.text == "one two three four one two three four")
        }
    }

    @Test func nothingIsAnEmptyBatch() async throws {
        let done = try await VirtualTime.run { _ in try await results(batch(), []) }
        #expect(done.isEmpty)
    }

    @Test func oneBadItemNeverEndsTheBatch() async throws {
        try await VirtualTime.run { _ in
            var list = items(["4", "missing", "damaged", "empty", "endless", "unending", "4"])
            var wrong = BatchItem(path: "", id: "#9")
            wrong.fault = DictationError(.invalidInput, "Line 9 of the manifest is not JSON.")
            list.append(wrong)
            var work = batch(workers: 2)
            work.limits = BatchTranscription.Limits(time: .seconds(600), audio: .seconds(120))
            let done = try await results(work, list)
            let errors = Dictionary(uniqueKeysWithValues: done.map { ($0.item.id, $0.transcript.error) })
            #expect(errors.count == 8)
            #expect(errors["0 4"] == .some(nil) && errors["6 4"] == .some(nil))
            #expect(errors["1 missing"]??.message == "“missing” does not exist.")
            #expect(errors["2 damaged"]??.message == "The file is damaged.")
            #expect(errors["3 empty"]??.message == "“empty” has no audio.")
            #expect(errors["4 endless"]??.code == .timedOut)
            #expect(errors["5 unending"]??.message == "The recording is longer than 120 seconds.")
            #expect(errors["#9"]??.message == "Line 9 of the manifest is not JSON.")
            // The text before the failure is kept.
            #expect(done.first { $0.item.path == "damaged" }?.transcript.text == "one two three four")
            #expect(done.first { $0.item.path == "endless" }?.transcript.text.hasPrefix("one two") == true)
        }
    }

    /// Its line and the report say what is missing. Without that, the text would look whole.
    @Test(arguments: [
        ("torn", "0:04.0–0:06.0 (its file is damaged)", DictationError.Code.fileUnreadable),
        ("late", "0:04.0–0:06.0 (the engine was too slow)", .engineFailed),
    ])
    func anItemWithMissingAudioFailsWithItsText(path: String, loss: String, code: DictationError.Code) async throws {
        let done = try await VirtualTime.run { _ in try await results(batch(), items([path])) }
        let result = try #require(done.first)
        #expect(result.transcript.error?.code == code && result.transcript.error?.recovery != nil)
        #expect(result.transcript.error?.message.hasSuffix("Audio without text: \(loss).") == true)
        #expect(result.transcript.text.hasPrefix("one two three four"))
        let record = BatchRecord(result, settings: BatchSettings(engine: "scripted", manifest: "list"), time: 0)
        #expect(record.error?.contains(loss) == true && record.line.contains(loss))
        #expect(record.line.contains("\"status\": \"failed\"") && record.line.contains("one two three four"))
    }

    @Test func anItemThatCrashesTheEngineFailsAlone() async throws {
        try await VirtualTime.run { _ in
            let engine = ScriptedEngine { request in
                request.attempt == 1
                    ? [.error(DictationError(.engineFailed, "It crashed."), at: .seconds(1))] : .counting
            }
            let done = try await results(batch(engine), items(["4", "4", "4"]))
            #expect(done.map { $0.transcript.error?.message } == [nil, "It crashed.", nil])
        }
    }

    @Test func aHelperThatDiesCostsNoItem() async throws {
        var configuration = HelperEngine.Configuration()
        // No other test shares this helper.
        configuration.progressTimeout = .seconds(117)
        let engine = HelperEngine(.scripted(), configuration: configuration)
        let killed = Mutex(0)
        let batch = BatchTranscription(engine: engine, workers: 2, converters: BasicConverter.Provider()) { item in
            if item.path == "kill", let helper = engine.helper {
                killed.withLock { $0 += kill(helper, SIGSEGV) == 0 ? 1 : 0 }
            }
            return ScriptedCapturer([.tone(440, for: .seconds(4)), .end], pacing: .onDemand)
        }
        let done = try await results(batch, items(["4", "4", "4", "kill", "4", "4", "4", "kill", "4", "4"]))
        #expect(killed.withLock { $0 } == 2 && done.count == 10)
        for result in done {
            #expect(result.transcript.error == nil, "\(result.item.id)")
            #expect(result.transcript.text == "one two three four one two three four", "\(result.item.id)")
        }
    }

    @Test func aModelThatIsGoneEndsTheBatch() async throws {
        try await VirtualTime.run { _ in
            let engine = ScriptedEngine { request in
                request.attempt < 2
                    ? .counting
                    : [.failingStart(DictationError(.modelInvalid, "The model is gone.", recovery: "Install it."))]
            }
            let list = items(Array(repeating: "1", count: 1_000))
            var count = 0
            let failure = await error {
                for try await _ in batch(engine, workers: 2).results(of: list) { count += 1 }
            }
            #expect(failure?.code == .modelInvalid)
            #expect(count == 2)
        }
    }

    @Test func anErrorOfTheListEndsTheBatchAfterItsItems() async throws {
        try await VirtualTime.run { _ in
            let list = AsyncThrowingStream<BatchItem, any Error> { list in
                for item in items(["1", "1", "1"]) { list.yield(item) }
                list.finish(
                    throwing: DictationError(.fileUnreadable, "The list is damaged.", recovery: "Write it again."))
            }
            var count = 0
            let failure = await error {
                for try await _ in batch().results(of: list) { count += 1 }
            }
            #expect(failure?.message == "The list is damaged.")
            #expect(count == 3)
        }
    }

    @Test func theLongestItemsOfAGroupComeFirst() async throws {
        try await VirtualTime.run { clock in
            var list = items((1...12).map { "\($0)" })
            for index in list.indices { list[index].duration = .seconds(index + 1) }
            var work = batch()
            work.window = 4
            let done = try await results(work, list)
            let order = done.compactMap { Int($0.item.path) }
            // The first group is what was there when the worker began.
            let rest = order.drop { $0 < 4 }
            #expect(order.sorted() == Array(1...12))
            #expect(Array(rest.suffix(8)) == [8, 7, 6, 5, 12, 11, 10, 9] || rest.count < 8, "\(order)")
        }
    }

    @Test func twoWorkersTakeHalfTheTime() async throws {
        try await VirtualTime.run { clock in
            for (workers, seconds) in [(1, 60), (2, 30), (3, 20)] {
                let begun = clock.now
                _ = try await results(batch(workers: workers), items(Array(repeating: "10", count: 6)))
                let time = begun.duration(to: clock.now)
                #expect(time >= .seconds(seconds) && time < .seconds(seconds + 1), "\(workers): \(time)")
            }
        }
    }

    @Test func anEngineGetsNoMoreSessionsThanItAllows() async throws {
        try await VirtualTime.run { _ in
            var capabilities = EngineCapabilities(ScriptedEngine.scriptedFeatures)
            capabilities.maximumSessions = 2
            let engine = ScriptedEngine(capabilities: capabilities)
            let done = try await results(batch(engine, workers: 8), items(Array(repeating: "2", count: 20)))
            #expect(done.count == 20 && done.allSatisfy { $0.transcript.error == nil })
        }
    }

    @Test func aSlowReaderHoldsTheWorkUp() async throws {
        try await VirtualTime.run { clock in
            let taken = Mutex(0)
            let list = AsyncStream<BatchItem> {
                taken.withLock { $0 += 1 }
                return BatchItem(path: "1", id: "\(taken.withLock { $0 })")
            }
            var work = batch(workers: 2)
            work.window = 8
            var iterator = work.results(of: list).makeAsyncIterator()
            _ = try await iterator.next()
            await clock.advance(by: .seconds(10_000))
            // Two groups, the items at work, the results that wait, and the one that was read.
            let count = taken.withLock { $0 }
            #expect(count <= 22)
        }
    }

    @Test func releasingTheResultsEndsTheWork() async throws {
        try await VirtualTime.run { clock in
            let engine = ScriptedEngine()
            do {
                var iterator = batch(engine, workers: 3).results(of: items(Array(repeating: "50", count: 100)))
                    .makeAsyncIterator()
                _ = try await iterator.next()
            }
            await clock.advance(by: .seconds(5))
            #expect(engine.openSessions == 0)
            #expect(engine.sessions.count < 10)
        }
    }

    @Test func aCancelledReaderGetsNoMoreResults() async throws {
        try await VirtualTime.run { clock in
            let engine = ScriptedEngine()
            let work = DictationRuntime.current.task {
                var count = 0
                var iterator = batch(engine).results(of: items(Array(repeating: "50", count: 100))).makeAsyncIterator()
                while (try? await iterator.next()) != nil { count += 1 }
                return count
            }
            await clock.advance(by: .seconds(120))
            work.cancel()
            #expect(await work.value == 2)
            await clock.advance(by: .seconds(5))
            #expect(engine.openSessions == 0)
        }
    }

    @Test func aPartEndsAfterItsDuration() async throws {
        try await VirtualTime.run { _ in
            let engine = ScriptedEngine()
            var item = BatchItem(path: "100")
            item.duration = .milliseconds(2_250)
            let done = try await results(batch(engine), [item])
            #expect(engine.framesFed == 36_000)
            #expect(done[0].transcript.duration == .milliseconds(2_250))
            #expect(done[0].transcript.error == nil)
        }
    }

    @Test func aPartBeyondTheEndFails() async throws {
        try await VirtualTime.run { _ in
            var late = BatchItem(path: "empty", offset: .seconds(90))
            late.duration = .seconds(5)
            var long = BatchItem(path: "4")
            long.duration = .seconds(60)
            var rounded = BatchItem(path: "4", id: "rounded")
            rounded.duration = .milliseconds(4_300)
            let done = try await results(batch(), [late, long, rounded])
            let errors = Dictionary(uniqueKeysWithValues: done.map { ($0.item.id, $0.transcript.error?.message) })
            #expect(errors["empty@90.0"] == "“empty” has no audio at 90.0 s.")
            #expect(errors["4"] == "“4” ends 56.0 s before the item does.")
            #expect(errors["rounded"] == .some(nil))
        }
    }

    @Test(arguments: RandomRuns.seeds(50)) func everyScheduleDeliversEachItemOnce(seed: UInt64) async throws {
        try await VirtualTime.run(seed: seed) { _ in
            let list = items(["2", "missing", "1", "empty", "damaged", "1", "missing", "1"])
            var work = batch(workers: Int(seed % 4) + 1)
            work.window = Int(seed % 3) + 1
            let done = try await results(work, list)
            #expect(done.map(\.item.id).sorted() == list.map(\.id).sorted())
        }
    }
}
