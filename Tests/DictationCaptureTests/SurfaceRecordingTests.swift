import DictationCapture
import DictationCore
import DictationTesting
import Foundation
import Testing

/// Recordings as cameras, recorders and careless people make them.
@Suite struct SurfaceRecordingTests {
    private let folder = TemporaryFolder()
    private static let video = ["-f", "lavfi", "-i", "testsrc=d=3:s=128x96:r=25"]
    /// A tone whose pitch rises, so that each moment sounds different.
    private static let sweep = [
        "-f", "lavfi", "-i",
        "aevalsrc='0.4*sin(2*PI*(200*t+300*t*t))|0.4*sin(2*PI*(900*t-100*t*t))':c=stereo:d=3:s=48000",
    ]

    private func make(_ name: String, _ arguments: [String]) async throws -> String {
        try await Made.run(arguments + [folder(name)])
        return folder(name)
    }

    /// In every container, the words of a video have the times of its pictures.
    @Test(arguments: ["late.ts", "late.m2ts", "late.mpg", "late.vob", "late.mkv", "late.mp4"])
    func soundThatBeginsLateBeginsLate(_ name: String) async throws {
        let codec = name.hasSuffix("mkv") || name.hasSuffix("mp4") ? "aac" : "ac3"
        let path = try await make(
            name, Self.video + ["-itsoffset", "1.25"] + Self.sweep + ["-map", "0", "-map", "1", "-c:a", codec])
        for start in [Duration.zero, .milliseconds(250), .milliseconds(1_000)] {
            let sound = try Sound(reading: path, from: start)
            let expected = 1.25 - start / .seconds(1)
            #expect(abs(sound.onset - expected) < 0.03, "\(name) from \(start): \(sound.onset)")
        }
    }

    /// A part of a longer recording keeps the times of the whole, as live streams do.
    @Test(arguments: ["a.mka", "a.webm", "a.ts", "a.m4a"])
    func aRecordingThatBeginsAtALaterTimeIsReadFromItsBeginning(_ name: String) async throws {
        let path = try await make(name, Self.sweep + ["-output_ts_offset", "100"])
        var reader = try AudioFileReader(path: path)
        #expect(reader.frameCount.map { abs($0 - 144_000) < 3_000 } ?? true, "\(String(describing: reader.frameCount))")
        var frames = 0
        while let buffer = try reader.read() { frames += buffer.frameCount }
        #expect(abs(frames - 144_000) < 3_000)
    }

    @Test(arguments: ["alac.m4a", "flac.mka"]) func readingFromAnyTimeGivesTheRest(_ name: String) async throws {
        let path = try await make(name, Self.sweep + ["-c:a", String(name.prefix(4))])
        let whole = try Sound(reading: path)
        var random = SplitMix64(seed: 3)
        // Matroska counts milliseconds.
        let step = name == "alac.m4a" ? 1 : 48
        for frame in [1, 47, 48, 49] + (0..<4).map({ _ in Int(random.next() % 140_000) }) {
            let start = Duration.seconds(1) * (Double(frame) / 48_000)
            let rest = try Sound(reading: path, from: start).left
            #expect(abs(whole.left.count - frame - rest.count) <= step, "from \(frame)")
            let shift = whole.left.count - rest.count
            #expect(zip(whole.left.dropFirst(shift), rest).allSatisfy { abs($0 - $1) < 0.000_1 }, "from \(frame)")
        }
    }

    @Test(arguments: [
        (16, "16c", "a.mka", -1), (6, "5.1", "b.mka", 3), (6, "5.1", "b.m4a", 3), (4, "quad", "c.mka", -1),
    ])
    func everyMicrophoneIsInTheMix(_ count: Int, _ layout: String, _ name: String, _ subwoofer: Int) async throws {
        for silent in [0, count / 2, count - 1] where silent != subwoofer {
            let channels = (0..<count).map { $0 == silent ? "0.5*sin(3000*t)" : "0" }.joined(separator: "|")
            let path = try await make(
                "\(silent)" + name,
                ["-f", "lavfi", "-i", "aevalsrc='\(channels)':c=\(layout):d=0.3:s=48000"]
                    + (name.hasSuffix("mka") ? ["-c:a", "pcm_s16le"] : []))
            var reader = try AudioFileReader(path: path, preferredFormat: .speech)
            var loudest: Float = 0
            while let buffer = try reader.read() { loudest = max(loudest, buffer.floatSamples.map(abs).max() ?? 0) }
            #expect(loudest > 0.02, "channel \(silent + 1) of \(count)")
        }
    }

    /// Voice messages that someone joined with `cat`, and broadcasts of several pieces.
    @Test(arguments: ["a.mp3", "a.ogg", "a.opus"]) func aSecondRecordingInAFileIsReadOrReported(_ name: String)
        async throws
    {
        let path = try await make(name, Self.sweep)
        let (whole, none) = Sound.asFarAsPossible(path)
        #expect(none == nil)
        let bytes = try Data(contentsOf: URL(filePath: path))
        try (bytes + bytes).write(to: URL(filePath: path))
        let (sound, failure) = Sound.asFarAsPossible(path)
        #expect(sound.left.count >= whole.left.count)
        #expect(sound.left.count > whole.left.count * 3 / 2 || failure != nil)
    }

    @Test func picturesAndTagsAreNoSecondRecording() async throws {
        let cover = try await make("cover.png", ["-f", "lavfi", "-i", "testsrc=s=500x500:d=0.1", "-frames:v", "1"])
        for name in ["a.mp3", "a.m4a", "a.flac"] {
            let plain = try await make(name, Self.sweep)
            let path = try await make(
                "cover-" + name,
                ["-i", plain, "-i", cover, "-map", "0", "-map", "1", "-c", "copy", "-disposition:v:0", "attached_pic"])
            var bytes = try Data(contentsOf: URL(filePath: path))
            if name == "a.mp3" { bytes += Data("TAG".utf8) + Data(repeating: 0x41, count: 125) }
            try bytes.write(to: URL(filePath: path))
            let (sound, failure) = Sound.asFarAsPossible(path)
            #expect(failure == nil, "\(String(describing: failure))")
            #expect(abs(sound.seconds - 3) < 0.05)
        }
    }
}
