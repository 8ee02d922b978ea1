import Foundation
import Testing

/// A batch of parts of one recording, with the engine “scripted”.
struct BatchFolder {
    let folder: Folder
    let manifest: String

    /// Creates a manifest with `count` parts of two seconds, and lines of its own after them.
    init(_ count: Int, extra: [String] = []) throws {
        folder = try Folder()
        let tone = try folder.tone(seconds: 4)
        let lines = (0..<count).map {
            #"{"id": "\#($0)", "audio_filepath": "\#(tone)", "duration": 2, "text": "go forward"}"#
        }
        manifest = folder.file("list.jsonl")
        try Data((lines + extra).map { $0 + "\n" }.joined().utf8).write(to: URL(filePath: manifest))
    }

    var results: String { folder.file("results") }

    func arguments(_ more: [String] = []) -> [String] {
        ["batch", manifest, "--output", results, "--script", Program.script] + more
    }

    func lines(_ name: String = "results.jsonl") throws -> [Substring] {
        try folder.text("results/" + name).split(separator: "\n")
    }
}

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
            ])
        let outcome = try await Program.run(batch.arguments())
        #expect(outcome.status == 1, "\(outcome)")
        let statuses = try batch.lines().map { $0.contains(#""status": "done""#) }
        #expect(statuses == [true, true, true] + Array(repeating: false, count: 10))
        let listed = outcome.errors.split(separator: "\n").filter { $0.hasPrefix("dictate: ") }
        #expect(listed.count == 10, "\(outcome.errors)")
        #expect(try batch.lines().dropFirst(3).allSatisfy { $0.contains(#""error": ""#) })

        // The failed items stay failed; nothing is done again.
        let again = try await Program.run(batch.arguments(["--resume"]))
        #expect(again.status == 1 && !again.errors.contains("none.wav:"), "\(again)")
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
        let batch = try BatchFolder(2_000)
        let outcome = try await Program.bash(
            """
            "$dictate" batch '\(batch.manifest)' --output '\(batch.results)' --script "$script" --jobs 1 &
            while [ "$(cat '\(batch.results)'/results-* 2>/dev/null | wc -l)" -lt 20 ]; do sleep 0.01; done
            kill -TERM $!
            wait $!
            """)
        #expect(outcome.status == 143, "\(outcome)")
        let kept = try batch.lines("results-0-of-1.jsonl").count
        #expect(kept >= 20 && kept <= 2_001)
        #expect(try await Program.run(batch.arguments(["--resume"])).status == 0)
        #expect(try batch.lines().count == 2_000)
        #expect(try batch.lines("results-0-of-1.jsonl").count == 2_001)
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
        ["batch", "list"], ["batch", "list", "--output", "x", "--shard", "8/8"], ["batch", "a", "b", "--output", "x"],
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

/// Kills batches at random moments.
struct BatchProofTests {
    /// The number of kills; set `DICTATION_KILLS` for more.
    private static let kills = ProcessInfo.processInfo.environment["DICTATION_KILLS"].flatMap { Int($0) } ?? 30

    private static let root = URL(filePath: #filePath).appending(path: "../../../../..").standardized.path

    @Test func aDisturbedSlurmArrayGivesTheSameResult() async throws {
        let outcome = try await Program.bash("'\(Self.root)/Scripts/prove-slurm' \"$dictate\" 400", within: 240)
        #expect(outcome.status == 0, "\(outcome)")
        #expect(outcome.output.contains("400 items is that of one undisturbed run"))
        #expect(outcome.errors.contains("items have no result") || outcome.output.contains("items have no result"))
    }

    /// Set `DICTATION_BATCH_ITEMS` for more items.
    @Test func memoryDoesNotGrowWithTheItems() async throws {
        let count = ProcessInfo.processInfo.environment["DICTATION_BATCH_ITEMS"].flatMap { Int($0) } ?? 5_000
        func peak(_ count: Int) async throws -> Int {
            let batch = try BatchFolder(count)
            let measure =
                "import resource, subprocess, sys; code = subprocess.run(sys.argv[1:], stderr=subprocess.DEVNULL).returncode; "
                + "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss if code == 0 else -code)"
            let outcome = try await Program.python(
                ["-c", measure, Program.dictate] + batch.arguments(["--shard", "0/1"]), within: 900)
            return try #require(Int(outcome.output.trimmingCharacters(in: .whitespacesAndNewlines)), "\(outcome)")
        }
        let (few, many) = (try await peak(500), try await peak(count))
        print("\(few) KB for 500 items, \(many) KB for \(count)")
        // Each item may need 200 bytes, for its name and for joining. An item that is not released needs a kilobyte or more.
        #expect(few > 0 && many < few + 3_000 + count / 5)
    }

    @Test func parallelDoesOnlyFailedShardsAgain() async throws {
        let batch = try BatchFolder(40)
        let outcome = try await Program.bash(
            """
            cd '\(batch.folder.path)'
            mkdir bin
            # Shard 1 fails once. All use the scripted engine.
            cat >bin/dictate <<'END'
            #!/bin/bash
            echo "$*" >>calls
            if [ "$2" = merge ]; then exec "$dictate" "$@"; fi
            if [[ "$*" = *"--shard 1/4"* ]] && [ ! -e failed ]; then touch failed; exit 75; fi
            exec "$dictate" "$@" --script "$script"
            END
            chmod +x bin/dictate
            export PATH=$PWD/bin:$PATH
            '\(Self.root)/Examples/batches/parallel.sh' list.jsonl results 4 --jobs 2 && exit 9
            grep -c . calls
            '\(Self.root)/Examples/batches/parallel.sh' list.jsonl results 4 --jobs 2 --resume-failed || exit 8
            grep -c . calls
            wc -l <results/results.jsonl
            """)
        #expect(outcome.status == 0, "\(outcome)")
        // Four shards; then the failed one and the joining.
        #expect(outcome.output.split(separator: "\n") == ["4", "6", "40"])
    }

    @Test func eachItemIsThereOnceAfterAnyKill() async throws {
        let batch = try BatchFolder(300, extra: ["{", "/none.wav"])
        let outcome = try await Program.bash(
            """
            cd '\(batch.folder.path)'
            run() { "$@" "$dictate" batch list.jsonl --script "$script" --jobs 1 --resume --output "$folder" 2>errors; }
            folder=results
            began=$(date +%s%3N)
            run env && exit 10
            time=$(($(date +%s%3N) - began))
            folder=killed kills=0
            while [ $kills -lt \(Self.kills) ]; do
                rm -rf killed
                while :; do
                    moment=$((RANDOM * time / 32768 + 1))
                    status=0
                    run timeout -s KILL "$((moment / 1000)).$(printf %03d $((moment % 1000)))" || status=$?
                    # A killed process may hold its lock for another moment.
                    [ $status = 75 ] && continue
                    [ $status = 137 ] || break
                    kills=$((kills + 1))
                done
                [ $status = 1 ] || { cat errors; exit 9; }
                cmp killed/results.jsonl results/results.jsonl || exit 8
                [ "$(wc -l <killed/results-0-of-1.jsonl)" = 303 ] || exit 7
            done
            echo "$kills kills"
            """, within: 1_200)
        #expect(outcome.status == 0, "\(outcome)")
        print(outcome.output)
    }
}
