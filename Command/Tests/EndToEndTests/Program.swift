import Foundation
import Testing

/// The exit code and the output of a program.
struct Outcome: Sendable {
    /// The exit code; 124 if the program took too long and was ended.
    let status: Int32
    let output: String
    let errors: String
}

/// Runs the built command, and other programs that check its output.
enum Program {
    /// The path of the command, which is beside the tests.
    static let dictate: String = {
        var folder = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
        while folder.path != "/" {
            let candidate = folder.appending(path: "dictate").path
            var isFolder: ObjCBool = false
            if FileManager.default.fileExists(atPath: candidate, isDirectory: &isFolder), !isFolder.boolValue {
                return candidate
            }
            folder.deleteLastPathComponent()
        }
        return "dictate"
    }()

    static let fixtures = Bundle.module.bundlePath + "/Fixtures"
    static let script = fixtures + "/script.json"

    /// Runs the command to its end.
    static func run(
        _ arguments: [String], input: String? = nil, environment: [String: String] = [:], within limit: Double = 180
    ) async throws -> Outcome {
        try await run(dictate, arguments, input: input, environment: environment, within: limit)
    }

    /// Runs a bash script in which `$dictate` is the command.
    static func bash(_ line: String, environment: [String: String] = [:], within limit: Double = 180) async throws
        -> Outcome
    {
        try await run(
            "/bin/bash", ["-c", line],
            environment: environment.merging(["dictate": dictate, "script": script, "fixtures": fixtures]) { $1 },
            within: limit)
    }

    /// Lines of bash that wait until the program in the background has written a word to one of its files. The files
    /// need no names. What it only reads, such as its libraries while it starts and its script, may have any word.
    static func waitUntilWritten(_ word: String) -> String {
        """
        written() {
            find -L /proc/$1/fd -type f 2>/dev/null | while read -r file; do
                case "$(readlink "$file")" in *.so*|*/Fixtures/*) ;; *) echo "$file" ;; esac
            done
        }
        for _ in $(seq 600); do
            grep -qs '\(word)' $(written $!) /dev/null && break; sleep 0.05
        done
        """
    }

    /// Runs a Python script, for checks of the output.
    static func python(_ arguments: [String], within limit: Double = 180) async throws -> Outcome {
        try await run("/usr/bin/python3", arguments, within: limit)
    }

    static func run(
        _ path: String, _ arguments: [String], input: String? = nil, environment: [String: String] = [:],
        within limit: Double = 180
    ) async throws -> Outcome {
        try #require(
            FileManager.default.isExecutableFile(atPath: path),
            "\(path) is missing; Scripts/install-dependencies installs what the tests need.")
        let folder = try Folder()
        let streams = [input ?? "/dev/null", folder.file("output"), folder.file("errors")]
        let line = ["/usr/bin/timeout", "--foreground", "--kill-after=2", "\(limit)", path] + arguments
        var environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        // The environment of an installed command.
        environment["PATH"] = "\(URL(filePath: dictate).deletingLastPathComponent().path):\(environment["PATH"] ?? "")"
        let variables = environment.map { "\($0)=\($1)" }
        let status: Int32 = try await withCheckedThrowingContinuation { continuation in
            // A thread waits only for the child. Foundation's Process would also wait for the child's own children.
            Thread { continuation.resume(with: Result { try spawn(line, variables, streams) }) }.start()
        }
        let outcome = Outcome(status: status, output: try folder.text("output"), errors: try folder.text("errors"))
        if outcome.status == 124 { Issue.record("\(path) \(arguments) did not end within \(limit) s: \(outcome)") }
        return outcome
    }
}

/// Runs a program with files as its streams, and waits for its end.
private func spawn(_ line: [String], _ variables: [String], _ streams: [String]) throws -> Int32 {
    var files = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&files)
    defer { posix_spawn_file_actions_destroy(&files) }
    for (descriptor, path) in streams.enumerated() {
        let flags = descriptor == 0 ? O_RDONLY : O_WRONLY | O_CREAT | O_TRUNC
        posix_spawn_file_actions_addopen(&files, Int32(descriptor), path, flags, 0o644)
    }
    // The threads of the test runner block signals, and a child would inherit that.
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var none = sigset_t()
    sigemptyset(&none)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
    let arguments = line.map { strdup($0) } + [nil]
    let environment = variables.map { strdup($0) } + [nil]
    defer { for text in arguments + environment { free(text) } }
    var process = pid_t()
    let code = posix_spawn(&process, line[0], &files, &attributes, arguments, environment)
    guard code == 0 else { throw POSIXError(POSIXErrorCode(rawValue: code) ?? .EINVAL) }
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0, errno == EINTR {}
    let signal = status & 0x7F
    return signal == 0 ? status >> 8 & 0xFF : 128 + signal
}

/// A temporary folder, deleted when its last reference is released.
final class Folder: Sendable {
    let path: String

    init() throws {
        path = NSTemporaryDirectory() + "dictate-test-\(UUID().uuidString)"
        // Whatever the umask, others can't write to it.
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o755])
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func file(_ name: String) -> String { path + "/" + name }

    func text(_ name: String) throws -> String {
        String(decoding: try Data(contentsOf: URL(filePath: file(name))), as: UTF8.self)
    }

    var names: [String] { ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted() }

    /// Creates a WAV file with a quiet tone, in mono at 16 kHz.
    func tone(_ name: String = "tone.wav", seconds: Double) throws -> String {
        let frames = Int(seconds * 16_000)
        func bytes(_ number: UInt32) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) } }
        var data: [UInt8] = Array("RIFF".utf8) + bytes(UInt32(36 + frames * 2)) + Array("WAVEfmt ".utf8)
        data += bytes(16) + [1, 0, 1, 0] + bytes(16_000) + bytes(32_000) + [2, 0, 16, 0] + Array("data".utf8)
        data += bytes(UInt32(frames * 2))
        for frame in 0..<frames {
            let sample = Int16(3_000 * sin(Double(frame) * 0.17))
            data += [UInt8(truncatingIfNeeded: sample), UInt8(truncatingIfNeeded: sample >> 8)]
        }
        try Data(data).write(to: URL(filePath: file(name)))
        return file(name)
    }
}
