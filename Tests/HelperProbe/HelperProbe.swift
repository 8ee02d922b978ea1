import DictationCore
import DictationEngines
import Foundation
import Glibc

/// A program that is its own helper, for the tests of what that program sees of it.
///
///     HelperProbe prepare FOLDER          loads a model and prints `prepared`, or the error
///     HelperProbe private                 keeps its memory private and prints what a core file would have of it
///     HelperProbe check FOLDER            reads a model's files and prints how many MB that took at most
///     HelperProbe helper                    loads a scripted engine in a helper and prints `loaded`, or the error
///     HelperProbe helper-model ENGINE       loads an engine in a helper and prints `loaded`, or the error
///     HelperProbe helper-text ENGINE AUDIO  recognizes 16-bit samples with an engine in a helper and prints what a session tells
///     HelperProbe helper-memory ENGINE AUDIO  does the same and prints this process's own memory, in KB
///     HelperProbe helper-kills COUNT SEED ENGINE AUDIO  kills helpers at random moments and prints what went wrong
///     HelperProbe helper-take-kills COUNT SEED  does the same with dictation sessions
///     HelperProbe helper-and-die            loads a scripted engine in a helper, prints the helper's number and kills itself
///     HelperProbe library                 loads sherpa-onnx and prints its version and path, or the error; again for each
///                                       line of standard input
///
/// An `ENGINE` is a kind and a folder, such as `pocketsphinx:/usr/share/pocketsphinx/model/en-us`, or `scripted:`.
///
/// `PROBE_LOG` names a file that gets a line for each `main` that is reached. With `PROBE_FORGETS` it never becomes a
/// helper, and with `PROBE_IGNORES_CHILDREN` it is not told of its helper's end. `PROBE_PATIENCE` is the number of seconds
/// after which an engine hangs. A file `variables` beside the program sets more of them, also in the helper, which gets
/// none from the program.
@main struct HelperProbe {
    static func main() async {
        let environment = ProcessInfo.processInfo.environment.merging(ownVariables()) { $1 }
        if environment["PROBE_FORGETS"] == nil { DictationHelper.runIfAsked() }
        if let log = environment["PROBE_LOG"] { append("main\n", to: log) }
        if environment["PROBE_IGNORES_CHILDREN"] != nil { signal(SIGCHLD, SIG_IGN) }
        let arguments = Array(CommandLine.arguments.dropFirst())
        do {
            if arguments == ["private"] {
                DictationHelper.keepMemoryPrivate(fromPrograms: true)
                let filter = try String(contentsOfFile: "/proc/self/coredump_filter", encoding: .utf8)
                var limit = rlimit()
                getrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limit)
                print("parts \(filter)size \(limit.rlim_cur) \(limit.rlim_max)")
            } else if arguments.first == "check" {
                let before = try peak()
                let model = try? SherpaOnnxEngine.Model(folder: arguments.last ?? "")
                print(model == nil ? "refused" : "taken", try peak() - before)
            } else if arguments.first == "helper-model", arguments.count == 2 {
                let before = try traits()
                defer { print((try? traits()) == before ? "The program is as it was." : "The program was changed.") }
                try await HelperEngine(ProbeEngine.description(arguments[1])).prepare(.liveDictation())
                print("loaded")
            } else if arguments.first == "helper-kills", arguments.count == 5 {
                try await runKills(arguments) {
                    try await KillTrial(
                        kills: $0, samples: ProbeEngine.samples(arguments[4]),
                        comparesTexts: arguments[3].hasPrefix("pocketsphinx")
                    ).run()
                }
            } else if arguments.first == "helper-take-kills", arguments.count == 3 {
                try await runKills(arguments) { try await TakeKillTrial(kills: $0).run() }
            } else if arguments.first == "helper-text", arguments.count == 3 {
                for line in try await recognize(arguments[2], with: arguments[1]) { print(line) }
            } else if arguments.first == "helper-memory", arguments.count == 3 {
                let lines = try await recognize(arguments[2], with: arguments[1])
                print(lines.count { $0.hasPrefix("final") }, try ProbeMemory().description)
            } else if arguments.first?.hasPrefix("helper") == true {
                try await load(thenDies: arguments.first == "helper-and-die")
            } else if arguments.first == "library" {
                repeat { FileHandle.standardOutput.write(Data((loadedLibrary() + "\n").utf8)) } while readLine() != nil
            } else {
                // A helper that forgets what it is tries the model of whoever started it.
                let folder = environment["PROBE_FORGETS"] ?? arguments.last ?? ""
                let engine = try SherpaOnnxEngine(folder: folder, locales: ["en-US"])
                try await engine.prepare(.liveDictation())
                print("prepared")
            }
        } catch {
            print(error)
            exit(1)
        }
    }

    private static func ownVariables() -> [String: String] {
        let program = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        let file = URL(filePath: program).deletingLastPathComponent().appending(path: "variables")
        let lines = ((try? String(contentsOf: file, encoding: .utf8)) ?? "").split(separator: "\n")
        return Dictionary(
            lines.map { $0.split(separator: "=", maxSplits: 1).map(String.init) }.map { ($0[0], $0[1]) }
        ) { $1 }
    }

    private static func load(thenDies: Bool) async throws {
        let session = try await HelperEngine(.scripted()).makeSession(.liveDictation())
        guard thenDies else { return print("loaded") }
        // The thread that started the helper has it as its child.
        for thread in try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task") {
            let children = try? String(contentsOfFile: "/proc/self/task/\(thread)/children", encoding: .utf8)
            FileHandle.standardOutput.write(Data((children ?? "").utf8))
        }
        await session.cancel()
        kill(getpid(), SIGKILL)
    }

    private static func runKills(
        _ arguments: [String], _ trial: (KillRun) async throws -> [String]
    ) async throws {
        guard let count = Int(arguments[1]), let seed = UInt64(arguments[2]) else { exit(2) }
        // A take of its own script, whose finals come more often.
        let engine = arguments.count > 3 ? try ProbeEngine.description(arguments[3]) : .scripted(TakeKillTrial.script)
        var kills = KillRun(count: count, seed: seed, engine: engine)
        // A real model needs much memory and a processor of its own.
        if arguments.count > 3, !arguments[3].hasPrefix("scripted") { kills.workers = 3 }
        for line in try await trial(kills) { print(line) }
    }

    /// Returns a line for each final result and each interruption.
    private static func recognize(_ file: String, with engine: String) async throws -> [String] {
        var configuration = HelperEngine.Configuration()
        let patience = ProcessInfo.processInfo.environment["PROBE_PATIENCE"].flatMap { Int($0) }
        configuration.progressTimeout = .seconds(patience ?? 600)
        configuration.memoryLimit = 300 << 20
        let engine = HelperEngine(try ProbeEngine.description(engine), configuration: configuration)
        var options = RecognitionOptions.liveDictation()
        options.finalizationTimeout = .seconds(120)
        let session = try await engine.makeSession(options)
        let samples = try ProbeEngine.samples(file)
        let buffers = stride(from: 0, to: samples.count, by: 1_600).map { start in
            AudioBuffer(
                Array(samples[start..<min(start + 1_600, samples.count)]), start: .milliseconds(start / 16))
        }
        try session.start(AudioInput(buffers))
        var lines: [String] = []
        for try await update in session.results {
            switch update {
            case .final(let result): lines.append("final \(result.text)")
            case .interrupted(let interruption):
                let lost = interruption.lost.map {
                    "lost \($0.lowerBound / .seconds(1)) \($0.upperBound / .seconds(1)) "
                }
                lines.append("interrupted \(lost ?? "")\(interruption.cause)")
            case .volatile, .revoked, .finalized, .voice, .turnEnded: break
            }
        }
        _ = try await session.finish()
        return lines
    }

    private static func loadedLibrary() -> String {
        do throws(DictationError) {
            let library = try SherpaOnnxLibrary.load()
            return "loaded \(library.version) \(library.path)"
        } catch {
            return "\(error.code): \(error)"
        }
    }

    /// The most memory that the process had so far, in MB.
    private static func peak() throws -> Int {
        let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") } ?? ""
        return (line.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) >> 10
    }

    /// What another process could change: the limits, the processors, the priority and the policy of this process.
    private static func traits() throws -> String {
        let read = { try String(contentsOfFile: "/proc/self/" + $0, encoding: .utf8) }
        let processors = try read("status").split(separator: "\n").filter { $0.hasPrefix("Cpus_allowed") }
        let numbers = try read("stat").split(separator: ")").last?.split(separator: " ") ?? []
        return try read("limits") + "\(processors) \(numbers[15...16]) \(numbers[38])"
    }

    private static func append(_ line: String, to path: String) {
        let file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        _ = write(file, line, line.utf8.count)
        close(file)
    }
}
