import Foundation
import Testing

/// A Python program with packages that nobody here wrote. It says when it is ready, and ends when this is released.
final class PeerProcess: Sendable {
    private let process = Process()
    private let input = Pipe()
    /// The first line that the program wrote; empty if it ended before that.
    let greeting: String

    private static let package = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()
    /// The folder with the packages, which the scripts install.
    static let packages = package.appending(path: ".build/speech-servers").path

    /// Returns the path of one of the programs that start the servers.
    static func starter(_ name: String) -> String {
        package.appending(path: "Tests/SpeechServers").appending(path: name).path
    }

    /// Starts a program, and waits until it is ready.
    ///
    /// - Parameters:
    ///   - executable: The path of the program.
    ///   - arguments: Its arguments.
    ///   - environment: What it needs beside the environment of the tests.
    ///   - needed: The path of a file or folder without which it can't start.
    init(
        _ executable: String, _ arguments: [String], _ environment: [String: String], needing needed: String = packages
    ) throws {
        try #require(
            FileManager.default.fileExists(atPath: needed),
            "Source Scripts/environment and run install_remote_peers first.")
        process.executableURL = URL(filePath: executable)
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging([
            "PYTHONPATH": Self.packages, "PYTHONDONTWRITEBYTECODE": "1",
        ]) { $1 }.merging(environment) { $1 }
        let output = Pipe()
        process.standardInput = input
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        greeting = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
    }

    deinit {
        try? input.fileHandleForWriting.close()
        process.waitUntilExit()
    }
}
