import Foundation
import Testing

/// Tests of what `--output` may and must not replace.
@Suite struct OutputTests {
    /// Writes a script that emits a text at once and then stalls.
    private func stalling(in folder: Folder) throws -> String {
        try Data(#"{"version":1,"steps":[{"at":0.5,"final":"said"},{"at":1,"stall":60}]}"#.utf8)
            .write(to: URL(filePath: folder.file("stall.json")))
        return folder.file("stall.json")
    }

    @Test(arguments: [
        "a.wav --output a.wav", "a.wav b.wav --format json --output b.wav", "a.wav --output link.txt",
        "a.wav --output other.wav", "a.txt --output .", "a.wav b.wav c.json --format json --output ./",
        "- --output a.wav <a.wav",
        "a.wav --script script.json --format json --output script.json", "a.wav >>a.wav",
    ])
    func aRecordingIsNeverReplacedByItsText(arguments: String) async throws {
        let folder = try Folder()
        for name in ["a.wav", "b.wav", "a.txt", "c.json"] { _ = try folder.tone(name, seconds: 3) }
        let outcome = try await Program.bash(
            """
            cd '\(folder.path)'; cp "$script" script.json; ln -s a.wav link.txt; ln a.wav other.wav
            sha256sum * >../sums.$$; trap 'rm ../sums.$$' EXIT
            "$dictate" transcribe --engine scripted \(arguments); echo "status $?" >&2
            sha256sum --check --quiet ../sums.$$ && ls -A
            """)
        #expect(outcome.errors.contains("status 2\n"), "\(outcome)")
        #expect(
            outcome.errors.contains("choose another place with --output.\nSee “dictate help transcribe”"), "\(outcome)")
        #expect(
            outcome.output == "a.txt\na.wav\nb.wav\nc.json\nlink.txt\nother.wav\nscript.json\n", "\(outcome)")
    }

    @Test func aPlayedRecordingIsNotReplacedEither() async throws {
        let folder = try Folder()
        let tone = try folder.tone(seconds: 3)
        let before = try Data(contentsOf: URL(filePath: tone))
        let outcome = try await Program.run([
            "live", "--device", "file:\(tone)", "--engine", "scripted", "--output", tone,
        ])
        #expect(outcome.status == 2 && outcome.errors.contains(tone), "\(outcome)")
        #expect(try Data(contentsOf: URL(filePath: tone)) == before)
    }

    @Test func aLinkStaysOne() async throws {
        let folder = try Folder()
        let tone = try folder.tone(seconds: 3)
        let outcome = try await Program.bash(
            """
            cd '\(folder.path)'; mkdir real; echo old >real/text.txt; chmod 600 real/text.txt
            ln -s real/text.txt there; ln -s real/new.txt dangling
            for name in there dangling; do
                "$dictate" transcribe '\(tone)' --script "$script" --output $name; readlink $name; head -n 1 $name
            done
            stat -c '%a' real/text.txt; ls -A real
            """)
        let text = "go forward ten <meters> & {stop}\n"
        #expect(
            outcome.output == "real/text.txt\n\(text)real/new.txt\n\(text)600\nnew.txt\ntext.txt\n", "\(outcome)")
    }

    /// The links are in a temporary folder, because root could replace the files of the machine.
    @Test func whatIsNoFileIsWrittenAsItIs() async throws {
        let folder = try Folder()
        let tone = try folder.tone(seconds: 3)
        let outcome = try await Program.bash(
            """
            cd '\(folder.path)'; ln -s /proc/self/fd/1 stdout; ln -s /dev/null null; mkfifo pipe
            run() { "$dictate" transcribe '\(tone)' --script "$script" --output "$1"; }
            run stdout >file; echo before >appended; run stdout >>appended; run stdout | cat >piped
            run - >dashed; run null; cat pipe >read & run pipe; wait
            for name in file piped dashed read; do cmp -s $name dashed && echo $name; done
            head -n 1 appended; wc -l <appended; readlink stdout null; test -p pipe && echo pipe
            """)
        #expect(
            outcome.output == "file\npiped\ndashed\nread\nbefore\n3\n/proc/self/fd/1\n/dev/null\npipe\n", "\(outcome)")
        #expect(try folder.text("dashed").hasPrefix("go forward"))
    }

    @Test(arguments: ["text.txt", "folder/"])
    func anUnfinishedTextReplacesNothing(output: String) async throws {
        let folder = try Folder()
        let tone = try folder.tone(seconds: 3)
        let outcome = try await Program.bash(
            """
            cd '\(folder.path)'; mkdir folder; echo whole >text.txt; echo whole >folder/tone.txt
            set -m
            "$dictate" transcribe '\(tone)' --script '\(try stalling(in: folder))' --output \(output) &
            \(Program.waitUntilWritten("said"))
            kill -INT $!; wait $!; echo "status $?"
            cat text.txt folder/tone.txt; cat text-2.txt folder/tone-2.txt 2>/dev/null; ls -A . folder | grep part
            """)
        #expect(outcome.output == "status 130\nwhole\nwhole\nsaid\n", "\(outcome)")
        #expect(outcome.errors.contains("stays as it was; the text is in"), "\(outcome)")
    }

    @Test func whatFailedReplacesNothing() async throws {
        let folder = try Folder()
        let tone = try folder.tone(seconds: 3)
        let outcome = try await Program.bash(
            """
            cd '\(folder.path)'; echo whole >text.txt
            "$dictate" transcribe '\(tone)' missing.wav --script "$script" --output text.txt; echo "status $?"
            cat text.txt; head -n 2 text-2.txt
            echo whole >failed.json
            "$dictate" transcribe missing.wav --script "$script" --output failed.json; echo "status $?"
            cat failed.json; ls
            """)
        #expect(
            outcome.output == """
                status 1
                whole
                ==> \(tone) <==
                go forward ten <meters> & {stop}
                status 1
                whole
                failed.json
                text-2.txt
                text.txt
                tone.wav

                """, "\(outcome)")
    }

    @Test(arguments: ["txt", "json", "srt", "vtt", "html"])
    func anInterruptBeforeAnyTextMakesNoFile(ending: String) async throws {
        let folder = try Folder()
        let tone = try folder.tone(seconds: 3)
        try Data(#"{"version":1,"steps":[{"at":0.1,"stall":60}]}"#.utf8)
            .write(to: URL(filePath: folder.file("mute.json")))
        let outcome = try await Program.bash(
            """
            cd '\(folder.path)'; mkdir out; set -m
            "$dictate" transcribe '\(tone)' --script mute.json --output out/a.\(ending) &
            for _ in $(seq 600); do find /proc/$!/fd -lname '*/out/*' 2>/dev/null | grep -q . && break; sleep 0.05; done
            kill -INT $!; wait $!; echo "status $?"; ls -A out
            """)
        #expect(outcome.output == "status 130\n", "\(outcome)")
    }

    /// The document also reports recordings that were never read.
    @Test func anInterruptedDocumentOfSeveralIsWhole() async throws {
        let folder = try Folder()
        // The first recording ends before the script stalls.
        for (name, seconds) in [("a.wav", 0.7), ("b.wav", 3), ("c.wav", 3)] {
            _ = try folder.tone(name, seconds: seconds)
        }
        let outcome = try await Program.bash(
            """
            cd '\(folder.path)'; set -m
            "$dictate" transcribe a.wav b.wav c.wav --jobs 1 --script '\(try stalling(in: folder))' --output out.json &
            \(Program.waitUntilWritten("said"))
            kill -INT $!; wait $!; echo "status $?"
            """)
        #expect(outcome.output == "status 130\n", "\(outcome)")
        let check = try await Program.python([
            Program.fixtures + "/check-json.py", FormatTests.schemaPath, folder.file("out.json"),
        ])
        #expect(check.status == 0, "\(check.errors)")
        let document = try JSONSerialization.jsonObject(with: Data(contentsOf: URL(filePath: folder.file("out.json"))))
        let transcripts = try #require((document as? [String: Any])?["transcripts"] as? [[String: Any]])
        #expect(transcripts.map { $0["source"] as? String } == ["a.wav", "b.wav", "c.wav"])
        #expect(transcripts.map { $0["isComplete"] as? Bool } == [true, false, false])
        #expect(transcripts.first?["text"] as? String == "said")
    }

    @Test(arguments: [
        ("srt", "1\n00:00:00,250"), ("vtt", "WEBVTT\n"), ("json", "{\"version\":1"), ("txt", "go forward"),
        ("html", "<!DOCTYPE html>"),
    ])
    func theEndingSaysTheFormat(ending: String, start: String) async throws {
        let folder = try Folder()
        let tone = try folder.tone(seconds: 3)
        let path = folder.file("a.\(ending)")
        _ = try await Program.run(["transcribe", tone, "--script", Program.script, "--output", path])
        #expect(try folder.text("a.\(ending)").hasPrefix(start))
        let text = try await Program.run([
            "transcribe", tone, "--script", Program.script, "--output", path, "--format", "text",
        ])
        #expect(text.status == (ending == "txt" ? 0 : 2), "\(text)")
        #expect(try folder.text("a.\(ending)").hasPrefix(start))
    }

    /// A second Ctrl-C throws the rest away, and the document has what was said before it.
    @Test func aTakeThatIsCancelledHasTheTextOfItsSegments() async throws {
        let folder = try Folder()
        let tone = try folder.tone(seconds: 60)
        let outcome = try await Program.bash(
            """
            cd '\(folder.path)'; set -m
            printf '{"version":1,"steps":[{"at":0.2,"final":"said"},{"at":0.4,"stall":60}]}' >script.json
            "$dictate" live --device 'file:\(tone)' --script script.json --format json >take.json 2>errors & live=$!
            for _ in $(seq 600); do grep -q said take.json && break; sleep 0.05; done
            while kill -INT $live 2>/dev/null; do sleep 0.05; done
            wait $live; echo "status $?"
            jq -c '.transcripts[0] | [.text, (.segments | length), .isComplete, .duration >= .segments[0].end]' take.json
            """)
        #expect(outcome.output == "status 130\n[\"said\",1,false,true]\n", "\(outcome)")
    }

    /// A take that the user stops is as complete as a take that ends by itself.
    @Test func aTakeThatIsStoppedReplacesTheLast() async throws {
        let folder = try Folder()
        let tone = try folder.tone(seconds: 60)
        let outcome = try await Program.bash(
            """
            cd '\(folder.path)'; echo old >take.txt; set -m
            "$dictate" live --device 'file:\(tone)' --script "$script" --output take.txt &
            \(Program.waitUntilWritten("forward"))
            kill -INT $!; wait $!; echo "status $?"; head -n 1 take.txt; ls
            """)
        #expect(
            outcome.output == "status 0\ngo forward ten <meters> & {stop}\ntake.txt\ntone.wav\n", "\(outcome)")
    }

    @Test func eachTakeInAFolderHasItsFile() async throws {
        let folder = try Folder()
        let tone = try folder.tone(seconds: 3)
        let outcome = try await Program.bash(
            """
            cd '\(folder.path)'
            for _ in 1 2; do
                "$dictate" live --device 'file:\(tone)' --script "$script" --output takes/
            done
            head -qn 1 takes/*; ls -A takes
            """)
        let text = "go forward ten <meters> & {stop}\n"
        #expect(outcome.output == "\(text)\(text)tone-2.txt\ntone.txt\n", "\(outcome)")
        #expect(outcome.errors.contains("the text is in “takes/tone-2.txt”"))
    }
}
