import DictationCore
import DictationTesting
import Foundation
import Testing

@testable import DictationCapture

/// What takes too long for everyday runs.
@Suite struct FFmpegProofTests {
    private let folder = TemporaryFolder()

    @Test(arguments: Encoding.others) func aRecordingIsReadToTheMillisecond(_ encoding: Encoding) async throws {
        try await encoding.checkRoundTrip(in: folder)
    }

    /// FFmpeg can't write AMR, but SoX can.
    @Test func aVoiceMessageInAMRIsRead() async throws {
        let (wave, path) = (try await Made.tone("a.wav", in: folder), folder("a.amr-nb"))
        let sox = try Child("sox", [wave, "-r", "8000", "-c", "1", path, "trim", "0.6"])
        let said = try #require(await sox.end())
        try #require(sox.exitCode == 0, "\(said); install libsox-fmt-all")
        let sound = try Sound(reading: path)
        #expect(sound.onset < 0.05 && abs(sound.seconds - 1.4) < 0.1, "\(sound.onset) \(sound.seconds)")
    }

    /// FFmpeg by itself sleeps for ten seconds while it reads these zeros, on a machine of any speed.
    @Test func aBroadcastThatEndsInZerosIsReadWithoutWaiting() async throws {
        let path = try await Made.tone("zeros.ts", in: folder)
        let whole = try Sound(reading: path)
        let file = try FileHandle(forWritingTo: URL(filePath: path))
        try file.truncate(atOffset: UInt64(64 << 20))
        try file.close()
        let clock = ContinuousClock()
        var end = Sound?.none
        let time = try clock.measure { end = try Sound(reading: path) }
        #expect(end?.left.count == whole.left.count)
        let plain = try Child("ffmpeg", ["-v", "quiet", "-nostdin", "-i", path, "-f", "null", "-"])
        let start = clock.now
        _ = try #require(await plain.end(within: .seconds(120)))
        #expect(time * 2 < clock.now - start, "\(time) instead of \(clock.now - start)")
    }

    /// The same as `Scripts/fuzz-recordings` does 20,000 times.
    @Test func changedRecordingsAreReadOrRefusedAndLeaveNothingRunning() async throws {
        var paths: [String] = []
        for name in ["f.m4a", "fast.m4a", "f.webm", "f.mkv", "f.wma", "f.ts"] {
            paths.append(try await Made.tone(name, in: folder, ["-t", "0.6"]))
        }
        let probe = try Child(Child.built("CaptureProbe"), ["recordings", folder.path, "0", "300", "1"] + paths)
        let lines = try #require(await probe.end(within: .seconds(600)))
        #expect(probe.exitCode == 0, "\(lines)")
        let counts = lines.filter { $0.contains("read ") }
        #expect(counts.count == 5 && lines.contains("inputs 300"), "\(lines)")
    }
}
