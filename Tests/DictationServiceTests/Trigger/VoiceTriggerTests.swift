import DictationCapture
import DictationCore
import DictationEngines
import DictationTesting
import Synchronization
import TestSupport
import Testing

@testable import DictationDesktop
@testable import DictationService

/// A voice or a wake word begins a take, and a silence ends it.
@Suite struct VoiceTriggerTests {
    /// A service whose microphone is also a trigger's, while the trigger runs.
    private final class Listening: Sendable {
        let service: DictationService
        let microphone: ServiceMicrophone
        let device: ScriptedCapturer
        let texts = Mutex<[Result<DictatedText, DictationError>]>([])
        private let running: Mutex<Task<Void, Never>?> = Mutex(nil)

        init(_ script: [ScriptedCapturer.Step], cue: (any MicrophoneCue)? = nil) {
            device = ScriptedCapturer(script)
            microphone = ServiceMicrophone(device, cue: cue)
            let session = DictationSession(
                engine: ScriptedEngine(), capturer: microphone,
                configuration: DictationSession.Configuration(tail: .zero))
            service = DictationService(session: session)
        }

        func run(_ sign: VoiceTrigger.Sign, silence: Duration = .seconds(2)) {
            let trigger = VoiceTrigger(sign, microphone: microphone, silence: silence)
            let task = DictationRuntime.current.task { [self] in
                await trigger.run(with: service) { [self] result in texts.withLock { $0.append(result) } }
            }
            running.withLock { $0 = task }
        }

        func end() async {
            let task = running.withLock { $0 }
            task?.cancel()
            await task?.value
        }

        var found: [DictatedText] { texts.withLock { $0.compactMap { try? $0.get() } } }
        var errors: [DictationError] {
            texts.withLock { $0.compactMap { if case .failure(let error) = $0 { error } else { nil } } }
        }
    }

    @Test func aVoiceBeginsATakeAndASilenceEndsIt() async throws {
        try await VirtualTime.run { clock in
            let speech: [ScriptedCapturer.Step] = [.silence(for: .seconds(5)), .tone(300, for: .seconds(3))]
            let listening = Listening(speech + speech + [.silence(for: .seconds(600))])
            listening.run(.voice)
            await clock.advance(by: .seconds(4))
            var status = try await listening.service.status()
            #expect(status.state == .idle)
            await clock.advance(by: .seconds(3))
            status = try await listening.service.status()
            #expect(status.state == .recording)
            await clock.advance(by: .seconds(30))
            await listening.end()
            // Each take has all of the speech, a little before it, and the silence after it. The script begins again with
            // each take.
            let lengths = listening.found.map { $0.transcript.duration / .seconds(1) }
            #expect(lengths.count == 3 && lengths.allSatisfy { (5.0...5.7).contains($0) }, "\(lengths)")
            #expect(listening.found.allSatisfy { !$0.text.isEmpty && $0.isComplete } && listening.errors.isEmpty)
            #expect(try await listening.service.last() == listening.found.last)
            #expect(listening.device.counts.captured > 0)
        }
    }

    @Test func aClickAndASteadyNoiseBeginNothing() async throws {
        try await VirtualTime.run { clock in
            let clicks: [ScriptedCapturer.Step] = [.silence(for: .seconds(5)), .tone(300, for: .milliseconds(100))]
            let listening = Listening(clicks + clicks + [.tone(100, for: .seconds(600), amplitude: 0.02)])
            listening.run(.voice)
            await clock.advance(by: .seconds(10))
            #expect(try await listening.service.status().take == nil)
            await clock.advance(by: .seconds(300))
            await listening.end()
            // Only the beginning of the noise may count as a voice.
            let takes = try await listening.service.status().take?.number ?? 0
            #expect(takes <= 1)
        }
    }

