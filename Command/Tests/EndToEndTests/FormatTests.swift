import Foundation
import Testing

/// Tests that other programs can read each format.
@Suite struct FormatTests {
    private func check(json: String, in folder: Folder) async throws {
        try Data(json.utf8).write(to: URL(filePath: folder.file("document.json")))
        let outcome = try await Program.python(
            [Program.fixtures + "/check-json.py", Self.schemaPath, folder.file("document.json")])
        #expect(outcome.status == 0, "\(outcome.errors)\n\(json)")
    }

    /// The path of the schema, which is part of the documentation.
    static var schemaPath: String {
        URL(filePath: #filePath).deletingLastPathComponent().appending(
            path: "../../../Docs/dictate-json.schema.json"
        )
        .standardized.path
    }

    private func object(_ json: String) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any])
    }

    @Test func textHasALineForEachPiece() async throws {
        let folder = try Folder()
        let outcome = try await Program.run(["transcribe", try folder.tone(seconds: 3), "--script", Program.script])
        #expect(outcome.status == 0)
        #expect(outcome.output == "go forward ten <meters> & {stop}\n日本語 and wide 文字\n")
        #expect(outcome.errors.isEmpty)
    }

    @Test func wordsAndAlternativesStandBelowTheirPiece() async throws {
        let folder = try Folder()
        let outcome = try await Program.run([
            "transcribe", try folder.tone(seconds: 3), "--script", Program.script, "--words", "--alternatives", "1",
        ])
        #expect(outcome.output.contains("\t~ go four word\t0.2\n"))
        #expect(!outcome.output.contains("gopher"))
        #expect(outcome.output.contains("\t0.250\t0.500\tgo\t0.9\n"))
    }

    @Test func jsonFollowsItsSchema() async throws {
        let folder = try Folder()
        let tone = try folder.tone(seconds: 3)
        let outcome = try await Program.run([
            "transcribe", tone, folder.file("missing"), tone, "--script", Program.script, "--format", "json", "--words",
            "--alternatives", "2", "--jobs", "2",
        ])
        #expect(outcome.status == 1)
        try await check(json: outcome.output, in: folder)
        let transcripts = try #require(try object(outcome.output)["transcripts"] as? [[String: Any]])
        #expect(transcripts.map { $0["source"] as? String } == [tone, folder.file("missing"), tone])
        #expect(transcripts[0]["duration"] as? Double == 3)
        #expect((transcripts[1]["error"] as? [String: Any])?["code"] as? String == "fileUnreadable")
        #expect(transcripts[2]["isComplete"] as? Bool == true)
        let segments = try #require(transcripts[0]["segments"] as? [[String: Any]])
        #expect((segments[0]["words"] as? [[String: Any]])?.first?["start"] as? Double == 0.25)
        #expect((segments[0]["alternatives"] as? [Any])?.count == 2)
    }

    @Test func theSchemaRefusesWhatIsNotSo() async throws {
        let folder = try Folder()
        for json in [#"{"version":2,"transcripts":[]}"#, #"{"version":1}"#, #"{"version":1,"transcripts":[{}]}"#] {
            try Data(json.utf8).write(to: URL(filePath: folder.file("bad.json")))
            let outcome = try await Program.python(
                [Program.fixtures + "/check-json.py", Self.schemaPath, folder.file("bad.json")])
            #expect(outcome.status != 0, "\(json)")
        }
    }

    @Test(arguments: ["srt", "vtt"])
    func captionsOpenInAPlayer(format: String) async throws {
        let folder = try Folder()
        let path = folder.file("captions.\(format)")
        let outcome = try await Program.run([
            "transcribe", try folder.tone(seconds: 3), "--script", Program.script, "--format", format, "--output", path,
        ])
        #expect(outcome.status == 0 && outcome.output.isEmpty, "\(outcome)")
        let probe = try await Program.run(
            "/usr/bin/ffprobe",
            ["-v", "error", "-show_entries", "packet=pts_time,duration_time", "-of", "csv=p=0", path])
        let times = probe.output.split(separator: "\n").map { $0.split(separator: ",").compactMap { Double($0) } }
        // The second caption stays until its 20 columns can be read.
        #expect(times == [[0.25, 1.75], [2, 1.177]], "\(probe)")
        // A player shows the original text.
        let shown = try await Program.run(
            "/usr/bin/ffmpeg", ["-v", "error", "-i", path, "-f", "srt", "-"])
        let plain = shown.output.replacing("\u{2060}", with: "").replacing("\\", with: "")
        #expect(plain.contains("go forward ten <meters> & {stop}"), "\(shown)")
        #expect(shown.output.contains("日本語 and wide 文字"))
        #expect(shown.errors.isEmpty)
    }

    @Test func aFolderGetsAFileForEachRecording() async throws {
        let folder = try Folder()
        let tones = [try folder.tone("a.wav", seconds: 3), try folder.tone("b.wav", seconds: 3)]
        let outcome = try await Program.run(
            ["transcribe"] + tones + ["--script", Program.script, "--format", "vtt", "--output", folder.file("out/")])
        #expect(outcome.status == 0, "\(outcome)")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.file("out")).sorted()
        #expect(names == ["a.vtt", "b.vtt"])
        #expect(try folder.text("out/a.vtt").hasPrefix("WEBVTT\n\n00:00:00.250 --> 00:00:02.000\n"))
    }

    @Test func audioComesFromStandardInput() async throws {
        let folder = try Folder()
        let tone = try folder.tone(seconds: 3)
        let redirected = try await Program.run(["transcribe", "-", "--script", Program.script], input: tone)
        #expect(redirected.output.hasPrefix("go forward"), "\(redirected)")
        let piped = try await Program.bash("cat '\(tone)' | $dictate transcribe --script \"$script\" -- - ")
        #expect(piped.output == redirected.output, "\(piped)")
        #expect(piped.status == 0)
        let empty = try await Program.run(["transcribe", "-", "--script", Program.script])
        #expect(empty.status == 1)
        #expect(!empty.errors.isEmpty)
    }

    @Test func devicesAndModelsFollowTheSchemaToo() async throws {
        let folder = try Folder()
        let environment = ["XDG_DATA_HOME": folder.path]
        let models = try await Program.run(["models", "list", "--format", "json"], environment: environment)
        #expect(models.status == 0, "\(models)")
        try await check(json: models.output, in: folder)
        let outcomes = try await Program.run(
            ["models", "verify", "none-such", "--format", "json"], environment: environment)
        try await check(json: outcomes.output, in: folder)
        let devices = try await Program.run(["devices", "--format", "json"])
        try await check(json: devices.output, in: folder)
    }
}
