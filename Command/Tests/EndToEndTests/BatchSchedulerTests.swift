import Foundation
import Testing

/// The scripts in `Deploy/batches`, with the programs that they are for.
struct BatchSchedulerTests {
    @Test func theTimerAndItsServiceWork() async throws {
        let folder = try Folder()
        try FileManager.default.createDirectory(atPath: folder.file("incoming"), withIntermediateDirectories: true)
        _ = try folder.tone("incoming/a b.wav", seconds: 3)
        let outcome = try await Program.bash(
            """
            cd '\(folder.path)'; export XDG_RUNTIME_DIR=$PWD HOME=$PWD
            cp '\(BatchFolder.root)'/Deploy/batches/dictate-incoming.* .
            sed -i "s|/usr/local/bin/dictate|$dictate|" dictate-incoming.service
            systemd-analyze verify --user ./dictate-incoming.service ./dictate-incoming.timer; echo $?
            line=$(sed -n 's/^ExecStart=//p' dictate-incoming.service)
            for _ in 1 2; do ${line//%h/$HOME} --script "$script"; echo $?; done
            wc -l <transcripts/results.jsonl
            """)
        #expect(outcome.output == "0\n0\n0\n1\n", "\(outcome)")
        #expect(!outcome.errors.contains("dictate-incoming"), "\(outcome)")
    }
}

/// As above, with programs that take their time.
struct BatchSchedulerProofTests {
    @Test func aDisturbedSlurmArrayGivesTheSameResult() async throws {
        let outcome = try await Program.bash("'\(BatchFolder.root)/Scripts/prove' slurm \"$dictate\"", within: 400)
        #expect(outcome.status == 0, "\(outcome)")
        #expect(outcome.output.contains("400 items is that of one undisturbed run"), "\(outcome)")
        #expect(outcome.output.contains("items have no result"), "\(outcome)")
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
            '\(BatchFolder.root)/Deploy/batches/parallel.sh' list.jsonl results 4 --jobs 2 && exit 9
            grep -c . calls
            '\(BatchFolder.root)/Deploy/batches/parallel.sh' list.jsonl results 4 --jobs 2 --resume-failed || exit 8
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
            FileManager.default.fileExists(atPath: BatchFolder.root + "/.build/batch-peers/lhotse"),
            "Source Scripts/environment and run install_remote_peers first.")
        let outcome = try await Program.bash(
            """
            cd '\(folder.path)'; export PYTHONDONTWRITEBYTECODE=1
            lhotse() { PYTHONPATH='\(BatchFolder.root)/.build/batch-peers' python3 '\(BatchFolder.root)/Tests/BatchPeers/lhotse_manifests.py' "$@"; }
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
}
