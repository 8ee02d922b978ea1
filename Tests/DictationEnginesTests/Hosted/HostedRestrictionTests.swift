import DictationCore
import Foundation
import Testing

@testable import DictationEngines

/// What a library or model that took over a helper can do there.
@Suite struct HostedRestrictionTests {
    /// Something that the code in a helper tries, and the errors that keep it from succeeding.
    struct Deed: CustomTestStringConvertible {
        let name: String
        let restriction: EngineCapabilities.Restriction
        let code: String
        var errors = [EPERM]
        var testDescription: String { name }
    }

    static let deeds = [
        Deed(name: "internet", restriction: .noNetwork, code: "socket(AF_INET, SOCK_STREAM, 0)"),
        Deed(name: "packets", restriction: .noNetwork, code: "socket(AF_INET6, SOCK_DGRAM, 0)"),
        Deed(name: "unix", restriction: .noNetwork, code: "socket(AF_UNIX, SOCK_STREAM, 0)"),
        Deed(name: "netlink", restriction: .noNetwork, code: "socket(AF_NETLINK, SOCK_RAW, 0)"),
        Deed(name: "ring", restriction: .noNetwork, code: "syscall(425, 8, memory)", errors: [ENOSYS]),
        Deed(name: "exec", restriction: .noPrograms, code: #"execl("/bin/true", "true", NULL)"#),
        Deed(name: "fork", restriction: .noPrograms, code: "fork()"),
        Deed(name: "spawn", restriction: .noPrograms, code: "-spawned()"),
        Deed(name: "trace", restriction: .noPrograms, code: "ptrace(PTRACE_TRACEME, 0, 0, 0)"),
        Deed(name: "signal", restriction: .noPrograms, code: "kill(getppid(), 0)"),
        Deed(name: "group", restriction: .noPrograms, code: "setsid()"),
        Deed(name: "survive", restriction: .noPrograms, code: "prctl(PR_SET_PDEATHSIG, 0)"),
        Deed(name: "read", restriction: .noOtherFiles, code: #"open("/etc/passwd", O_RDONLY)"#, errors: [EACCES]),
        Deed(name: "list", restriction: .noOtherFiles, code: #"open("/", O_RDONLY | O_DIRECTORY)"#, errors: [EACCES]),
        Deed(
            name: "around", restriction: .noOtherFiles, code: #"open("/proc/self/root/etc/passwd", O_RDONLY)"#,
            errors: [EACCES]),
        Deed(name: "program", restriction: .noOtherFiles, code: #"spied("environ", O_RDONLY)"#, errors: [EACCES]),
        Deed(name: "command", restriction: .noOtherFiles, code: #"spied("cmdline", O_RDONLY)"#, errors: [EACCES]),
        Deed(
            name: "state", restriction: .noOtherFiles, code: #"spied("stat", O_RDONLY | O_NONBLOCK)"#, errors: [ENOENT]),
        Deed(name: "system", restriction: .noOtherFiles, code: #"open("/proc/version", O_RDONLY)"#, errors: [EACCES]),
        Deed(
            name: "past", restriction: .noOtherFiles,
            code: #"open("/proc/1/../../../../../etc/passwd", O_RDONLY | O_NONBLOCK)"#, errors: [EACCES, ENOENT]),
        Deed(
            name: "waiting", restriction: .noOtherFiles, code: #"open("/etc/passwd", O_RDONLY | O_NONBLOCK)"#,
            errors: [EACCES]),
        Deed(name: "thread", restriction: .noOtherFiles, code: "-threaded()", errors: [EACCES]),
        Deed(
            name: "write", restriction: .noOtherFiles, code: #"open("/tmp/hosted", O_WRONLY | O_CREAT, 0600)"#,
            errors: [EACCES]),
        Deed(name: "change", restriction: .noOtherFiles, code: "open(file, O_RDWR)", errors: [EACCES]),
        Deed(name: "remove", restriction: .noOtherFiles, code: "unlink(file)", errors: [EPERM]),
        Deed(name: "permit", restriction: .noOtherFiles, code: "chmod(file, 0666)"),
        Deed(
            name: "memory", restriction: .limitedMemory,
            code: "(long)mmap(NULL, 1L << 46, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)",
            errors: [ENOMEM]),
        Deed(
            name: "core", restriction: .noCoreFiles, code: "setrlimit(RLIMIT_CORE, &(struct rlimit){1, 1})",
            errors: [EPERM, 0]),
        Deed(
            name: "rights", restriction: .noNewPrivileges, code: "prctl(PR_SET_NO_NEW_PRIVS, 0, 0, 0, 0)",
            errors: [EINVAL]),
    ]

    private static let start = #"""
        #define _GNU_SOURCE
        #include <errno.h>
        #include <fcntl.h>
        #include <pthread.h>
        #include <signal.h>
        #include <spawn.h>
        #include <string.h>
        #include <sys/mman.h>
        #include <sys/prctl.h>
        #include <sys/ptrace.h>
        #include <sys/resource.h>
        #include <sys/socket.h>
        #include <sys/stat.h>
        #include <sys/syscall.h>
        static char memory[4096];
        static int spawned(void) {
            char *words[] = {"true", NULL};
            pid_t process;
            return (errno = posix_spawn(&process, "/bin/true", NULL, NULL, words, words)) != 0;
        }
        static int spied(const char *name, int flags) {
            char path[64];
            sprintf(path, "/proc/%d/%s", getppid(), name);
            return open(path, flags);
        }
        // What libdispatch does once a second with each of its threads.
        static void *looks(void *code) {
            char path[64], text[64] = "";
            sprintf(path, "/proc/%d/stat", gettid());
            int file = open(path, O_RDONLY | O_NONBLOCK);
            *(int *)code = file < 0 ? errno : read(file, text, 63) > 0 && atoi(text) == gettid() ? 0 : EIO;
            return NULL;
        }
        static int looked(void) {
            pthread_t thread;
            int code = EAGAIN;
            if (pthread_create(&thread, NULL, looks, &code) == 0) pthread_join(thread, NULL);
            return -((errno = code) != 0);
        }
        static void *opens(void *code) {
            *(int *)code = open("/etc/passwd", O_RDONLY) < 0 ? errno : 0;
            return NULL;
        }
        static int threaded(void) {
            pthread_t thread;
            int code = 0;
            if (pthread_create(&thread, NULL, opens, &code) != 0) return 0;
            pthread_join(thread, NULL);
            return (errno = code) != 0;
        }

        """#

    /// Runs the deeds in a helper, when the library creates a recognizer. Returns their errors, and those of what a helper
    /// must be able to do: read a file of the model, and read the state of its own threads.
    private func outcomes(_ file: String) throws -> [Int32] {
        let folder = try HelperFolder()
        let codes = Self.deeds.map(\.code) + ["open(file, O_RDONLY)", "looked()"]
        let tries = codes.map { "errno = 0; codes[count++] = \($0) < 0 ? errno : 0;" }.joined(separator: "\n")
        let library = try folder.library(
            Self.start + """
                void *SherpaOnnxCreateOnlineRecognizer(void *config) {
                    const char *file = "\(file)";
                    int codes[100], count = 0;
                    \(tries)
                    dprintf(2, "what(): deeds");
                    for (int i = 0; i < count; i++) dprintf(2, " %d", codes[i]);
                    dprintf(2, " in all\\n");
                    abort();
                }
                """)
        let program = try folder.copy(of: "HostProbe", in: "own")
        let run = try folder.run(
            program, ["host-model", "zipformer:" + SherpaFixtures.modelFolder()],
            environment: ["DICTATION_SHERPA_ONNX": library])
        let words = run.output.split(separator: " ").map(String.init)
        let start = try #require(words.firstIndex(of: "deeds"), "\(run)")
        return words[(start + 1)...].prefix(codes.count).compactMap { Int32($0) }
    }

    @Test func codeInAHelperCanNotLeaveIt() throws {
        let file = try SherpaFixtures.modelFolder() + "/tokens.txt"
        let outcomes = try outcomes(file)
        try #require(outcomes.count == Self.deeds.count + 2, "\(outcomes)")
        for (deed, outcome) in zip(Self.deeds, outcomes)
        where HelperRestrictions.available.contains(deed.restriction) {
            #expect(deed.errors.contains(outcome), "\(deed.name) ended with error \(outcome)")
        }
        #expect(outcomes.suffix(2) == [0, 0], "The model's files and the state of the own threads can be read.")
    }

    @Test func capabilitiesTellTheRestrictionsThatHold() async throws {
        let model = try SherpaOnnxModel(folder: SherpaFixtures.generatedFolder("streaming-nemo-ctc"))
        for description in [EngineDescription.scripted(), try .sherpaOnnx(model, locales: ["en-US"])] {
            let engine = HostedEngine(description)
            #expect(engine.capabilities.restrictions == HelperRestrictions.available)
            try await engine.prepare(.fileTranscription())
            #expect(engine.capabilities.restrictions == HelperRestrictions.available)
            #expect(engine.capabilities.features == description.capabilities.features)
        }
        #expect(ScriptedEngine().capabilities.restrictions.isEmpty)
    }

    #if PocketSphinx
    @Test func pocketSphinxWorksWithAllRestrictions() async throws {
        let engine = HostedEngine(.pocketSphinx([try Sphinx.model()]))
        let strings = Sphinx.options { $0.contextualStrings = ["forward"] }
        for options in [strings, .wakeWords(["go forward"])] {
            _ = try await engine.results(try buffers(Speech.goForward.samples() + quiet(1)), options)
        }
        #expect(engine.capabilities.restrictions == HelperRestrictions.available)
    }
    #endif
}