    @Test func aWakeWordBeginsATakeWithTheWordAfterIt() async throws {
        try await VirtualTime.run { clock in
            let listening = Listening([
                .silence(for: .seconds(3)), .tone(300, for: .seconds(4)), .silence(for: .seconds(60)),
            ])
            let spotter = ScriptedEngine(
                sessions: [[.final("hey computer", at: .milliseconds(4_500))], []],
                capabilities: EngineCapabilities([.keyphrases]))
            listening.run(.wakeWords(["hey computer"], engine: spotter))
            await clock.advance(by: .milliseconds(4_400))
            let status = try await listening.service.status()
            #expect(status.state == .idle)
            await clock.advance(by: .seconds(20))
            await listening.end()
            #expect(spotter.sessions.first?.options.task == .keyphrases(["hey computer"]))
            // Two and a half seconds of speech are left, and two of silence.
            let lengths = listening.found.map { $0.transcript.duration / .seconds(1) }
            #expect(lengths.count == 1 && lengths.allSatisfy { (4.4...4.9).contains($0) }, "\(lengths)")
            #expect(listening.errors.isEmpty)
        }
    }

    /// A key gets the open microphone at once, and what was heard before is no part of its take.
    @Test func aKeyTakesTheMicrophoneFromTheTrigger() async throws {
        try await VirtualTime.run { clock in
            let listening = Listening([.silence(for: .seconds(600))])
            listening.run(.voice)
            await clock.advance(by: .seconds(10))
            #expect(listening.device.counts.starts == 1)
            try await listening.service.start()
            #expect(listening.device.counts.starts == 1, "The microphone was open.")
            await clock.advance(by: .milliseconds(2_050))
            let text = try #require(try await listening.service.stop())
            #expect(text.text == "one two three four" && text.transcript.duration < .milliseconds(2_200))
            await clock.advance(by: .seconds(1))
            #expect(listening.device.counts.starts == 2, "The trigger listens again.")
            await listening.end()
            #expect(listening.found.isEmpty && listening.errors.isEmpty)
            // The microphone is closed.
            _ = try await listening.device.start(CaptureOptions())
        }
    }

    /// Whoever stops the take of a trigger has its text.
    @Test func aKeyEndsATakeOfTheTrigger() async throws {
        try await VirtualTime.run { clock in
            let listening = Listening([.silence(for: .seconds(3)), .tone(300, for: .seconds(600))])
            listening.run(.voice)
            await clock.advance(by: .seconds(6))
            let text = try #require(try await listening.service.toggle())
            #expect(text.text.hasPrefix("one two"))
            await listening.end()
            #expect(listening.found.isEmpty && listening.errors.isEmpty)
        }
    }

    @Test func aTriggerTriesAMicrophoneThatIsMissingAgain() async throws {
        try await VirtualTime.run { clock in
            let device = ScriptedCapturer([
                .silence(for: .seconds(2)), .tone(300, for: .seconds(2)), .silence(for: .seconds(60)),
            ]) {
                $0.openFailures = 3
            }
            let microphone = ServiceMicrophone(device)
            let service = DictationService(session: DictationSession(engine: ScriptedEngine(), capturer: microphone))
            let errors = Mutex(0)
            let trigger = VoiceTrigger(.voice, microphone: microphone)
            let running = DictationRuntime.current.task {
                await trigger.run(with: service) { if case .failure = $0 { errors.withLock { $0 += 1 } } }
            }
            await clock.advance(by: .seconds(60))
            running.cancel()
            await running.value
            #expect(errors.withLock { $0 } == 3)
            let last = try #require(try await service.last())
            #expect(!last.text.isEmpty)
        }
    }

    /// The samples count, so that each missing or doubled one is seen.
    @Test(arguments: [0, 1_234, 3_000]) func aTakeBeginsInWhatWasHeard(milliseconds: Int) async throws {
        try await VirtualTime.run { clock in
            let counting = (0..<160_000).map { Int16(truncatingIfNeeded: $0) }
            let microphone = ServiceMicrophone(ScriptedCapturer([.samples(counting)]))
            let tap = try #require(
                try await microphone.listen(CaptureOptions()) { _ in
                } hear: { _ in
                })
            await clock.advance(by: .milliseconds(3_050))
            tap.begin(at: .milliseconds(milliseconds))
            let stream = try await microphone.start(CaptureOptions())
            await clock.advance(by: .seconds(2))
            await microphone.stop(.full)
            var heard: [Int16] = []
            for try await case .buffer(let buffer) in stream {
                buffer.withUnsafeBytes { heard += Array($0.bindMemory(to: Int16.self)) }
            }
            let first = milliseconds * 16
            #expect(heard.count > 16_000)
            #expect(heard == Array(counting[first..<(first + heard.count)]))
        }
    }
}
