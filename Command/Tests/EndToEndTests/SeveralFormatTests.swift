import Foundation
import Testing

/// Tests of several formats at once, and of pages with their recordings.
@Suite struct SeveralFormatTests {
    /// Runs `transcribe` in a folder with the recordings a.wav and b.wav, and lists the folder.
    private func transcribe(_ arguments: String, in folder: Folder) async throws -> Outcome {
        for name in ["a.wav", "b.wav"] { _ = try folder.tone(name, seconds: 3) }
        return try await Program.bash(
            """
            cd '\(folder.path)'; mkdir -p out
            "$dictate" transcribe --script "$script" \(arguments); echo "status $?" >&2
            find . -type f ! -name '*.wav' | sort
            """)
    }

    @Test(arguments: [
        ("a.wav --format srt --format html", "./a.html\n./a.srt\n"),
        ("a.wav b.wav --format vtt --format text", "./a.txt\n./a.vtt\n./b.txt\n./b.vtt\n"),
        ("a.wav --format srt --format html --output talk", "./talk.html\n./talk.srt\n"),
        ("a.wav --format srt --format html --output talk.srt", "./talk.html\n./talk.srt\n"),
        ("a.wav --format srt --format html --output out/talk.v2", "./out/talk.v2.html\n./out/talk.v2.srt\n"),
        (
            "a.wav b.wav --format srt --format json --output out",
            "./out/a.json\n./out/a.srt\n./out/b.json\n./out/b.srt\n"
        ),
        ("a.wav b.wav --format html --format json --output all", "./all.html\n./all.json\n"),
        (
            "a.wav --format srt --format srt --output -",
            "1\n00:00:00,250 --> 00:00:02,000\ngo forward ten <\u{2060}meters> &"
        ),
    ])
    func eachFormatHasItsFile(arguments: String, files: String) async throws {
        let outcome = try await transcribe(arguments, in: try Folder())
        #expect(outcome.output.hasPrefix(files) && outcome.errors == "status 0\n", "\(outcome)")
    }

    @Test(arguments: [
        ("a.wav --format srt --format html --output -", "Standard output takes only one format"),
        ("- --format srt --format html <a.wav", "Standard output takes only one format"),
        (
            "a.wav b.wav --format srt --format html --output talk",
            "srt can't hold several recordings: write “talk/” to make a folder"
        ),
        ("a.wav --embed-audio --format srt", "--embed-audio needs --format html"),
        (
            "a.wav --format html --output talk.srt",
            "“talk.srt” is no name for a file in the format html: use “talk.html”."
        ),
        ("a.wav --output Talk.DOCX", "use “Talk.txt”."),
        ("a.wav --output b.mp3", "use “b.txt”."),
        ("- --embed-audio --format html <a.wav", "--embed-audio needs a recording that is a file"),
    ])
    func whatCannotBeIsSaid(arguments: String, message: String) async throws {
        let outcome = try await transcribe(arguments, in: try Folder())
        #expect(outcome.output.isEmpty && outcome.errors.contains("status 2\n"), "\(outcome)")
        #expect(outcome.errors.contains(message), "\(outcome)")
    }

    /// The same text is in each format, and nobody's file beside a recording is replaced.
    @Test func aFileBesideARecordingIsNotReplaced() async throws {
        let folder = try Folder()
        try Data("mine".utf8).write(to: URL(filePath: folder.file("a.srt")))
        let outcome = try await transcribe("a.wav --format srt --format text", in: folder)
        #expect(outcome.output == "./a-2.srt\n./a.srt\n./a.txt\n", "\(outcome)")
        #expect(outcome.errors.contains("the text is in “a-2.srt”"), "\(outcome)")
        #expect(try folder.text("a.srt") == "mine")
        #expect(try folder.text("a-2.srt").contains("go forward"))
        #expect(try folder.text("a.txt").contains("go forward"))
    }

    /// Each format that has a place for a title shows it.
    @Test func theTitleIsInEachDocument() async throws {
        let folder = try Folder()
        let outcome = try await transcribe(
            "a.wav --title --summary --format srt --format html --format text", in: folder)
        #expect(outcome.output == "./a.html\n./a.srt\n./a.txt\n", "\(outcome)")
        #expect(
            outcome.errors
                == "dictate: The text is so short that its summary would repeat it, so it has none.\nstatus 0\n",
            "\(outcome)")
        let (page, text) = (try folder.text("a.html"), try folder.text("a.txt"))
        let title = try #require(text.split(separator: "\n").first).prefix { $0 != "<" }
        #expect(!title.isEmpty && page.contains("<h1>\(title)"), "\(page)")
        #expect(!page.contains("class=\"summary\"") && page.contains("The title is taken from the text."))
        #expect(try folder.text("a.srt").hasPrefix("1\n00:00:00,250"))
    }

    @Test func aTakeInSeveralFormatsNeedsAName() async throws {
        let folder = try Folder()
        let tone = try folder.tone(seconds: 3)
        let live = [
            "live", "--device", "file:\(tone)", "--script", Program.script, "--format", "text", "--format", "html",
        ]
        let nameless = try await Program.run(live)
        #expect(nameless.status == 2 && nameless.errors.contains("See “dictate help live”"), "\(nameless)")
        let named = try await Program.run(live + ["--output", folder.file("take")])
        #expect(named.status == 0, "\(named)")
        #expect(try folder.text("take.txt").hasPrefix("go forward"))
        #expect(try folder.text("take.html").contains("&lt;meters&gt;"))
    }

    // MARK: Pages

    @Test(arguments: [
        ("a.wav --format html", "src=\"a.wav\""),
        ("a.wav --output out/page.html", "src=\"../a.wav\""),
        ("./out/../a.wav --output new/ --format html", "src=\"../a.wav\""),
        ("odd/a%20#.wav --output page.html", "src=\"odd/a%2520%23.wav\""),
        ("a.wav --format html --embed-audio", "src=\"data:audio/wav;base64,UklGR"),
    ])
    func aPageFindsItsRecording(arguments: String, source: String) async throws {
        let folder = try Folder()
        let odd = folder.file("odd")
        try FileManager.default.createDirectory(atPath: odd, withIntermediateDirectories: true)
        _ = try folder.tone("odd/a%20#.wav", seconds: 3)
        let outcome = try await transcribe(arguments, in: folder)
        let pages = try await Program.bash("cd '\(folder.path)'; cat $(find . -name '*.html')")
        #expect((outcome.output + pages.output).contains(source), "\(outcome)")
        #expect((outcome.output + pages.output).contains("<span data-t=\"0.25 0.5\">go</span>"), "\(outcome)")
    }

    @Test(arguments: ["large.wav", "half.wav other.wav"])
    func whatIsTooLargeIsNotEmbedded(files: String) async throws {
        let folder = try Folder()
        let outcome = try await Program.bash(
            """
            cd '\(folder.path)'; truncate -s 300M large.wav; truncate -s 120M half.wav other.wav
            "$dictate" transcribe \(files) --script "$script" --format html --embed-audio; echo "status $?"; ls *.html
            """)
        #expect(outcome.output == "status 2\n", "\(outcome)")
        #expect(outcome.errors.contains("Omit --embed-audio."), "\(outcome)")
    }
}
