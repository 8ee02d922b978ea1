import BenchSpeech
import DictationCapture
import DictationCore

/// Measures how long a user waits. Each session gets its own recording at the pace of real speech, one after another.
enum Latency {
    static func measure(_ engine: any SpeechEngine, recordings count: Int) async throws -> [Measurement] {
        try await engine.prepare(.liveDictation())
        let (opened, first, last) = (Watch(), Watch(), Watch())
        for recording in try SpeechRecording.audio().filter({ !$0.isLong }).prefix(count) {
            try await take(engine, recording.samples(), opened, first, last)
        }
        return [
            ("start to first captured sound", opened), ("first word's beginning to first text", first),
            ("stop to transcript", last),
        ].flatMap { name, figures in
            [("median", 0.5), ("95 in 100", 0.95), ("99 in 100", 0.99)].map { part, share in
                Measurement(
                    name: "latency, \(engine.name): \(name), \(part) of \(figures.all.count)", unit: "ms",
                    runs: [figures.all.part(share) * 1_000])
            }
        }
    }

    private static func take(
        _ engine: any SpeechEngine, _ samples: [Int16], _ opened: Watch, _ first: Watch, _ last: Watch
    ) async throws {
        let clock = ContinuousClock()
        let capturer = ScriptedCapturer([.samples(AudioBuffer(samples)), .silence(for: .seconds(60))])
        let session = DictationSession(engine: engine, capturer: capturer)
        session.configuration.recognition.wordTimes = true
        let events = session.events()
        let began = clock.now
        let listening = Watch()
        let reader = Task { () -> Duration? in
            var text: Duration?
            for await event in events {
                switch event.kind {
                case .level: if listening.all.isEmpty { listening.add((clock.now - began) / .seconds(1)) }
                case .text(let change) where !(change.finalResults + change.volatileTail).allSatisfy(\.text.isEmpty):
                    text = text ?? clock.now - began
                case .ended: return text
                default: break
                }
            }
            return text
        }
        try await session.start()
        try await clock.sleep(until: began + AudioFormat.speech.duration(ofFrames: Int64(samples.count)))
        let stopped = clock.now
        let transcript = await session.stop()
        last.add((clock.now - stopped) / .seconds(1))
        if let open = listening.all.first { opened.add(open) }
        let word = transcript.segments.lazy.flatMap(\.words).first?.range?.lowerBound
        if let text = await reader.value, let word { first.add((text - word) / .seconds(1)) }
    }
}
