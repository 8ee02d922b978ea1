import DictationCore
import DictationSystem
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import DictationEngines

/// What happens when a helper dies while it recognizes speech: nothing that a user sees in the final text.
@Suite(.ownThread) struct HelperRecoveryTests {
    static let signals = [SIGKILL, SIGSEGV, SIGABRT, SIGSTOP]

    private static let count = Mutex(0)

    /// An engine with a helper that no other test shares, that is noticed quickly when it hangs, and that ends at once
    /// after its last session.
    static func engine(_ description: EngineDescription, retention: ModelRetention = .whileInUse) -> HelperEngine {
        var configuration = HelperEngine.Configuration()
        configuration.retention = retention
        configuration.responseTimeout = .seconds(1)
        configuration.progressTimeout = .seconds(
            count.withLock { count in
                count += 1
                return 120 + count
            })
        return HelperEngine(description, configuration: configuration)
    }

    @Test(arguments: signals) func aHelperThatDiesCostsNoWord(signal: Int32) async throws {
        let audio = (0..<80).map { AudioBuffer(silence: 1_600, format: .speech, start: .milliseconds(100 * $0)) }
        let inProcess = try await ScriptedEngine().results(audio, .liveDictation()).finals
        let engine = Self.engine(.scripted())
        let results = try await engine.results(audio, .liveDictation(), sending: signal, before: [5, 33, 60])
        #expect(results.finals == inProcess)
        #expect(results.finals.count == 4)
    }

    @Test func aRealModelGivesTheSameTextAfterDeaths() async throws {
        let model = try SherpaOnnxEngine.Model(folder: SherpaFixtures.modelFolder())
        let samples = try SherpaFixtures.samples("mfa-ipa_us_2")
        let audio = (samples + [Int16](repeating: 0, count: 32_000) + samples).buffers()
        try await expectSameText(try .sherpaOnnx(model, locales: ["en-US"]), audio, sending: SIGKILL)
    }

    @Test func aRecordingIsTranscribedAlthoughTheHelperDies() async throws {
        let samples = try SherpaFixtures.samples("mfa-ipa_us_2")
        let audio = (samples + [Int16](repeating: 0, count: 32_000) + samples).buffers()
        let model = try SherpaOnnxEngine.Model(folder: SherpaFixtures.modelFolder())
        let engine = Self.engine(try .sherpaOnnx(model, locales: ["en-US"]))
        let undisturbed = try await engine.transcribed(audio, killing: [])
        #expect(!undisturbed.isEmpty)
        #expect(try await engine.transcribed(audio, killing: [audio.count / 3, audio.count - 1]) == undisturbed)
    }

    /// Text comes in order, so it can't tell how far several workers are.
    @Test(arguments: [false, true]) func workersTellHowMuchTheyHaveDecoded(hasTwoPasses: Bool) async throws {
        let part = try SherpaFixtures.samples("mfa-ipa_us_2") + [Int16](repeating: 0, count: 48_000)
        let samples = (0..<12).flatMap { _ in part }
        let model = try SherpaOnnxEngine.Model(folder: SherpaFixtures.modelFolder())
        let helper = Self.engine(try .sherpaOnnx(model, locales: ["en-US"]))
        let engine: any ParallelTranscribing =
            hasTwoPasses ? TwoPassEngine(quick: ScriptedEngine(), thorough: helper) : helper
        let told = Watched<[Duration]>([])
        try await engine.transcribe(
            AudioInput(samples.buffers()), options: .timedTranscription(), workers: 2,
            into: ResultSink { _ in }.noting { length in told.change { $0.append(length) } })
        #expect(told.value.count >= 4)
        #expect(told.value.max() == AudioFormat.speech.duration(ofFrames: Int64(samples.count)))
    }

    /// A recording is read much faster than it was spoken, so that many kills may come before a text is final.
    @Test func manyKillsBeforeAnyTextIsFinalCostNoWord() async throws {
        let audio = try SherpaFixtures.samples("mfa-ipa_us_2").buffers()
        let model = try SherpaOnnxEngine.Model(folder: SherpaFixtures.modelFolder())
        let engine = Self.engine(try .sherpaOnnx(model, locales: ["en-US"]))
        let undisturbed = try await engine.transcribed(audio, killing: [])
        #expect(try await engine.transcribed(audio, killing: Array(3..<10)) == undisturbed)
    }

    @Test func anErrorOfTheEngineIsToldWhileTheInputWaits() async throws {
        let failure = DictationError(.engineFailed, "The engine broke.")
        let session = try await Self.engine(.scripted([.error(failure, at: .milliseconds(500))])).makeSession(
            .liveDictation())
        let silence = Watched(false)
        try session.start(
            AudioInput {
                var isFirst = true
                return { () async throws(DictationError) in
                    if !isFirst { _ = await silence.first { $0 ? true : nil } }
                    defer { isFirst = false }
                    return isFirst ? AudioBuffer(silence: 16_000, format: .speech) : nil
                }
            })
        await #expect(throws: failure) { for try await _ in session.results {} }
        silence.change { $0 = true }
    }

