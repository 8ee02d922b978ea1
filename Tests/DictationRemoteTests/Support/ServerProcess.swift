import Foundation
import Testing

/// A server in a process of its own.
final class ServerProcess: Sendable {
    let port: Int
    let wyomingPort: Int
    private let process: Process
    private let input = Pipe()

    init() throws {
        process = Process()
        process.executableURL = Bundle.main.executableURL?.deletingLastPathComponent().appending(path: "ServerProbe")
        let output = Pipe()
        process.standardOutput = output
        process.standardInput = input
        try process.run()
        let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        let ports = line.split(whereSeparator: \.isWhitespace).compactMap { Int($0) }
        try #require(ports.count == 2, "\(line)")
        (port, wyomingPort) = (ports[0], ports[1])
    }

    deinit { process.terminate() }

    func kill() { Glibc.kill(process.processIdentifier, SIGKILL) }
    func stop() { input.fileHandleForWriting.write(Data("stop\n".utf8)) }

    /// The most memory that the process has used so far, in megabytes.
    func peakMegabytes() throws -> Int {
        let status = try String(contentsOfFile: "/proc/\(process.processIdentifier)/status", encoding: .utf8)
        let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") })
        return try #require(line.split(separator: " ").compactMap { Int($0) }.first) >> 10
    }
}
