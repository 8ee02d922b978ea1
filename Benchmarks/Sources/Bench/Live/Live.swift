import BenchSpeech
import DictationCapture
import DictationCore
import DictationEngines
import Foundation

/// Measures the text that is shown while someone speaks: sentences with pauses between and inside them, played at their own
/// speed into the sound server, and read from the session's events as a panel would.
enum Live {
    /// Measures an engine with read speech in quiet and in noise, and with spontaneous speech.
    ///
    /// - Parameter count: The number of read sentences. Half as many are spontaneous.
    static func measure(_ engine: any SpeechEngine, sentences count: Int) async throws -> [BenchSpeech.Measurement] {
        try await engine.prepare(.liveDictation())
        let audio = try SpeechRecording.audio()
        var read = try await line(of: "audio: read", in: audio, count)
        var found = try await measure(engine, read, "\(engine.name), read")
        read.add(try noise(audio), below: 10)
        found += try await measure(engine, read, "\(engine.name), read, noise at 10 dB")
        let spontaneous = try await line(of: "audio: spontaneous", in: audio, max(1, count / 2))
        return found + (try await measure(engine, spontaneous, "\(engine.name), spontaneous"))
    }

    /// Measures an engine with read speech in quiet.
    static func measureRead(
        _ engine: any SpeechEngine, sentences count: Int, _ name: String
    ) async throws -> [BenchSpeech.Measurement] {
        try await engine.prepare(.liveDictation())
        let read = try await line(of: "audio: read", in: SpeechRecording.audio(), count)
        return try await measure(engine, read, "\(engine.name), read, \(name)")
    }

    private static func line(
        of set: String, in audio: [SpeechRecording], _ count: Int
    ) async throws -> SpokenLine {
        let recordings = audio.filter { $0.set == set }
        return try await SpokenLine(recordings.map { ($0, try $0.samples()) }, count: count, seed: 7)
    }

    /// Returns the noise that was added to a recording.
    private static func noise(_ audio: [SpeechRecording]) throws -> [Int16] {
        var noise: [Int16] = []
        for noisy in audio where noisy.set == "audio: noisy" {
            guard let clean = audio.first(where: { noisy.name.hasSuffix($0.name) && $0.name != noisy.name }) else {
                continue
            }
            let (sum, speech) = (try noisy.samples(), try clean.samples())
            let pairs = zip(sum, speech).map { (Double($0), Double($1)) }
            let gain = pairs.reduce(0) { $0 + $1.0 * $1.1 } / max(1, pairs.reduce(0) { $0 + $1.1 * $1.1 })
            noise += pairs.map { Int16(clamping: Int(($0 - gain * $1).rounded())) }
        }
        return noise
    }

    private static func measure(
        _ engine: any SpeechEngine, _ line: SpokenLine, _ name: String
    ) async throws -> [BenchSpeech.Measurement] {
        let session = DictationSession(engine: engine, capturer: ALSACapturer())
        let events = session.events()
        let clock = ContinuousClock()
        let (began, listening) = (Watch(), Watch())
        let origin = clock.now
        let locale = session.configuration.recognition.locale
        let reader = Task {
            var text = ShownText(line.spoken)
            for await event in events {
                switch event.kind {
                case .level: if listening.all.isEmpty { listening.add(1) }
                case .text(let change):
                    let now = (clock.now - origin) / .seconds(1)
                    text.apply(change, at: .seconds(now - (began.all.first ?? now)), locale: locale)
                case .ended: return text
                default: break
                }
            }
            return text
        }
        try await session.start()
        while listening.all.isEmpty { try await clock.sleep(for: .milliseconds(10)) }
        let work = processorSeconds()
        let player = Process()
        player.executableURL = URL(filePath: "/usr/bin/pacat")
        player.arguments = [
            "--playback", "--raw", "--format=s16le", "--rate=16000", "--channels=1", "--latency-msec=20",
        ]
        let pipe = Pipe()
        player.standardInput = pipe
        try player.run()
        let start = clock.now
        began.add((start - origin) / .seconds(1))
        for first in stride(from: 0, to: line.samples.count, by: 160) {
            let part = line.samples[first..<min(line.samples.count, first + 160)]
            try await clock.sleep(
                until: start + AudioFormat.speech.duration(ofFrames: Int64(part.endIndex)), tolerance: .zero)
            try pipe.fileHandleForWriting.write(contentsOf: part.withUnsafeBytes { Data($0) })
        }
        try pipe.fileHandleForWriting.close()
        let load = (processorSeconds() - work) / (line.duration / .seconds(1))
        _ = await session.stop()
        player.waitUntilExit()
        return await reader.value.measurements(name, load: load)
    }
}
