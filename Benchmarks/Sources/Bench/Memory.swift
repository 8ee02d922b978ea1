import BenchSpeech
import DictationCore
import FoundationEssentials
import Glibc

/// Measures the memory of long takes.
enum Memory {
    static func measure() async throws -> [Measurement] {
        let take = try await Pipeline(minutes: 600, buffer: .seconds(1), listeners: 3).take()
        let growth = (take.megabytes.last ?? 0) - (take.megabytes.first ?? 0)
        return [
            Measurement(
                name: "memory: ten hours in virtual time, at each hour's end", unit: "MB resident", runs: take.megabytes
            ),
            Measurement(
                name: "memory: what a segment of text keeps", unit: "bytes", runs: [growth * 1e6 / Double(540 * 30)]),
        ]
    }

    /// Measures the memory while an engine decodes `minutes` of speech as fast as it can.
    static func measure(_ engine: any SpeechEngine, minutes: Int) async throws -> Measurement {
        let sound = try SpeechRecording.audio().prefix(20).flatMap {
            try $0.samples() + Array(repeating: 0, count: 16_000)
        }
        try await engine.prepare(.liveDictation())
        let sizes = Watch()
        let total = minutes * 60 * 16_000
        let input = AudioInput {
            var frames = 0
            return { () throws(DictationError) in
                guard frames < total else { return nil }
                if frames % (total / 12) < 1_600 { sizes.add(residentMegabytes()) }
                let at = frames % (sound.count - 1_600)
                defer { frames += 1_600 }
                return AudioBuffer(
                    Array(sound[at..<(at + 1_600)]), start: AudioFormat.speech.duration(ofFrames: Int64(frames)))
            }
        }
        let session = try await engine.makeSession(.liveDictation())
        try session.start(input)
        for try await _ in session.results {}
        return Measurement(
            name: "memory: \(minutes) minutes of speech through \(engine.name), at each twelfth", unit: "MB resident",
            runs: sizes.all)
    }
}

/// Returns the resident memory of this process, in megabytes.
func residentMegabytes() -> Double {
    let text = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
    let pages = text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
    return Double(pages * sysconf(Int32(_SC_PAGESIZE))) / 1e6
}
