import Foundation
import Testing

/// Machines whose clock jumps, and folders with what is no recording.
struct BatchWorldTests {
    /// A library that gives a program a clock which jumps back and ahead by years, each time it is asked.
    private static let clock = """
        #define _GNU_SOURCE
        #include <dlfcn.h>
        #include <stdatomic.h>
        #include <stdlib.h>
        #include <sys/time.h>
        #include <time.h>
        static long jump(void) {
            static atomic_int calls;
            static const long jumps[] = {0, 4000000000, -1900000000, 86400, -3600, 60, -4000000000};
            const char *years = getenv("YEARS");
            return years ? atol(years) * 31557600 : jumps[atomic_fetch_add(&calls, 1) % 7];
        }
        int clock_gettime(clockid_t clock, struct timespec *time) {
            static int (*next)(clockid_t, struct timespec *);
            if (!next) *(void **)&next = dlsym(RTLD_NEXT, "clock_gettime");
            int code = next(clock, time);
            if (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE) time->tv_sec += jump();
            return code;
        }
        int gettimeofday(struct timeval *restrict time, void *restrict zone) {
            struct timespec now;
            clock_gettime(CLOCK_REALTIME, &now);
            time->tv_sec = now.tv_sec;
            time->tv_usec = now.tv_nsec / 1000;
            return 0;
        }
        time_t time(time_t *result) {
            struct timespec now;
            clock_gettime(CLOCK_REALTIME, &now);
            if (result) *result = now.tv_sec;
            return now.tv_sec;
        }
        """

    @Test func aClockThatJumpsChangesNoResult() async throws {
        let batch = try BatchFolder(100)
        try Data(Self.clock.utf8).write(to: URL(filePath: batch.folder.file("clock.c")))
        let outcome = try await Program.bash(
            """
            cd '\(batch.folder.path)'; cc -w -shared -fPIC clock.c -o clock.so -ldl || exit 99
            batch() { "$dictate" batch list.jsonl --script "$script" --resume --quiet --metrics batch.prom --output "$@"; }
            # The clock of the library is really used.
            LD_PRELOAD=$PWD/clock.so YEARS=70 date +%Y | grep -q '^20[9]' || exit 98
            batch results || exit 9
            LD_PRELOAD=$PWD/clock.so batch jumping; echo $?
            cmp results/results.jsonl jumping/results.jsonl; echo $?
            # The clock is wrong in one run and set right in the next.
            for years in 70 -70 0 -20 5000; do
                head -n $((++number * 20)) list.jsonl >part; mv part now.jsonl
                LD_PRELOAD=$PWD/clock.so YEARS=$years \\
                    "$dictate" batch now.jsonl --script "$script" --resume --quiet --output set || exit 8
            done
            cmp results/results.jsonl set/results.jsonl; echo $?
            for folder in jumping set; do
                python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["total"]["items"])' $folder/report.json
                grep -c '</svg>' $folder/report.html
            done
            """)
        let lines = outcome.output.split(separator: "\n")
        #expect(outcome.status == 0 && lines.prefix(3) == ["0", "0", "0"], "\(outcome)")
        #expect(lines.count == 7 && lines[3] == "100" && lines[5] == "100" && lines[4] == lines[6], "\(outcome)")
    }

    @Test func whatIsNoRecordingFailsAndHoldsNothingUp() async throws {
        let folder = try Folder()
        try FileManager.default.createDirectory(atPath: folder.file("in/deep"), withIntermediateDirectories: true)
        for name in ["a", "deep/b", "new\nline", "\u{1B}[2J", "-v", "é", "e\u{301}"] {
            _ = try folder.tone("in/\(name).wav", seconds: 3)
        }
        let outcome = try await Program.bash(
            """
            cd '\(folder.path)'
            mkfifo in/fifo.wav; ln -s /dev/zero in/zero.wav; ln -s self.wav in/self.wav; ln -s /none in/none.wav
            ln -s .. in/deep/up; ln -s ../in in/deep/up.wav; mkdir in/folder.wav; ln -s a.wav in/link.wav
            ln -s /dev/stdin in/stdin.wav; ln -s /proc/self/mem in/mem.wav
            "$dictate" batch in --output results --script "$script"; echo $?
            python3 - <<END
            import json
            for line in open("results/results.jsonl"):
                line = json.loads(line)
                print(line["status"], ascii(line["audio_filepath"]))
            END
            """)
        let lines = outcome.output.split(separator: "\n")
        #expect(lines.first == "1", "\(outcome)")
        let done = lines.filter { $0.hasPrefix("done ") }
        #expect(done.count == 8, "\(outcome)")
        // Pipes, devices and links that lead nowhere are no recordings.
        for name in ["fifo", "zero", "self", "none", "up", "folder"] {
            #expect(!lines.contains { $0.contains(name + ".wav") }, "\(outcome)")
        }
        #expect(!outcome.errors.contains("\u{1B}"), "\(outcome)")
        // Each message is a line of its own.
        #expect(!outcome.errors.split(separator: "\n").contains { $0.hasPrefix("line") }, "\(outcome)")
    }

    @Test(arguments: ["--item-timeout", "--item-length"]) func aLimitOfNothingIsWrongUse(option: String) async throws {
        let batch = try BatchFolder(2)
        for value in ["0", "-1", "nan", "1e400", "x", ""] {
            let outcome = try await Program.run(batch.arguments(["\(option)=\(value)"]))
            #expect(outcome.status == 2 && outcome.errors.contains(option), "\(value): \(outcome)")
        }
    }
}
