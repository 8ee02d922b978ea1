import DictationCore
import DictationEngines
import Foundation

@testable import DictationRemote
@testable import DictationServer

/// Runs a program to its end, and returns its status and what it wrote to standard output.
func run(
    _ program: String, _ arguments: [String], environment: [String: String] = [:]
) async throws -> (status: Int32, output: String) {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = [program] + arguments
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardError = pipe
    process.standardInput = FileHandle.nullDevice
    try process.run()
    let work = BlockingWork("program")
    let output = try await work.run { () throws(DictationError) in
        (try? pipe.fileHandleForReading.readToEnd()) ?? Data()
    }
    process.waitUntilExit()
    return (process.terminationStatus, String(decoding: output, as: UTF8.self))
}

/// A server of a test, and the client “curl”, which knows nothing of it.
struct ServerProgram {
    let server: DictationServer
    let log = Watched<[DictationServer.Configuration.LogEntry]>([])

    init(
        _ engine: any SpeechEngine = ScriptedEngine(), wyoming: Bool = false,
        _ change: (inout DictationServer.Configuration) -> Void = { _ in }
    ) throws {
        var configuration = DictationServer.Configuration()
        configuration.http = .init(port: 0)
        if wyoming { configuration.wyoming = .init(port: 0) }
        configuration.log = { [log] entry in log.change { $0.append(entry) } }
        change(&configuration)
        server = try DictationServer(
            [ServedModel("scripted", aliases: ["whisper-1"], engine: engine)], configuration)
    }

    var address: String { "http://127.0.0.1:\(server.httpPort ?? 0)" }

    /// Asks for a path, and returns the status and the body.
    func curl(_ path: String, _ arguments: [String] = []) async throws -> (status: Int, body: String) {
        let (_, output) = try await run(
            "curl", ["-q", "--silent", "--max-time", "60", "--write-out", "\n%{http_code}", address + path] + arguments)
        let lines = output.split(separator: "\n", omittingEmptySubsequences: false)
        return (Int(lines.last ?? "") ?? 0, lines.dropLast().joined(separator: "\n"))
    }

    /// Has a recording transcribed.
    ///
    /// - Parameter headers: Whether the headers of the answer stand before its body.
    func transcribe(
        _ recording: String, _ fields: [String] = ["model=scripted"], headers: Bool = false
    ) async throws -> (status: Int, body: String) {
        let form = (["file=@\(recording)"] + fields).flatMap { ["--form", $0] }
        return try await curl("/v1/audio/transcriptions", form + (headers ? ["--include"] : []))
    }
}

/// Writes a WAV file with a tone, and returns its path.
func writeTone(_ duration: Duration, in folder: String, rate: Int = 16_000) throws -> String {
    let count = Int(AudioFormat(sampleRate: rate).frames(in: duration))
    var bytes = Array("RIFF".utf8)
    func number(_ value: Int, _ size: Int) -> [UInt8] { (0..<size).map { UInt8(value >> (8 * $0) & 255) } }
    bytes += number(36 + count * 2, 4) + Array("WAVEfmt ".utf8) + number(16, 4) + number(1, 2) + number(1, 2)
    bytes += number(rate, 4) + number(rate * 2, 4) + number(2, 2) + number(16, 2)
    bytes += Array("data".utf8) + number(count * 2, 4)
    for index in 0..<count { bytes += number((index * 440 % rate) * 8_000 / rate, 2) }
    let path = folder + "/tone-\(rate).wav"
    try Data(bytes).write(to: URL(filePath: path))
    return path
}
