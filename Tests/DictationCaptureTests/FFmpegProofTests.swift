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

    /// FFmpeg by itself sleeps 128 times while it reads these zeros. A library that comes first counts the times.
    @Test func aBroadcastThatEndsInZerosIsReadWithoutWaiting() async throws {
        let path = try await Made.tone("zeros.ts", in: folder)
        let file = try FileHandle(forWritingTo: URL(filePath: path))
        try file.truncate(atOffset: UInt64(8 << 20))
        try file.close()
        let code = """
            #define _GNU_SOURCE
            #include <dlfcn.h>
            #include <stdio.h>
            #include <stdlib.h>
            #include <time.h>
            static int sleeps;
            int nanosleep(const struct timespec *time, struct timespec *rest) {
                sleeps++;
                return ((int (*)(const struct timespec *, struct timespec *))dlsym(RTLD_NEXT, "nanosleep"))(time, rest);
            }
            __attribute__((destructor)) static void end(void) {
                FILE *file = fopen("\(folder("sleeps"))", "w");
                if (file) { fprintf(file, "%d", sleeps); fclose(file); }
            }
            """
        try Data(code.utf8).write(to: URL(filePath: folder("sleeps.c")))
        let compiler = try Child("cc", ["-shared", "-fPIC", "-o", folder("sleeps.so"), folder("sleeps.c")])
        _ = try #require(await compiler.end())
        // The reader's FFmpeg preloads nothing, so the test runs one with the reader's option.
        let option = ["-resync_size", "\(Int32.max)"]
        func sleeps(_ options: [String]) async throws -> Int {
            let ffmpeg = try Child(
                "ffmpeg", ["-v", "quiet", "-nostdin"] + options + ["-i", path, "-f", "null", "-"],
                environment: ["LD_PRELOAD": folder("sleeps.so")])
            _ = try #require(await ffmpeg.end(within: .seconds(120)))
            return try #require(Int(String(contentsOf: URL(filePath: folder("sleeps")), encoding: .utf8)))
        }
        #expect(try await sleeps([]) > 100)
        #expect(try await sleeps(option) < 10)
        // A program in its place that gives audio only with the option.
        let script = "case \"$*\" in *' \(option.joined(separator: " ")) '*) printf '%80000s' x ;; esac"
        try FileManager.default.createDirectory(atPath: folder("bin"), withIntermediateDirectories: true)
        try Data("#!/bin/sh\n\(script)\n".utf8).write(to: URL(filePath: folder("bin/ffmpeg")))
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder("bin/ffmpeg"))
        let probe = try Child(
            Child.built("CaptureProbe"), ["whole", path], environment: ["PATH": folder("bin") + ":/usr/bin:/bin"])
        let lines = try #require(await probe.end(within: .seconds(120)))
        #expect(lines.contains { $0.hasPrefix("read 0.2") || $0.hasPrefix("read 0.4") }, "\(lines)")
    }

    /// The same as `Scripts/fuzz recordings` does 20,000 times.
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
