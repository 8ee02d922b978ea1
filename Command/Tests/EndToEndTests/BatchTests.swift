import Foundation
import Testing

struct BatchTests {
    @Test func aBatchIsOneCommand() async throws {
        let batch = try BatchFolder(20)
        let outcome = try await Program.run(batch.arguments())
        #expect(outcome.status == 0, "\(outcome)")
        #expect(outcome.output == "")
        #expect(outcome.errors.contains("all: 20 items, 0.01 h,"), "\(outcome.errors)")
        #expect(outcome.errors.contains("200.00 % of words wrong"), "\(outcome.errors)")
        let lines = try batch.lines()
        #expect(lines.count == 20 && lines.allSatisfy { $0.contains(#""pred_text": "go forward ten"#) })
        #expect(lines.allSatisfy { $0.contains(#""status": "done""#) && $0.contains(#""engine": "scripted""#) })
        #expect(FileManager.default.fileExists(atPath: batch.results + "/report.html"))
    }

    @Test func badItemsAreListedAndTheRestIsDone() async throws {
        let folder = try Folder()
        let (empty, text, cut) = (folder.file("empty.wav"), folder.file("text.wav"), folder.file("cut.wav"))
        try Data().write(to: URL(filePath: empty))
        try Data("This is no recording.".utf8).write(to: URL(filePath: text))
        let whole = try Data(contentsOf: URL(filePath: try folder.tone("whole.wav", seconds: 4)))
        try whole.prefix(40_000).write(to: URL(filePath: cut))
        let fifo = folder.file("endless.wav")
        #expect(mkfifo(fifo, 0o600) == 0)
        let tone = folder.file("whole.wav")
        let batch = try BatchFolder(
            3,
            extra: [
                #"{"audio_filepath": "\#(folder.file("none.wav"))"}"#, empty, text,
                #"{"audio_filepath": "\#(cut)", "duration": 4}"#,
                fifo, #"{"audio_filepath": "\#(tone)", "offset": 400}"#,
                #"{"audio_filepath": "\#(tone)", "offset": -4}"#,
                #"{"id": "0", "audio_filepath": "\#(tone)"}"#, "{", "/dev/zero",
                #"{"id": "long", "audio_filepath": "\#(tone)"}"#,
            ])
        let outcome = try await Program.run(batch.arguments(["--item-length", "3"]))
        #expect(outcome.status == 1, "\(outcome)")
        let statuses = try batch.lines().map { $0.contains(#""status": "done""#) }
        #expect(statuses == [true, true, true] + Array(repeating: false, count: 11))
        let listed = outcome.errors.split(separator: "\n").filter { $0.hasPrefix("dictate: ") }
        #expect(listed.count == 11, "\(outcome.errors)")
        #expect(try batch.lines().dropFirst(3).allSatisfy { $0.contains(#""error": ""#) })

        // The failed items stay failed; nothing is done again.
        let again = try await Program.run(batch.arguments(["--resume", "--item-length", "3"]))
        #expect(again.status == 1 && !again.errors.contains("none.wav:"), "\(again)")
    }

    @Test func failedItemsAreTriedAgain() async throws {
        let late = try Folder()
        let batch = try BatchFolder(3, extra: [late.file("late.wav"), late.file("never.wav")])
        #expect(try await Program.run(batch.arguments()).status == 1)
        _ = try late.tone("late.wav", seconds: 2)
        #expect(try await Program.run(batch.arguments(["--resume"])).status == 1)
        #expect(try batch.lines().count { $0.contains(#""status": "done""#) } == 3)
        // What never comes fails each time.
        for lineCount in [7 + 1, 8 + 1] {
            let outcome = try await Program.run(batch.arguments(["--retry-failed"]))
            #expect(outcome.status == 1 && outcome.errors.contains("never.wav"), "\(outcome)")
            #expect(try batch.lines().map { $0.contains(#""status": "done""#) } == [true, true, true, true, false])
            #expect(try batch.lines("results-0-of-1.jsonl").count == lineCount)
        }
        _ = try late.tone("never.wav", seconds: 2)
        let outcome = try await Program.run(batch.arguments(["--retry-failed"]))
        #expect(outcome.status == 0, "\(outcome)")
        let joined = try batch.folder.text("results/results.jsonl")
        let undisturbed = try await Program.run(
            ["batch", batch.manifest, "--output", batch.folder.file("whole"), "--script", Program.script])
        #expect(undisturbed.status == 0)
        #expect(try batch.folder.text("whole/results.jsonl") == joined)
    }

    @Test func shardsJoinToTheSameResult() async throws {
        let whole = try BatchFolder(30)
        #expect(try await Program.run(whole.arguments()).status == 0)
        for index in 0..<4 {
            let outcome = try await Program.run(
                whole.arguments(["--output=\(whole.folder.file("parts"))", "--shard", "\(index)/4"]).filter {
                    $0 != "--output" && $0 != whole.results
                })
            #expect(outcome.status == 0, "\(outcome)")
            let merge = try await Program.run(["batch", "merge", whole.folder.file("parts")])
            #expect(merge.status == (index == 3 ? 0 : 75), "\(merge)")
        }
        #expect(try whole.folder.text("parts/results.jsonl") == whole.folder.text("results/results.jsonl"))
    }

    @Test func aSlurmArrayDividesTheBatch() async throws {
        let batch = try BatchFolder(12)
        for index in 0..<2 {
            let outcome = try await Program.run(
                batch.arguments(),
                environment: [
                    "SLURM_ARRAY_TASK_ID": "\(index)", "SLURM_ARRAY_TASK_MIN": "0", "SLURM_ARRAY_TASK_MAX": "1",
                    "SLURM_ARRAY_TASK_COUNT": "2", "SLURM_CPUS_PER_TASK": "1",
                ])
            #expect(outcome.status == 0, "\(outcome)")
        }
        #expect(try await Program.run(["batch", "merge", batch.results]).status == 0)
        #expect(try batch.lines().count == 12)
        let part = try await Program.run(batch.arguments(["--resume"]), environment: ["SLURM_ARRAY_TASK_ID": "1"])
        #expect(part.status == 2 && part.errors.contains("--shard"), "\(part)")
    }

    @Test func aBatchGoesOnOnlyWithTheSameOptions() async throws {
        let batch = try BatchFolder(4)
        #expect(try await Program.run(batch.arguments()).status == 0)
        let again = try await Program.run(batch.arguments())
        #expect(again.status == 2 && again.errors.contains("--resume"), "\(again)")
        let other = try await Program.run(batch.arguments(["--resume", "--words"]))
        #expect(other.status == 2 && other.errors.contains("--words was not set and is “on”."), "\(other)")
        #expect(try await Program.run(batch.arguments(["--resume"])).status == 0)
        #expect(try batch.lines().count == 4)
    }

    @Test func anEndedBatchGoesOn() async throws {
        let batch = try BatchFolder(500)
        let outcome = try await Program.bash(
            """
            "$dictate" batch '\(batch.manifest)' --output '\(batch.results)' --script "$script" --jobs 1 &
            while [ "$(cat '\(batch.results)'/results-* 2>/dev/null | wc -l)" -lt 20 ]; do sleep 0.01; done
            kill -TERM $!
            wait $!
            """)
        #expect(outcome.status == 143, "\(outcome)")
        let kept = try batch.lines("results-0-of-1.jsonl").count
        #expect(kept >= 20 && kept <= 501)
        #expect(try await Program.run(batch.arguments(["--resume"])).status == 0)
        #expect(try batch.lines().count == 500)
        #expect(try batch.lines("results-0-of-1.jsonl").count == 501)
    }

    @Test func namesComeFromStandardInput() async throws {
        let folder = try Folder()
        let tones = try (0..<3).map { try folder.tone("\($0).wav", seconds: 3) }
        try Data(tones.joined(separator: "\n").utf8).write(to: URL(filePath: folder.file("names")))
        let arguments = ["batch", "-", "--output", folder.file("results"), "--script", Program.script]
        let outcome = try await Program.run(arguments, input: folder.file("names"))
        #expect(outcome.status == 0, "\(outcome)")
        let lines = try folder.text("results/results.jsonl").split(separator: "\n")
        #expect(lines.count == 3 && lines[0].contains("\"audio_filepath\": \"\(tones[0])\""))
    }

    /// From Windows, compressed, and with lines that try to break the result or the terminal.
    @Test func aHostileListComesFromStandardInput() async throws {
        let folder = try Folder()
        let tone = try folder.tone(seconds: 3)
        let lines = [
            "\u{FEFF}{\"audio_filepath\": \"\(tone)\", \"id\": \"a\\nforged\\u001b[2J\", \"group\": \"\\n\\u001b[31m\"}",
            #"{"audio_filepath": "\#(tone)", "x": NaN}"#,
            #"{"id": "bad\nforged\u001b[2J", "audio_filepath": "\#(tone)", "channel_selector": 9223372036854775807}"#,
            "{\"audio_filepath\": \(String(repeating: "[", count: 100_000))", "../../../../../..\(tone)",
            "\u{1B}[2J.wav",
            "{\"id\": \"wide\", \"audio_filepath\": \"\(tone)\", \"text\": \"\(String(repeating: "x ", count: 1 << 18))\"}",
        ]
        try Data(lines.map { $0 + "\r\n" }.joined().utf8).write(to: URL(filePath: folder.file("list")))
        let outcome = try await Program.bash(
            """
            cd '\(folder.path)'; gzip list
            "$dictate" batch - --output results --script "$script" <list.gz; echo $?
            "$dictate" batch merge results --group-by group; echo $?
            python3 -c 'import json; print([json.loads(line)["status"] for line in open("results/results.jsonl")])'
            """)
        let statuses = "['done', 'failed', 'failed', 'failed', 'done', 'failed', 'done']"
        #expect(outcome.output == "1\n0\n\(statuses)\n", "\(outcome)")
        #expect(!outcome.errors.contains("\u{1B}"), "\(outcome)")
        #expect(!outcome.errors.split(separator: "\n").contains { $0.hasPrefix("forged") }, "\(outcome)")
    }

    @Test func twoWorkersNeverShareAShard() async throws {
        let batch = try BatchFolder(4)
        try Data(#"{"version":1,"steps":[{"at":1,"stall":"forever"}]}"#.utf8)
            .write(to: URL(filePath: batch.folder.file("stall.json")))
        let outcome = try await Program.bash(
            """
            cd '\(batch.folder.path)'
            run() { exec "$dictate" batch list.jsonl --output results --script stall.json --resume; }
            run & first=$!
            until [ -s results/results-0-of-1.jsonl ]; do sleep 0.01; done
            (run); echo $?
            # Even an engine that hangs does not hold the end up.
            kill -TERM $first; wait $first; echo $?
            """)
        #expect(outcome.output == "75\n143\n", "\(outcome)")
        #expect(outcome.errors.contains("Another process works on shard 0/1"), "\(outcome)")
    }

    @Test func aFolderAndItsGrowthAreABatch() async throws {
        let folder = try Folder()
        let incoming = folder.file("incoming")
        try FileManager.default.createDirectory(atPath: incoming, withIntermediateDirectories: true)
        _ = try folder.tone("incoming/b.wav", seconds: 3)
        let arguments = ["batch", incoming, "--output", folder.file("results"), "--script", Program.script, "--resume"]
        #expect(try await Program.run(arguments).status == 0)
        _ = try folder.tone("incoming/a.wav", seconds: 3)
        #expect(try await Program.run(arguments).status == 0)
        #expect(try folder.text("results/results-0-of-1.jsonl").split(separator: "\n").count == 3)
        let lines = try folder.text("results/results.jsonl").split(separator: "\n")
        #expect(lines.count == 2 && lines[0].contains("a.wav"))
    }

    @Test func machinesReadTheProgress() async throws {
        let batch = try BatchFolder(10)
        let metrics = batch.folder.file("batch.prom")
        let outcome = try await Program.run(batch.arguments(["--metrics", metrics, "--progress-json"]))
        #expect(outcome.status == 0, "\(outcome)")
        #expect(outcome.errors.contains(#""done":10"#), "\(outcome)")
        #expect(
            try batch.folder.text("batch.prom").contains(
                #"dictation_batch_items_total{shard="0/1",status="done"} 10.0"#))
    }

    @Test(arguments: [
        ["batch", "/none.jsonl", "--output", "x", "--engine", "scripted"],
        ["batch", "/dev/null", "--output", "/proc/none", "--engine", "scripted"], ["batch", "list"],
        ["batch", "list", "--output", "x", "--shard", "8/8"], ["batch", "a", "b", "--output", "x"],
        ["batch", "--output", "x"], ["batch", "merge"], ["batch", "list", "--output", "x", "--shard", "1"],
    ])
    func wrongUseHasTheExitCodeTwo(arguments: [String]) async throws {
        let outcome = try await Program.run(arguments)
        #expect(outcome.status == 2, "\(outcome)")
    }

    @Test func aFullDiskIsWorthARetry() async throws {
        let batch = try BatchFolder(60)
        // The shell counts in blocks of 1,024 bytes.
        let full = try await Program.bash(
            "ulimit -f 8; \"$dictate\" batch '\(batch.manifest)' --output '\(batch.results)' --script \"$script\"")
        #expect(full.status == 75, "\(full)")
        #expect(try await Program.run(batch.arguments(["--resume"])).status == 0)
        #expect(try batch.lines().count == 60)
    }
}
