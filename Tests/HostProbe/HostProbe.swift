import DictationCore
import DictationEngines
import Foundation
import Glibc

/// A program that is its own helper, for the tests of what that program sees of it.
///
///     HostProbe prepare FOLDER          loads a model and prints `prepared`, or the error
///     HostProbe check FOLDER            reads a model's files and prints how many MB that took at most
///     HostProbe host                    loads a scripted engine in a helper and prints `hosted`, or the error
///     HostProbe host-model FOLDER       loads a model in a helper and prints `hosted`, or the error
///     HostProbe host-text AUDIO FOLDER  recognizes 16-bit samples with a hosted model and prints what a session tells
///     HostProbe host-kills COUNT SEED   kills helpers at random moments and prints what went wrong
///     HostProbe host-and-die            does the same, prints the helper's number and kills itself
///     HostProbe library                 loads sherpa-onnx and prints its version and path, or the error; again for each
///                                       line of standard input
///
/// `PROBE_LOG` names a file that gets a line for each `main` that is reached. With `PROBE_FORGETS` it never becomes a
/// helper, and with `PROBE_IGNORES_CHILDREN` it is not told of its helper's end.
@main struct HostProbe {
    static func main() async {
        let environment = ProcessInfo.processInfo.environment
        if environment["PROBE_FORGETS"] == nil { DictationHost.runIfAsked() }
        if let log = environment["PROBE_LOG"] { append("main\n", to: log) }
        if environment["PROBE_IGNORES_CHILDREN"] != nil { signal(SIGCHLD, SIG_IGN) }
        let arguments = Array(CommandLine.arguments.dropFirst())
        do {
            if arguments.first == "check" {
                let before = try peak()
                let model = try? SherpaOnnxModel(folder: arguments.last ?? "")
                print(model == nil ? "refused" : "taken", try peak() - before)
            } else if arguments.first == "host-model" {
                let model = try SherpaOnnxModel(folder: arguments.last ?? "")
                try await HostedEngine(.sherpaOnnx(model, locales: ["en-US"])).prepare(.liveDictation())
                print("hosted")
            } else if arguments.first == "host-kills", let count = Int(arguments[1]), let seed = UInt64(arguments[2]) {
                for line in try await KillTrial(count: count, seed: seed).run() { print(line) }
            } else if arguments.first == "host-text", arguments.count == 3 {
                try await recognize(arguments[1], with: SherpaOnnxModel(folder: arguments[2]))
            } else if arguments.first?.hasPrefix("host") == true {
                try await host(thenDies: arguments.first == "host-and-die")
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

    private static func host(thenDies: Bool) async throws {
        let session = try await HostedEngine(.scripted()).makeSession(.liveDictation())
        guard thenDies else { return print("hosted") }
        // The thread that started the helper has it as its child.
        for thread in try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task") {
            let children = try? String(contentsOfFile: "/proc/self/task/\(thread)/children", encoding: .utf8)
            FileHandle.standardOutput.write(Data((children ?? "").utf8))
        }
        await session.cancel()
        kill(getpid(), SIGKILL)
    }

    private static func recognize(_ file: String, with model: SherpaOnnxModel) async throws {
        var configuration = HostedEngine.Configuration()
        configuration.progressTimeout = .seconds(3)
        configuration.memoryLimit = 300 << 20
        let engine = HostedEngine(try .sherpaOnnx(model, locales: ["en-US"]), configuration: configuration)
        var options = RecognitionOptions.liveDictation()
        options.finalizationTimeout = .seconds(120)
        let session = try await engine.makeSession(options)
        let bytes = try Data(contentsOf: URL(filePath: file))
        let samples = bytes.withUnsafeBytes { Array($0.bindMemory(to: Int16.self)) }
        let buffers = stride(from: 0, to: samples.count, by: 1_600).map { start in
            AudioBuffer(
                Array(samples[start..<min(start + 1_600, samples.count)]), start: .milliseconds(start / 16))
        }
        try session.start(AudioInput(buffers))
        for try await update in session.results {
            switch update {
            case .final(let result): print("final", result.text)
            case .interrupted(let interruption):
                let lost = interruption.lost.map {
                    "lost \($0.lowerBound / .seconds(1)) \($0.upperBound / .seconds(1)) "
                }
                print("interrupted \(lost ?? "")\(interruption.cause)")
            case .volatile, .revoked, .finalized: break
            }
        }
        _ = try await session.finish()
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

    private static func append(_ line: String, to path: String) {
        let file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        _ = write(file, line, line.utf8.count)
        close(file)
    }
}
