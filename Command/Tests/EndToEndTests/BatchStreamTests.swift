import Foundation
import Testing

/// Batches whose streams are closed, full, or read by a program that leaves.
struct BatchStreamTests {
    private func begin(_ batch: BatchFolder) -> String {
        """
        cd '\(batch.folder.path)'
        batch() { "$dictate" batch list.jsonl --output results --script "$script" "$@"; }

        """
    }

    /// The results are what was asked for. Nobody has to read how far they are.
    @Test(arguments: [
        "batch --progress-json 2> >(head -n 1 >/dev/null)", "batch --progress-json 2>&1 | head -n 1 >/dev/null",
        "batch 2> >(:)", "batch --progress-json 2>/dev/full", "batch --progress-json 2>&-", "batch <&-", "batch >&-",
        "batch >&- 2>&- <&-", "batch --in-process >&- 2>&- <&-", "batch </dev/full >/dev/full",
    ])
    func nobodyHasToListen(line: String) async throws {
        let batch = try BatchFolder(300, extra: ["/none.wav"])
        let outcome = try await Program.bash(
            begin(batch) + """
                \(line); echo "${PIPESTATUS[0]}"
                wc -l <results/results.jsonl
                # A message that got into the file of results would be a wrong line.
                batch --resume --quiet 2>/dev/null; echo $?
                """)
        #expect(outcome.output == "1\n301\n1\n", "\(outcome)")
    }

    @Test func aListFromAClosedOrEmptyInputIsNoHang() async throws {
        let folder = try Folder()
        let outcome = try await Program.bash(
            """
            cd '\(folder.path)'
            "$dictate" batch - --output closed --script "$script" <&-; echo $?
            "$dictate" batch - --output folder --script "$script" </; echo $?
            "$dictate" batch - --output empty --script "$script" </dev/null; echo $?
            """)
        #expect(outcome.output == "2\n2\n0\n", "\(outcome)")
        #expect(outcome.errors.contains("tandard input"), "\(outcome)")
    }

    @Test func anotherListFromStandardInputDoesNotReplaceTheFirst() async throws {
        let folder = try Folder()
        _ = try folder.tone("a.wav", seconds: 3)
        _ = try folder.tone("b.wav", seconds: 3)
        let outcome = try await Program.bash(
            """
            cd '\(folder.path)'
            batch() { "$dictate" batch - --output results --script "$script" --resume --quiet; echo $?; }
            echo a.wav | batch
            # The list has grown.
            printf 'a.wav\\nb.wav\\n' | batch
            wc -l <results/results.jsonl
            # Another list does not belong to these results.
            echo c.wav | "$dictate" batch - --output results --script "$script"; echo $?
            "$dictate" batch merge results; echo $?
            wc -l <results/results.jsonl
            """)
        #expect(outcome.output == "0\n0\n2\n2\n0\n2\n", "\(outcome)")
    }

    @Test func theMetricsMayBeInANewFolder() async throws {
        let batch = try BatchFolder(4)
        let outcome = try await Program.bash(begin(batch) + "batch --metrics new/folder/batch.prom; ls new/folder")
        #expect(outcome.status == 0 && outcome.output == "batch.prom\n", "\(outcome)")
    }

    /// Whoever asks for metrics in a place that can't have them learns it before hours of work, and loses no results.
    @Test(arguments: ["/proc/none/batch.prom", "results", "/dev/full", "list.jsonl/batch.prom", ""])
    func metricsThatCannotBeWrittenAreAnError(path: String) async throws {
        let batch = try BatchFolder(4)
        let outcome = try await Program.bash(begin(batch) + "mkdir results; batch --metrics '\(path)'")
        #expect(outcome.status == 2, "\(outcome)")
        #expect(outcome.errors.split(separator: "\n").count { $0.hasPrefix("dictate: ") } == 1, "\(outcome)")
        #expect(try await Program.bash(begin(batch) + "batch --resume").status == 0)
        #expect(try batch.lines().count == 4)
    }
}
