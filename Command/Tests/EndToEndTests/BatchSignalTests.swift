import Foundation
import Testing

/// Batches that are told to end, at any moment and by any signal.
struct BatchSignalTests {
    /// Lines of bash: `batch` runs the batch, `started` waits until twenty items are done.
    private func begin(_ batch: BatchFolder) -> String {
        """
        cd '\(batch.folder.path)'
        batch() { "$dictate" batch list.jsonl --output results --script "$script" --jobs 1 "$@"; }
        background() { exec "$dictate" batch list.jsonl --output results --script "$script" --jobs 1 "$@"; }
        started() { until [ "$(cat results/results-* 2>/dev/null | wc -l)" -gt 20 ]; do sleep 0.01; done; }

        """
    }

    private func expectWhole(_ batch: BatchFolder, _ count: Int, _ outcome: Outcome) throws {
        let lines = try batch.lines()
        #expect(lines.count == count, "\(outcome)")
        #expect(lines.allSatisfy { $0.contains(#""status": "done""#) })
        #expect(try batch.lines("results-0-of-1.jsonl").count == count + 1)
    }

    @Test(arguments: ["TERM", "INT", "HUP"]) func anySignalKeepsTheResults(signal: String) async throws {
        let batch = try BatchFolder(500)
        let outcome = try await Program.bash(
            begin(batch) + """
                # A shell without job control starts programs in the background with SIGINT ignored.
                set -m
                background & started
                kill -\(signal) $!; wait $!; echo $?
                ls results
                batch --resume --quiet; echo $?
                """)
        let code = signal == "TERM" ? 143 : 130
        #expect(outcome.output == "\(code)\nresults-0-of-1.jsonl\n0\n", "\(outcome)")
        try expectWhole(batch, 500, outcome)
    }

    /// A user who is impatient, and a scheduler that repeats itself.
    @Test func twoSignalsEndWithTheSameCode() async throws {
        let batch = try BatchFolder(500)
        let outcome = try await Program.bash(
            begin(batch) + """
                background & started
                kill -TERM $!; kill -TERM $!; wait $!; echo $?
                batch --resume --quiet; echo $?
                """)
        #expect(outcome.output == "143\n0\n", "\(outcome)")
        try expectWhole(batch, 500, outcome)
    }

    @Test func anEndWhileItStartsLosesNothing() async throws {
        let batch = try BatchFolder(40)
        let outcome = try await Program.bash(
            begin(batch) + """
                for moment in 0.000 0.002 0.005 0.010 0.015 0.020 0.030 0.040 0.060 0.080 0.100 0.150 0.200; do
                    background --resume --quiet & sleep $moment
                    kill -TERM $! 2>/dev/null; status=0; wait $! || status=$?
                    [ $status = 0 ] || [ $status = 143 ] || { echo "$status after $moment s"; exit 1; }
                    # It may be that nothing was written yet. What was written can be read.
                    ls results 2>/dev/null | grep -v -e '^results-0-of-1.jsonl$' -e '^results.jsonl$' -e '^report'
                done
                batch --resume --quiet; echo $?
                """)
        #expect(outcome.output == "0\n", "\(outcome)")
        try expectWhole(batch, 40, outcome)
    }

    /// Nothing but the whole files, whatever ends the joining.
    @Test(arguments: [("TERM", 143), ("KILL", 137)]) func anEndWhileItJoinsLeavesNoHalfFile(signal: String, code: Int)
        async throws
    {
        let batch = try BatchFolder(3_000)
        let outcome = try await Program.bash(
            begin(batch) + """
                batch --shard 0/1 --quiet --in-process || exit 9
                began=$(date +%s%N); "$dictate" batch merge results 2>/dev/null || exit 8
                time=$((($(date +%s%N) - began) / 1000))
                cp results/results.jsonl whole.jsonl
                for part in 1 2 3 4 5 6 7 8 9; do
                    rm -f results/results.jsonl results/report.*
                    "$dictate" batch merge results 2>errors & sleep "$(printf '0.%06d' $((time * part / 10 % 1000000)))"
                    kill -\(signal) $! 2>/dev/null; status=0; wait $! || status=$?
                    [ $status = 0 ] || [ $status = \(code) ] || { echo "$status"; cat errors; exit 7; }
                    for name in $(ls -A results); do
                        case "$name" in
                        results-0-of-1.jsonl) ;;
                        results.jsonl) cmp results/results.jsonl whole.jsonl || exit 6 ;;
                        report.json) python3 -m json.tool results/report.json >/dev/null || exit 5 ;;
                        report.html) grep -q '</html>' results/report.html || exit 4 ;;
                        # The next one removes it.
                        .merge-*) ;;
                        *) echo "$name" ;;
                        esac
                    done
                done
                "$dictate" batch merge results; echo $?
                cmp results/results.jsonl whole.jsonl
                ls -A results | wc -l
                """, within: 200)
        #expect(outcome.status == 0 && outcome.output == "0\n4\n", "\(outcome)")
    }
}
