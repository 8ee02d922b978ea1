import BenchSpeech
import DictationCapture
import DictationCore
import FoundationEssentials
import Glibc

/// Compares reading an hour of a voice memo with the program `ffmpeg`, which converts it and discards the result.
enum Recordings {
    private static let ffmpeg = "/usr/bin/ffmpeg"

    static func measure(runs: Int) async throws -> [Measurement] {
        let folder = FileManager.default.temporaryDirectory.appending(path: "bench-\(getpid())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let memo = folder.appending(path: "hour.m4a").path
        _ = try Child([
            ffmpeg, "-nostdin", "-v", "error", "-f", "lavfi", "-i", "anoisesrc=d=3600:c=pink:r=44100:a=0.3", "-ac", "2",
            "-b:a", "128k", memo,
        ])
        var sizes: [Double] = []
        let time = try await Measurement.inTurns(
            "recordings: an hour of m4a to 16 kHz mono", "s CPU", runs: runs, against: "ffmpeg to nowhere",
            ours: { try read(memo, noting: &sizes) },
            theirs: {
                try Child([
                    ffmpeg, "-nostdin", "-v", "error", "-i", memo, "-ar", "16000", "-ac", "1", "-f", "null", "-",
                ]).cpu
            })
        return [
            time,
            Measurement(
                name: "recordings: this process, after each tenth of an hour", unit: "MB resident", runs: sizes),
        ]
    }

    /// Reads a file as a session does, and returns the processor time of this process and of the programs that it ran.
    private static func read(_ path: String, noting sizes: inout [Double]) throws -> Double {
        let began = processorSeconds() + processorSecondsOfChildren()
        var frames = 0
        do {
            var reader = try AudioFileReader(path: path, preferredFormat: .speech)
            while let buffer = try reader.read(frames: 16_000) {
                frames += buffer.frameCount
                if frames % (360 * 16_000) == 0 { sizes.append(residentMegabytes()) }
            }
        }
        guard frames > 3_599 * 16_000 else { throw DictationError(.engineFailed, "Only \(frames) frames were read.") }
        return processorSeconds() + processorSecondsOfChildren() - began
    }
}
