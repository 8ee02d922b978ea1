import Foundation
import Testing

/// Folders of results that are full, vanish, are elsewhere or are something else.
struct BatchDiskTests {
    private func begin(_ batch: BatchFolder) -> String {
        """
        cd '\(batch.folder.path)'
        batch() { "$dictate" batch list.jsonl --script "$script" "$@"; }

        """
    }

    @Test func aDiskThatIsFullWhileItJoinsKeepsTheOldFiles() async throws {
        let batch = try BatchFolder(60)
        let outcome = try await Program.bash(
            begin(batch) + """
                batch --output results --quiet || exit 9
                cp -r results before
                # The shell counts in blocks of 1,024 bytes.
                (ulimit -f 8; "$dictate" batch merge results); echo $?
                diff -r before results; echo $?
                (ulimit -f 8; batch --output results --resume); echo $?
                diff -r before results; echo $?
                """)
        #expect(outcome.output == "75\n0\n75\n0\n", "\(outcome)")
        #expect(!outcome.errors.contains("Aborted") && outcome.errors.contains("dictate: "), "\(outcome)")
    }

    /// `/dev/shm` is a file system in memory, on nearly every Linux.
    @Test func theResultsMayBeOnAnotherFileSystem() async throws {
        let batch = try BatchFolder(20)
        let outcome = try await Program.bash(
            begin(batch) + """
                folder=$(mktemp -d -p /dev/shm); trap 'rm -rf "$folder"' EXIT
                batch --output results --quiet || exit 9
                batch --output "$folder/results" --quiet; echo $?
                cmp results/results.jsonl "$folder/results/results.jsonl"; echo $?
                ls -A "$folder/results" | wc -l
                # The folder may be a link to another file system.
                ln -s "$folder/results" link
                batch --output link --resume --quiet; echo $?
                """)
        #expect(outcome.output == "0\n0\n4\n0\n", "\(outcome)")
    }

    /// Somebody removes the folder, or moves it away. The command never says that all is well without its files.
    @Test(arguments: ["rm -r results", "mv results away", "mv results away; mkdir results"])
    func aFolderThatVanishesIsToldOf(line: String) async throws {
        let batch = try BatchFolder(600)
        let outcome = try await Program.bash(
            begin(batch) + """
                (exec "$dictate" batch list.jsonl --script "$script" --output results --jobs 1) &
                until [ "$(cat results/results-* 2>/dev/null | wc -l)" -gt 20 ]; do sleep 0.01; done
                \(line)
                wait $!; status=$?
                [ -e results/results.jsonl ] && echo whole || echo "failed $((status != 0))"
                """)
        #expect(outcome.output == "failed 1\n", "\(outcome)")
        #expect(outcome.errors.contains("dictate: ") && outcome.errors.contains("results"), "\(outcome)")
    }

    @Test(arguments: ["file", "fifo", "/dev/null", "file/below", "loop"]) func whatIsNoFolderIsWrongUse(name: String)
        async throws
    {
        let batch = try BatchFolder(2)
        let outcome = try await Program.bash(
            begin(batch)
                + "echo text >file; mkfifo fifo; ln -s loop loop; batch --output '\(name)'; s=$?; cat file; exit $s")
        #expect(outcome.status == 2 && outcome.output == "text\n", "\(outcome)")
        #expect(outcome.errors.contains("dictate: "))
    }

    @Test func aMillionShardsAreAllowed() async throws {
        let batch = try BatchFolder(20)
        let outcome = try await Program.bash(
            begin(batch) + """
                batch --output results --shard 0/1000000 --quiet; echo $?
                batch --output results --shard 999999/1000000 --resume --quiet; echo $?
                "$dictate" batch merge results; echo $?
                """)
        #expect(outcome.output == "0\n0\n75\n", "\(outcome)")
        #expect(outcome.errors.utf8.count < 2_000, "\(outcome)")
    }

    @Test func aShardOfAnotherDivisionIsNamed() async throws {
        let batch = try BatchFolder(4)
        let outcome = try await Program.bash(
            begin(batch) + """
                batch --output results --quiet || exit 9
                cp results/results-0-of-1.jsonl results/results-0-of-2.jsonl
                "$dictate" batch merge results
                """)
        #expect(outcome.status == 2 && outcome.errors.contains("0/1, 0/2"), "\(outcome)")
    }
}
