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
        let talk = folder.appending(path: "hour.mp3").path
        let short = folder.appending(path: "short.flac").path
        for (seconds, path) in [(3_600, talk), (4, short)] {
            _ = try Child([
                ffmpeg, "-nostdin", "-v", "error", "-f", "lavfi", "-i", "anoisesrc=d=\(seconds):c=pink:r=16000:a=0.3",
                path,
            ])
        }
        let hour = try await Measurement.inTurns(
            "recordings: an hour of mp3, decoded in a helper", "s CPU", runs: runs, against: "in this process",
            ours: { try decode(talk, inHelper: true) }, theirs: { try decode(talk, inHelper: false) })
        let small = try await Measurement.inTurns(
            "recordings: 100 flac files of 4 s, decoded in a helper", "s CPU", runs: runs, against: "in this process",
            ours: { try (0..<100).reduce(0) { sum, _ in try sum + decode(short, inHelper: true) } },
            theirs: { try (0..<100).reduce(0) { sum, _ in try sum + decode(short, inHelper: false) } })
        return [
            time, hour, small,
            Measurement(
                name: "recordings: this process, after each tenth of an hour", unit: "MB resident", runs: sizes),
        ]
    }

    /// Reads a file, and returns the processor time of this process and of the process that decoded it.
    private static func decode(_ path: String, inHelper: Bool) throws -> Double {
        let began = processorSeconds() + processorSecondsOfChildren()
        do {
            var reader = try AudioFileReader(path: path, inHelper: inHelper)
            while try reader.read(frames: 16_000) != nil {}
        }
        return processorSeconds() + processorSecondsOfChildren() - began
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
