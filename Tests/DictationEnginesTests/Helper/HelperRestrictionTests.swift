import DictationCore
import DictationSystem
import Foundation
import TestSupport
import Testing

@testable import DictationEngines

/// What a library or model that took over a helper can do there.
@Suite(.ownThread) struct HelperRestrictionTests {
    private static let start = #"""
        #define _GNU_SOURCE
        #include <errno.h>
        #include <fcntl.h>
        #include <pthread.h>
        #include <sched.h>
        #include <signal.h>
        #include <spawn.h>
        #include <string.h>
        #include <sys/file.h>
        #include <sys/ioctl.h>
        #include <sys/mman.h>
        #include <sys/msg.h>
        #include <sys/prctl.h>
        #include <sys/ptrace.h>
        #include <sys/resource.h>
        #include <sys/sem.h>
        #include <sys/shm.h>
        #include <sys/socket.h>
        #include <sys/stat.h>
        #include <sys/syscall.h>
        #include <sys/uio.h>
        #include <asm/sockios.h>
        static char memory[4096], *none[] = {NULL};
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

    /// What some code in a helper says, when the library creates a recognizer, and the program of the helper.
    private func run(_ code: String, environment: [String: String] = [:]) throws -> (words: [String], output: String) {
        let folder = try HelperFolder()
        let library = try folder.library(
            Self.start + """
                void *SherpaOnnxCreateOnlineRecognizer(void *config) {
                    dprintf(2, "what(): says");
                    \(code)
                    dprintf(2, " in all\\n");
                    abort();
                }
                """)
        let program = try folder.copy(of: "HelperProbe", in: "own")
        let run = try folder.run(
            program, ["helper-model", "zipformer:" + SherpaFixtures.modelFolder()],
            environment: environment.merging(["DICTATION_SHERPA_ONNX": library]) { $1 })
        let words = run.output.split(separator: " ").map(String.init)
        let start = try #require(words.firstIndex(of: "says"), "\(run)")
        return (Array(words[(start + 1)...].prefix { $0 != "in" }), run.output)
    }

    @Test func codeInAHelperCanNotLeaveIt() throws {
        let file = try SherpaFixtures.modelFolder() + "/tokens.txt"
        // A helper must be able to do the last two: read a file of the model, and read the state of its own threads.
        let codes = HelperDeed.all.map(\.code) + ["open(file, O_RDONLY)", "looked()"]
        let tries = codes.map { "errno = 0; codes[count++] = (\($0)) < 0 ? errno : 0;" }.joined(separator: "\n")
        let (words, output) = try run(
            """
            const char *file = "\(file)";
            int codes[200], count = 0;
            \(tries)
            for (int i = 0; i < count; i++) dprintf(2, " %d", codes[i]);
            """)
        let outcomes = words.compactMap { Int32($0) }
        try #require(outcomes.count == codes.count, "\(output)")
        for (deed, outcome) in zip(HelperDeed.all, outcomes)
        where HelperRestrictions.available.contains(deed.restriction) {
            #expect(deed.errors.contains(outcome), "\(deed.name) ended with error \(outcome)")
        }
        #expect(outcomes.suffix(2) == [0, 0], "The model's files and the state of the own threads can be read.")
        #expect(output.contains("The program is as it was."), "\(output)")
    }

    @Test func aHelperHasOnlyTheVariablesThatItNeeds() throws {
        let (names, output) = try run(
            """
            static char all[65536];
            int file = open("/proc/self/environ", O_RDONLY);
            long size = file < 0 ? 0 : read(file, all, sizeof all - 1);
            for (char *entry = all; entry < all + size; entry += strlen(entry) + 1)
                dprintf(2, " %.*s", (int)strcspn(entry, "="), entry);
            """, environment: ["DICTATION_TOKEN": "secret", "OPENAI_API_KEY": "secret", "LD_LIBRARY_PATH": "/nowhere"])
        let kept = Set(HelperRole.keptVariables + HelperRole.addedVariables.keys)
        #expect(Set(names).isSubset(of: kept), "\(output)")
        #expect(
            Set(names).isSuperset(of: ["LD_LIBRARY_PATH", "DICTATION_SHERPA_ONNX", "SWIFT_BACKTRACE"]), "\(output)")
    }

    @Test func aProgramLeavesNoMemoryInACoreFile() throws {
        let folder = try HelperFolder()
        let run = try folder.run(try folder.copy(of: "HelperProbe", in: "own"), ["private"])
        #expect(run.output == "parts 00000000\nsize 0 0\n", "\(run)")
    }

    @Test func capabilitiesTellTheRestrictionsThatHold() async throws {
        let model = try SherpaOnnxEngine.Model(folder: SherpaFixtures.generatedFolder("streaming-nemo-ctc"))
        for description in [EngineDescription.scripted(), try .sherpaOnnx(model, locales: ["en-US"])] {
            let engine = HelperEngine(description)
            #expect(engine.capabilities.restrictions == HelperRestrictions.available)
            try await engine.prepare(.fileTranscription())
            #expect(engine.capabilities.restrictions == HelperRestrictions.available)
            #expect(engine.capabilities.features == description.capabilities.features)
        }
        #expect(ScriptedEngine().capabilities.restrictions.isEmpty)
    }

    #if PocketSphinx
    @Test func pocketSphinxWorksWithAllRestrictions() async throws {
        let engine = HelperEngine(.pocketSphinx([try Sphinx.model()]))
        let strings = Sphinx.options { $0.contextualStrings = ["forward"] }
        for options in [strings, .wakeWords(["go forward"])] {
            _ = try await engine.results(try buffers(Speech.goForward.samples() + quiet(1)), options)
        }
        #expect(engine.capabilities.restrictions == HelperRestrictions.available)
    }
    #endif
}
