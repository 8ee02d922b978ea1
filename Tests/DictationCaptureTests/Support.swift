import DictationCapture
import DictationCore
import Foundation
import Glibc
import Synchronization
import Testing

/// A folder that goes away with the test.
final class TemporaryFolder: Sendable {
    let path: String

    init() {
        path = FileManager.default.temporaryDirectory.path + "/dictation-" + UUID().uuidString
        try? FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func callAsFunction(_ name: String) -> String { path + "/" + name }
}

/// A process that ends with the test.
final class Child: Sendable {
    private let process: Mutex<Process>
    private let lines = Watched<[String]>([])
    private let hasEnded = Watched(false)

    init(_ executable: String, _ arguments: [String] = [], environment: [String: String] = [:]) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: executable)
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = pipe
        let partial = Mutex("")
        pipe.fileHandleForReading.readabilityHandler = { [lines, hasEnded] handle in
            let data = handle.availableData
            guard !data.isEmpty else {
                handle.readabilityHandler = nil
                let rest = partial.withLock { $0 }
                lines.change { if !rest.isEmpty { $0.append(rest) } }
                hasEnded.change { $0 = true }
                return
            }
            let whole = partial.withLock { partial -> [String] in
                var pieces = (partial + String(decoding: data, as: UTF8.self))
                    .split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
                partial = pieces.removeLast()
                return pieces
            }
            lines.change { $0 += whole }
        }
        try process.run()
        self.process = Mutex(process)
    }

    deinit { kill() }

    /// The executable that is built beside the tests.
    static func built(_ name: String) -> String {
        let tests = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        // Swift Testing runs inside a runner elsewhere; the bundle is what the runner was told to load.
        let bundle = CommandLine.arguments.first { $0.hasSuffix(".xctest") } ?? tests.path
        return URL(fileURLWithPath: bundle).deletingLastPathComponent().appendingPathComponent(name).path
    }

    var output: [String] { lines.value }
    func kill() { process.withLock { if $0.isRunning { Glibc.kill($0.processIdentifier, SIGKILL) } } }
    var processID: Int32 { process.withLock { $0.processIdentifier } }

    /// Waits for a line that the closure accepts; `nil` when it does not come in time or the output ends.
    func line(within limit: Duration = .seconds(20), where isWanted: @escaping @Sendable (String) -> Bool) async
        -> String?
    {
        await DictationRuntime.system.within(limit) { [lines] in
            await lines.first { $0.first(where: isWanted) }
        } ?? nil
    }

    /// Waits for the end and gives everything that was printed.
    func end(within limit: Duration = .seconds(60)) async -> [String]? {
        let ended = await DictationRuntime.system.within(limit) { [hasEnded] in await hasEnded.first { $0 ? true : nil }
        }
        return ended == nil ? nil : output
    }
}

/// Waits until a condition holds; `false` when it does not in time.
func eventually(within limit: Duration = .seconds(10), _ condition: @escaping @Sendable () -> Bool) async -> Bool {
    let runtime = DictationRuntime.system
    return await runtime.within(limit) {
        while !condition() { try? await runtime.sleep(.milliseconds(5)) }
        return true
    } ?? false
}
