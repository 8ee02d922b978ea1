import CDictationHelper
import Foundation
import Testing

/// What a recording can do that has taken FFmpeg over.
@Suite struct FFmpegRestrictionTests {
    /// Something that the program tries, and the error that keeps it from succeeding where the kernel has a restriction.
    private struct Deed {
        var code: String
        var error = EPERM
        var restriction = dictation_helper_no_programs
    }

    private let folder = TemporaryFolder()

    private static let network = [
        "socket(AF_INET, SOCK_STREAM, 0)", "socket(AF_INET6, SOCK_DGRAM, 0)", "socket(AF_UNIX, SOCK_STREAM, 0)",
        "socketpair(AF_UNIX, SOCK_STREAM, 0, pair)",
    ].map { Deed(code: $0, restriction: dictation_helper_no_network) }

    private static let processes = [
        #"execl("/bin/true", "true", NULL)"#, "execv(words[0], words)", "fork()", "kill(getppid(), 0)",
        "ptrace(PTRACE_TRACEME, 0, 0, 0)", "setpriority(PRIO_PROCESS, getppid(), 19)",
        "prlimit(getppid(), RLIMIT_NOFILE, &(struct rlimit){0, 0}, NULL)", "fcntl(1, F_SETOWN, getppid())", "setsid()",
    ].map { Deed(code: $0) }

    private func files(_ other: String) -> [Deed] {
        let reading = [
            #"open("/etc/passwd", O_RDONLY)"#, #"open("\#(other)", O_RDONLY)"#, #"open("\#(folder.path)", O_RDONLY)"#,
            #"open("/proc/self/root/etc/passwd", O_RDONLY)"#, #"open("/proc/self/environ", O_RDONLY)"#,
            #"open("\#(other)", O_WRONLY)"#, #"open("\#(other).new", O_WRONLY | O_CREAT, 0600)"#,
            #"open("/proc/self/fd/3", O_RDWR)"#,
        ]
        let changing = [#"unlink("\#(other)")"#, #"chmod("\#(other)", 0644)"#, "fchmod(3, 0644)"]
        return reading.map { Deed(code: $0, error: EACCES, restriction: dictation_helper_no_other_files) }
            + changing.map { Deed(code: $0, restriction: dictation_helper_no_programs) }
    }

    private static let memory = [
        Deed(
            code: "(long)mmap(NULL, 1L << 40, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)",
            error: ENOMEM, restriction: dictation_helper_limited_memory)
    ]

    /// What a decoder must be able to do.
    private static let permitted = [
        #"open("/proc/self/fd/3", O_RDONLY)"#, "read(3, memory, 1)", "lseek(3, 0, SEEK_SET)", "-threaded()",
        "setrlimit(RLIMIT_CPU, &(struct rlimit){100, 101})", "sched_getaffinity(0, sizeof memory, (void *)memory)",
        // No descriptor of the program that started it.
        "fcntl(4, F_GETFD) < 0 && fcntl(5, F_GETFD) < 0 && fcntl(9, F_GETFD) < 0 ? 0 : -1",
    ].map { Deed(code: $0, error: 0) }

    /// Builds a program that is called `ffprobe` and `ffmpeg`, and says in place of audio what it could not do.
    private func build(_ deeds: [Deed]) async throws {
        let tries = deeds.map { "errno = 0; say((\($0.code)) < 0 ? errno : 0);" }.joined(separator: "\n    ")
        let code = #"""
            #define _GNU_SOURCE
            #include <errno.h>
            #include <fcntl.h>
            #include <pthread.h>
            #include <sched.h>
            #include <signal.h>
            #include <stdio.h>
            #include <string.h>
            #include <sys/mman.h>
            #include <sys/ptrace.h>
            #include <sys/resource.h>
            #include <sys/socket.h>
            #include <sys/stat.h>
            #include <unistd.h>
            static char memory[4096];
            static int pair[2];
            static void say(int code) { dprintf(2, " %d", code); }
            static void *rests(void *nothing) { return nothing; }
            static int threaded(void) {
                pthread_t thread;
                return pthread_create(&thread, NULL, rests, NULL) || pthread_join(thread, NULL);
            }
            int main(int count, char **words) {
                if (strstr(words[0], "ffprobe")) {
                    puts("{\"streams\":[{\"index\":0,\"codec_name\":\"aac\",\"sample_fmt\":\"fltp\",\"sample_rate\":"
                        "\"48000\",\"channels\":2}],\"format\":{\"format_name\":\"x\"}}");
                    return 0;
                }
                dprintf(2, "says");

            """# + "    " + tries + "\n    dprintf(2, \" in all\\n\");\n    return 1;\n}\n"
        try FileManager.default.createDirectory(atPath: folder("bin"), withIntermediateDirectories: true)
        try Data(code.utf8).write(to: URL(filePath: folder("program.c")))
        for name in ["bin/ffprobe", "bin/ffmpeg"] {
            let compiler = try Child("cc", ["-w", folder("program.c"), "-o", folder(name)])
            let said = try #require(await compiler.end())
            try #require(compiler.exitCode == 0, "\(said)")
        }
    }

    @Test func codeInFFmpegCanNotLeaveIt() async throws {
        let other = folder("other")
        try Data("private".utf8).write(to: URL(filePath: other))
        try Data("ftyp no recording".utf8).write(to: URL(filePath: folder("a.m4a")))
        let deeds = Self.network + Self.processes + files(other) + Self.memory + Self.permitted
        try await build(deeds)
        let probe = try Child(
            Child.built("CaptureProbe"), ["whole", folder("a.m4a")], environment: ["PATH": folder("bin")])
        let text = try #require(await probe.end()).joined(separator: " ")
        let words = text.split(separator: " ").drop { !$0.hasSuffix("says") }.dropFirst().prefix { $0 != "in" }
        let outcomes = words.compactMap { Int32($0) }
        try #require(outcomes.count == deeds.count, "\(text)")
        for (deed, outcome) in zip(deeds, outcomes)
        where deed.error == 0 || dictation_helper_restrictions() & Int32(deed.restriction) != 0 {
            #expect(outcome == deed.error, "\(deed.code) ended with error \(outcome)")
        }
        #expect(try String(contentsOfFile: other, encoding: .utf8) == "private")
        #expect(!FileManager.default.fileExists(atPath: other + ".new"))
    }
}
