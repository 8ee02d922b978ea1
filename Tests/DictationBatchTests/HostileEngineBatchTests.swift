import DictationBatch
import DictationCapture
import DictationCore
import DictationEngines
import DictationTesting
import Synchronization
import TestSupport
import Testing

/// An engine whose first session is made only when the test says so, whatever is cancelled meanwhile.
private final class LateEngine: SpeechEngine {
    let base = ScriptedEngine()
    private let waiting = Mutex<CheckedContinuation<Void, Never>?>(nil)
    private let requests = Mutex(0)

    var name: String { base.name }
    var capabilities: EngineCapabilities { base.capabilities }
    var supportedLocales: [SpeechLocale] { get async { await base.supportedLocales } }

    func audioFormat(for options: RecognitionOptions) async throws(DictationError) -> AudioFormat {
        try await base.audioFormat(for: options)
    }

    func makeSession(_ options: RecognitionOptions) async throws(DictationError) -> any RecognitionSession {
        let number = requests.withLock {
            $0 += 1
            return $0
        }
        if number == 1 {
            await withCheckedContinuation { (call: CheckedContinuation<Void, Never>) in waiting.withLock { $0 = call } }
        }
        return try await base.makeSession(options)
    }

    func release() { waiting.withLock { $0 }?.resume() }
}

/// Engines and recordings that hang, are slow or are too late.
struct HostileEngineBatchTests {
    private func errors(_ results: [BatchResult]) -> [String: DictationError.Code?] {
        Dictionary(uniqueKeysWithValues: results.map { ($0.item.id, $0.transcript.error?.code) })
    }

    /// The script of the second session.
    private static let scripts: [ScriptedEngine.Script] = [
        [.stall(at: .seconds(1))], [.slowStart(.seconds(100_000))], [.slowFinish(.seconds(100_000))],
        [.neverFinishes()], [.final("one", at: .seconds(1)), .stall(at: .seconds(2), for: .seconds(100_000))],
    ]

    @Test(arguments: scripts, [1, 3]) func anItemForWhichTheEngineHangsFailsAlone(
        script: ScriptedEngine.Script, workers: Int
    )
        async throws
    {
        try await VirtualTime.run { clock in
            let engine = ScriptedEngine { $0.attempt == 1 ? script : .counting }
            var work = batch(engine, workers: workers)
            work.limits.time = .seconds(60)
            let begun = clock.now
            let done = try await results(work, items(["4", "4", "4", "4", "4"]))
            #expect(done.count == 5)
            #expect(done.count { $0.transcript.error != nil } == 1, "\(errors(done))")
            #expect(done.allSatisfy { $0.transcript.error != nil || $0.transcript.text.hasSuffix("three four") })
            #expect(begun.duration(to: clock.now) < .seconds(200))
            // An engine that comes back late changes nothing.
            engine.releaseStalls()
            await clock.advance(by: .seconds(200_000))
            #expect(engine.openSessions == 0)
        }
    }

    @Test func aSessionThatIsMadeTooLateIsClosed() async throws {
        try await VirtualTime.run { clock in
            let engine = LateEngine()
            var work = batch(engine)
            work.limits.time = .seconds(60)
            let done = try await results(work, items(["4", "4", "4"]))
            #expect(errors(done) == ["0 4": .timedOut, "1 4": nil, "2 4": nil])
            engine.release()
            await clock.advance(by: .seconds(60))
            #expect(engine.base.openSessions == 0)
        }
    }

    @Test func aRecordingThatOpensOrClosesSlowlyFailsAlone() async throws {
        try await VirtualTime.run { clock in
            var work = BatchTranscription(engine: ScriptedEngine(), workers: 1, converters: BasicConverter.Provider()) {
                item in
                ScriptedCapturer([
                    .tone(440, for: .seconds(2)), .nothing(for: .seconds(item.path == "deaf" ? 9_000 : 0)), .end,
                ]) {
                    if item.path == "opens" { $0.startDelay = .seconds(9_000) }
                    if item.path == "closes" || item.path == "deaf" { $0.stopDelay = .seconds(9_000) }
                }
            }
            work.limits.time = .seconds(60)
            let begun = clock.now
            let done = try await results(work, items(["good", "opens", "closes", "deaf", "good"]))
            let failures = errors(done)
            #expect(failures["0 good"] == .some(nil) && failures["4 good"] == .some(nil))
            #expect(failures["1 opens"] == .some(.timedOut) && failures["3 deaf"] == .some(.timedOut))
            #expect(begun.duration(to: clock.now) < .seconds(400))
        }
    }

    @Test(arguments: [.zero, .seconds(-5), .nanoseconds(1)] as [Duration]) func aLimitThatIsTooShortFailsEachItem(
        limit: Duration
    ) async throws {
        try await VirtualTime.run { _ in
            var work = batch(workers: 2)
            work.limits = BatchTranscription.Limits(time: limit, audio: nil)
            let late = errors(try await results(work, items(["4", "4"])))
            #expect(late == ["0 4": .timedOut, "1 4": .timedOut])
            work.limits = BatchTranscription.Limits(time: nil, audio: limit)
            let done = try await results(work, items(["4", "4"]))
            #expect(done.count == 2 && done.allSatisfy { $0.transcript.error?.message.contains("longer than") == true })
        }
    }

    @Test func aLimitBeyondAllTimeIsNone() async throws {
        try await VirtualTime.run { _ in
            var work = batch(workers: 2)
            work.limits = BatchTranscription.Limits(time: .seconds(Int64.max), audio: .seconds(Int64.max))
            let failures = errors(try await results(work, items(["4", "4"])))
            #expect(failures == ["0 4": nil, "1 4": nil])
        }
    }

    /// A program can make items of its own.
    @Test func noTimeOfAnItemIsWrong() async throws {
        try await VirtualTime.run { _ in
            let times: [Duration] = [.zero, .seconds(-5), .nanoseconds(1), .seconds(Int64.max), .seconds(Int64.min)]
            var list: [BatchItem] = []
            for (first, offset) in times.enumerated() {
                for (second, duration) in times.enumerated() {
                    var item = BatchItem(path: "2", id: "\(first) \(second)", offset: offset, duration: duration)
                    item.channel = second == 0 ? nil : .min
                    list.append(item)
                }
            }
            list.append(BatchItem(path: "2"))
            let done = try await results(batch(), list)
            #expect(Set(done.map(\.item.id)) == Set(list.map(\.id)))
            let whole = try #require(done.first { $0.item.id == "2" })
            #expect(whole.transcript.text == "one two three four")
            // A part without a length has no text, and is not the whole recording.
            for result in done where result.item.id.hasSuffix(" 0") || result.item.id.hasSuffix(" 1") {
                #expect(result.transcript.error != nil && result.transcript.text == "", "\(result.item.id)")
            }
            // What is told about them can be written.
            var progress = BatchProgress()
            for result in done { progress.add(result) }
            #expect(progress.done == 26 && !progress.line.isEmpty)
        }
    }
}