    @Test(arguments: signals) func nothingIsLeftOfADeadHelper(signal: Int32) async throws {
        let engine = Self.engine(.scripted())
        var session: (any RecognitionSession)? = try await engine.makeSession(.liveDictation())
        weak var process: HelperProcess?
        process = engine.model.helperProcess
        let number = try #require(process?.number)
        #expect(kill(number, 0) == 0)
        kill(number, signal)
        await session?.cancel()
        session = nil
        // A stopped helper is ended because nobody needs it, all others have ended.
        while process != nil { try await Task.sleep(for: .milliseconds(5)) }
        // No process and no zombie. The object had the descriptors and the mapping.
        #expect(kill(number, 0) == -1 && errno == ESRCH)
    }

    @Test func aHelperEndsWithTheProgram() async throws {
        let folder = try HelperFolder()
        let program = try folder.copy(of: "HelperProbe", in: "own")
        let run = try folder.run(program, ["helper-and-die"])
        let number = try #require(pid_t(run.output.trimmingCharacters(in: .whitespacesAndNewlines)), "\(run)")
        // Its parent is gone, so the system's first process reaps it.
        while kill(number, 0) == 0, !Self.isZombie(number) { try await Task.sleep(for: .milliseconds(5)) }
    }

    private static func isZombie(_ number: pid_t) -> Bool {
        let status = (try? String(contentsOfFile: "/proc/\(number)/stat", encoding: .utf8)) ?? ""
        return status.split(separator: ")").last?.hasPrefix(" Z") ?? true
    }

    @Test func withoutAHelperTheErrorSaysWhichLineToAdd() throws {
        let folder = try HelperFolder()
        let program = try folder.copy(of: "HelperProbe", in: "alone")
        let run = try folder.run(
            program, ["helper"], environment: ["PROBE_FORGETS": "yes", "PATH": "/nonexistent:."])
        #expect(run.status == 1)
        #expect(run.output.contains("DictationHelper.runIfAsked()"), "\(run)")
    }
}

/// With each engine and each signal. The everyday tests do it with one.
@Suite(.serialized, .ownThread) struct HelperRecoveryProofTests {
    @Test(arguments: HelperRecoveryTests.signals) func aZipformerGivesTheSameText(signal: Int32) async throws {
        let model = try SherpaOnnxEngine.Model(folder: SherpaFixtures.modelFolder())
        try await expectSameText(try .sherpaOnnx(model, locales: ["en-US"]), try sentences(), sending: signal)
    }

    @Test(arguments: HelperRecoveryTests.signals) func moonshineGivesTheSameText(signal: Int32) async throws {
        let model = try SherpaOnnxOfflineEngine.Model(folder: SherpaFixtures.moonshineFolder())
        try await expectSameText(try .sherpaOnnxOffline(model, locales: ["en-US"]), try sentences(), sending: signal)
    }

    private func sentences() throws -> [AudioBuffer] {
        let samples = try SherpaFixtures.samples("mfa-ipa_us_2")
        return (samples + [Int16](repeating: 0, count: 32_000) + samples).buffers()
    }

    #if PocketSphinx
    @Test(arguments: HelperRecoveryTests.signals) func pocketSphinxGivesTheSameText(signal: Int32) async throws {
        let audio = try buffers(Speech.ill.samples() + quiet(2) + Speech.goForward.samples() + quiet(1))
        try await expectSameText(.pocketSphinx([try Sphinx.model()]), audio, sending: signal)
    }
    #endif
}

/// Expects the text of an undisturbed engine from one whose helper gets two signals.
private func expectSameText(
    _ description: EngineDescription, _ audio: [AudioBuffer], sending signal: Int32
) async throws {
    var options = RecognitionOptions.liveDictation()
    options.finalizationTimeout = .seconds(120)
    let undisturbed = try await HelperRecoveryTests.engine(description).text(audio, options)
    let results = try await HelperRecoveryTests.engine(description).results(
        audio, options, sending: signal, before: [audio.count / 4, audio.count / 2])
    #expect(results.heardText == undisturbed)
    #expect(!undisturbed.isEmpty)
}

extension HelperEngine {
    /// All updates for some audio, with a signal for the helper before some of the buffers.
    fileprivate func results(
        _ buffers: [AudioBuffer], _ options: RecognitionOptions, sending signal: Int32, before places: [Int]
    ) async throws -> [SpeechUpdate] {
        let session = try await makeSession(options)
        try session.start(input(buffers, sending: signal, before: places))
        var results: [SpeechUpdate] = []
        for try await update in session.results { results.append(update) }
        #expect(try await session.finish() == .complete)
        return results
    }

    fileprivate func transcribed(_ buffers: [AudioBuffer], killing places: [Int]) async throws -> String {
        let updates = Watched<[SpeechUpdate]>([])
        try await transcribe(
            input(buffers, sending: SIGKILL, before: places), options: .fileTranscription(), workers: 2,
            into: ResultSink { update in updates.change { $0.append(update) } })
        return updates.value.heardText
    }

    private func input(_ buffers: [AudioBuffer], sending signal: Int32, before places: [Int]) -> AudioInput {
        AudioInput { [model] in
            var next = 0
            return { () async throws(DictationError) in
                guard next < buffers.count else { return nil }
                defer { next += 1 }
                if places.contains(next), let number = model.helperProcess?.number { kill(number, signal) }
                return buffers[next]
            }
        }
    }
}
