import DictationCore
import Foundation
import Testing

/// Programs that are called FFmpeg and are not.
@Suite struct SurfaceProgramTests {
    private let folder = TemporaryFolder()
    private static let track = """
        {"streams":[{"index":0,"codec_name":"aac","sample_fmt":"fltp","sample_rate":"48000","channels":2}],
        "format":{"format_name":"x"}}
        """

    /// Reads a recording with programs that are shell scripts, and returns what the reader says.
    private func read(_ probe: String, _ decoder: String) async throws -> [String] {
        for (name, script) in [("ffprobe", probe), ("ffmpeg", decoder)] {
            // Another process writes it, because a program can't start while a child of this process may have it open.
            let arguments = ["-c", #"echo "$1" >"$2"; chmod 755 "$2""#, "sh", "#!/bin/sh\n\(script)", folder(name)]
            _ = try await Child("sh", arguments).end()
        }
        try Data("ftyp no recording".utf8).write(to: URL(filePath: folder("a.m4a")))
        let reader = try Child(
            Child.built("CaptureProbe"), ["whole", folder("a.m4a")],
            environment: ["PATH": folder.path + ":/usr/bin:/bin"])
        return try #require(await reader.end(), "\(probe) / \(decoder)")
    }

    // The scripts start no other program, because they can't.
    @Test(arguments: [
        #"printf '\377\001\033%3000000s{"' x"#, "while :; do echo y; done", "exit 0", "echo '{}'", "exit 3",
        "kill -9 $$", "printf '%5000000s' x >&2",
        "echo '{\"streams\":[{\"index\":-5,\"sample_rate\":\"-8\",\"channels\":-1}],\"format\":{\"format_name\":\"x\"}}'",
    ])
    func anAnswerThatIsNoneIsAnError(_ probe: String) async throws {
        let lines = try await read(probe, "exit 0")
        #expect(lines.contains { $0.hasPrefix("error fileUnreadable") }, "\(lines)")
    }

    @Test(arguments: [
        "printf '%80000s' x; kill -9 $$", "printf '%80000s' x; echo bad >&2; exit 1", "exit 1",
        "printf '%80000s' x; i=0; while [ $i -lt 20000 ]; do echo '[aac @ 0x12] bad' >&2; i=$((i+1)); done",
        #"printf '%80000s' x; printf '\377\001\033\200%100000s\n\302' x >&2; exit 1"#,
    ])
    func aFailureIsAnErrorAfterTheAudio(_ decoder: String) async throws {
        let lines = try await read("echo '\(Self.track)'", decoder)
        #expect(lines.contains { $0.hasPrefix("error fileUnreadable") }, "\(lines)")
        #expect(lines.allSatisfy { $0.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control } })
    }

    /// Half a frame at the end is no audio.
    @Test func audioThatEndsWithinAFrameIsReadUpToIt() async throws {
        let lines = try await read("echo '\(Self.track)'", "printf '%80005s' x")
        #expect(lines.contains { $0.hasPrefix("read 0.208") }, "\(lines)")
    }
}
