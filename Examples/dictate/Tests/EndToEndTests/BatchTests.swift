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

    @Test func theTimerAndItsServiceWork() async throws {
        let folder = try Folder()
        try FileManager.default.createDirectory(atPath: folder.file("incoming"), withIntermediateDirectories: true)
        _ = try folder.tone("incoming/a b.wav", seconds: 3)
        let outcome = try await Program.bash(
            """
            cd '\(folder.path)'; export XDG_RUNTIME_DIR=$PWD HOME=$PWD
            cp '\(BatchProofTests.root)'/Examples/batches/dictate-incoming.* .
            sed -i "s|/usr/local/bin/dictate|$dictate|" dictate-incoming.service
            systemd-analyze verify --user ./dictate-incoming.service ./dictate-incoming.timer; echo $?
            line=$(sed -n 's/^ExecStart=//p' dictate-incoming.service)
            for _ in 1 2; do ${line//%h/$HOME} --script "$script"; echo $?; done
            wc -l <transcripts/results.jsonl
            """)
        #expect(outcome.output == "0\n0\n0\n1\n", "\(outcome)")
        #expect(!outcome.errors.contains("dictate-incoming"), "\(outcome)")
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

/// Kills batches at random moments.
struct BatchProofTests {
    /// The number of kills; set `DICTATION_KILLS` for more.
    private static let kills = ProcessInfo.processInfo.environment["DICTATION_KILLS"].flatMap { Int($0) } ?? 15

    static let root = URL(filePath: #filePath).appending(path: "../../../../..").standardized.path

    @Test func aDisturbedSlurmArrayGivesTheSameResult() async throws {
        let outcome = try await Program.bash("'\(Self.root)/Scripts/prove-slurm' \"$dictate\"", within: 400)
        #expect(outcome.status == 0, "\(outcome)")
        #expect(outcome.output.contains("400 items is that of one undisturbed run"), "\(outcome)")
        #expect(outcome.output.contains("items have no result"), "\(outcome)")
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

    /// The toolkit from the Python Package Index, which nobody here wrote.
    @Test func lhotseWritesTheListAndReadsTheResult() async throws {
        let folder = try Folder()
        _ = try folder.tone("a.wav", seconds: 9)
        _ = try folder.tone("b.wav", seconds: 6)
        try #require(
            FileManager.default.fileExists(atPath: Self.root + "/.build/batch-peers/lhotse"),
            "Source Scripts/environment and run install_remote_peers first.")
        let outcome = try await Program.bash(
            """
            cd '\(folder.path)'; export PYTHONDONTWRITEBYTECODE=1
            lhotse() { PYTHONPATH='\(Self.root)/.build/batch-peers' python3 '\(Self.root)/Tests/BatchPeers/lhotse_manifests.py' "$@"; }
            lhotse write "$PWD"
            for cuts in cuts.jsonl.gz cuts.jsonl; do
                "$dictate" batch $cuts --output results --words --script "$script" --quiet; echo $?
                lhotse read "$PWD"
                mv results "results of $cuts"
            done
            cmp results*/supervisions.jsonl; echo $?
            """)
        // Five cuts of three seconds with ten words each.
        #expect(outcome.output == "5\n0\n5 50\n0\n5 50\n0\n", "\(outcome)")
    }

    /// The library of a real engine crashes, leaks or hangs at the sound of an item.
    @Test func itemsThatCrashLeakOrHangFailAlone() async throws {
        let folder = try Folder()
        try Data(Self.mischief.utf8).write(to: URL(filePath: folder.file("mischief.c")))
        let outcome = try await Program.bash(
            """
            cd '\(folder.path)'; library=${DICTATION_SHERPA_ONNX:?}/lib
            cc -w -shared -fPIC mischief.c -o mischief.so -Wl,--no-as-needed "-L$library" -lsherpa-onnx-c-api \
                "-Wl,-rpath,$library" || exit 99
            sox "${DICTATION_AUDIO:?}/mfa-ipa_us_2.flac" speech.wav pad 0 3
            # A sound that changes its sign after each, each second or each third sample. No speech does.
            python3 - <<END
            import array, wave
            with wave.open("speech.wav") as file: speech = file.readframes(1 << 20)
            for number, name in enumerate(["crash", "leak", "hang"]):
                sound = array.array("h", [3000 if i // (number + 1) % 2 else -3000 for i in range(16000)])
                with wave.open(name + ".wav", "wb") as file:
                    file.setparams((1, 2, 16000, 0, "NONE", ""))
                    file.writeframes(speech + sound.tobytes() + bytes(96000))
            END
            for name in crash leak hang; do
                for file in speech "$name" speech; do
                    echo "{\\"id\\": \\"$((number++))\\", \\"audio_filepath\\": \\"$file.wav\\"}"
                done
            done >list.jsonl
            DICTATION_SHERPA_ONNX=$PWD/mischief.so "$dictate" batch list.jsonl --output results --engine sherpa-onnx \
                --model "${DICTATION_MODELS:?}/sherpa-onnx-kws-zipformer-gigaspeech-3.3M" \
                --memory-limit 300 --item-timeout 40 --quiet
            echo $?
            """, within: 240)
        #expect(outcome.output == "1\n", "\(outcome)")
        let results = try folder.text("results/results.jsonl").split(separator: "\n").map {
            try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
        }
        try #require(results.count == 9, "\(outcome)")
        for (index, result) in results.enumerated() {
            // Items of the same helper are well, although it died with them.
            let isGood = index % 3 != 1
            #expect(result["status"] as? String == (isGood ? "done" : "failed"), "\(index): \(result)")
            let text = result["pred_text"] as? String ?? ""
            #expect(!isGood || text.contains("he just decided"), "\(index): \(result)")
        }
        let errors = results.compactMap { $0["error"] as? String }
        try #require(errors.count == 3, "\(errors)")
        #expect(errors[0].contains("left out a part") && errors[1].contains("left out a part"), "\(errors)")
        #expect(errors[2].contains("took longer than 40 s"), "\(errors)")
        #expect(outcome.errors.split(separator: "\n").count { $0.hasPrefix("dictate: ") } == 3, "\(outcome)")
    }

    private static let mischief = #"""
        #define _GNU_SOURCE
        #include <dlfcn.h>
        #include <stdlib.h>
        #include <string.h>
        #include <unistd.h>
        void SherpaOnnxOnlineStreamAcceptWaveform(void *stream, int rate, const float *samples, int count) {
            static void (*next)(void *, int, const float *, int);
            int length = 1, before = 0, same = 0;
            for (int i = 1; i < count; i++) {
                if (samples[i] * samples[i - 1] >= -1e-6f) { length++; continue; }
                same = length == before ? same + 1 : 0;
                before = length;
                length = 1;
                if (same < 200) continue;
                if (before == 1) *(volatile int *)0 = 1;
                if (before == 2) for (;;) memset(malloc(1 << 20), 1, 1 << 20), usleep(1000);
                if (before == 3) for (;;) pause();
            }
            if (!next) *(void **)&next = dlsym(RTLD_NEXT, "SherpaOnnxOnlineStreamAcceptWaveform");
            next(stream, rate, samples, count);
        }
        """#

    @Test(arguments: [("KILL", 137), ("TERM", 143)])
    func eachItemIsThereOnceAfterAnyEnd(signal: String, code: Int) async throws {
        let batch = try BatchFolder(300, extra: ["{", "/none.wav"])
        let outcome = try await Program.bash(
            """
            cd '\(batch.folder.path)'
            run() { "$@" "$dictate" batch list.jsonl --script "$script" --jobs 1 --resume --output "$folder" 2>errors; }
            folder=results
            began=$(date +%s%3N)
            run env && exit 10
            time=$(($(date +%s%3N) - began))
            folder=killed kills=0 rounds=0
            while [ $kills -lt \(Self.kills) ]; do
                rm -rf killed
                rounds=$((rounds + 1))
                while :; do
                    moment=$((RANDOM * time / 32768 + 1))
                    status=0
                    run timeout --preserve-status -s \(signal) "$((moment / 1000)).$(printf %03d $((moment % 1000)))" || status=$?
                    # A killed process may hold its lock for another moment.
                    [ $status = 75 ] && continue
                    [ $status = \(code) ] || break
                    kills=$((kills + 1))
                done
                [ $status = 1 ] || { cat errors; exit 9; }
                cmp killed/results.jsonl results/results.jsonl || exit 8
                [ "$(wc -l <killed/results-0-of-1.jsonl)" = 303 ] || exit 7
            done
            echo "$kills kills by \(signal), in $rounds batches"
            """, within: 3_600)
        #expect(outcome.status == 0, "\(outcome)")
        print(outcome.output)
    }
}
