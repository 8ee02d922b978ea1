#if PocketSphinx
import DictationCapture
import DictationCore
import DictationEngines
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import DictationDesktop
@testable import DictationService

/// A wake word in a speech by John F. Kennedy, found and recognized by PocketSphinx at the speech's own speed.
@Suite struct RealTimeTriggerProofTests {
    @Test func aSpokenWakeWordBeginsATake() async throws {
        let folder = ProcessInfo.processInfo.environment["DICTATION_AUDIO"] ?? "../shared/audio"
        let speech = folder + "/jfk.flac"
        try #require(FileManager.default.fileExists(atPath: speech), "Set DICTATION_AUDIO to the folder of jfk.flac.")
        var samples: [Float] = []
        for try await case .buffer(let buffer) in try await FileCapturer(path: speech).start(CaptureOptions()) {
            buffer.forEachSample { samples.append($0) }
        }
        let microphone = ServiceMicrophone(
            ScriptedCapturer(takes: [
                [.zeros(for: .seconds(1)), .samples(samples), .zeros(for: .seconds(600))], [.zeros(for: .seconds(600))],
            ]))
        let service = DictationService(
            session: DictationSession(
                engine: PocketSphinxEngine(), capturer: microphone, converters: SampleRateConverter.Provider()))
        let spotter = PocketSphinxEngine()
        try await service.prepare()
        let trigger = VoiceTrigger(
            .wakeWords(["your country"], engine: spotter), microphone: microphone,
            converters: SampleRateConverter.Provider())
        let (results, send) = AsyncStream<Result<DictatedText, DictationError>>.makeStream()
        let running = Task { await trigger.run(with: service) { send.yield($0) } }
        var iterator = results.makeAsyncIterator()
        let text = try #require(await iterator.next()).get()
        running.cancel()
        await running.value
        print("after the wake word: \(text.text)")
        // The take begins after the wake word, in the middle of the sentence, and has its rest and the silence.
        #expect(text.text.split(separator: " ").count >= 5 && !text.text.contains("fellow"), "\(text.text)")
        #expect((6...10).contains(text.transcript.duration / .seconds(1)), "\(text.transcript.duration)")
    }
}
#endif
