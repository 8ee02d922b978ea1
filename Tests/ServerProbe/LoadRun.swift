import DictationCapture
import DictationCore
import Foundation

/// Streams of speech at the speed of speech, all at once, and how soon each has its text after its end.
struct LoadRun {
    let engine: any SpeechEngine
    let audio: [AudioBuffer]
    let streams: Int

    /// Reads a recording in pieces of 100 ms.
    static func audio(_ path: String) throws -> [AudioBuffer] {
        var reader = try AudioFileReader(path: path)
        var buffers: [AudioBuffer] = []
        while let buffer = try reader.read(frames: reader.format.sampleRate / 10) { buffers.append(buffer) }
        return buffers
    }

    struct Result {
        var delays: [Double] = []
        var texts: Set<String> = []
        var failures: [String] = []

        var line: String {
            let sorted = delays.sorted()
            func percentile(_ part: Double) -> String {
                guard !sorted.isEmpty else { return "-" }
                return String(Int(sorted[min(sorted.count - 1, Int(part * Double(sorted.count)))] * 1_000))
            }
            return
                "\(sorted.count) streams, \(failures.count) failed, \(texts.count) different texts; final text after "
                + "\(percentile(0.5)) ms (median), \(percentile(0.95)) ms (95 %), \(percentile(1)) ms (longest)"
        }
    }

    func run() async -> Result {
        await withTaskGroup(of: (Double, String)?.self) { group in
            for number in 0..<streams {
                group.addTask { await stream(after: .milliseconds(number * 1_000 / max(1, streams))) }
            }
            var result = Result()
            for await one in group {
                if let one {
                    result.delays.append(one.0)
                    result.texts.insert(one.1)
                } else {
                    result.failures.append("")
                }
            }
            return result
        }
    }

    private func stream(after offset: Duration) async -> (Double, String)? {
        let clock = ContinuousClock()
        let start = clock.now + offset
        do {
            let session = try await engine.makeSession(RecognitionOptions(finalizationTimeout: .seconds(60)))
            let (buffers, feed) = AsyncStream<AudioBuffer>.makeStream()
            try session.start(
                AudioInput(converting: AudioInput(buffers), to: session.audioFormat, by: bestConverters()))
            let reading = Task {
                var text = TranscriptAccumulator()
                for try await update in session.results { text.apply(update) }
                return Transcript(segments: text.finalized).text
            }
            for buffer in audio {
                // A microphone gives a piece when it is over.
                try await clock.sleep(until: start + buffer.end)
                feed.yield(buffer)
            }
            feed.finish()
            let end = clock.now
            _ = try await session.finish()
            let delay = clock.now - end
            return (delay / .seconds(1), try await reading.value)
        } catch {
            FileHandle.standardError.write(Data("\(error)\n".utf8))
            return nil
        }
    }
}
