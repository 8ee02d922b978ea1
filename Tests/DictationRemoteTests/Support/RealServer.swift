import Foundation
import TestSupport
import Testing

/// A speech server that nobody here wrote, in a network of its own. Releasing it ends the server.
final class RealServer: Sendable {
    private let process = Process()
    private let input = Pipe()
    private let folder: TemporaryFolder
    /// The path of the unix socket that leads to the server.
    let socket: String

    static let package = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()
    /// The folder with the servers, which the scripts install.
    static let packages = package.appending(path: ".build/speech-servers").path

    /// Starts a server, and waits until it takes connections.
    ///
    /// - Parameters:
    ///   - command: The server, as a path in its Python package, and its arguments.
    ///   - port: The port that the server listens on.
    init(_ command: [String], port: Int) throws {
        try #require(
            FileManager.default.fileExists(atPath: Self.packages),
            "Source Scripts/environment and run install_remote_peers first.")
        folder = try TemporaryFolder()
        socket = folder.file("server.sock")
        process.executableURL = URL(filePath: "/usr/bin/unshare")
        process.arguments =
            ["--map-root-user", "--net", Self.package.appending(path: "Tests/SpeechServers/serve").path, socket]
            + ["\(port)"] + command
        process.environment = ProcessInfo.processInfo.environment.merging([
            "PYTHONPATH": Self.packages, "PYTHONDONTWRITEBYTECODE": "1", "OMP_NUM_THREADS": "1",
            "LD_LIBRARY_PATH": Self.packages + "/sherpa_onnx/lib",
        ]) { $1 }
        let output = Pipe()
        process.standardInput = input
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        try #require(line.hasPrefix("ready"), "The server “\(command.joined(separator: " "))” did not start.")
    }

    deinit {
        try? input.fileHandleForWriting.close()
        process.waitUntilExit()
    }
}
