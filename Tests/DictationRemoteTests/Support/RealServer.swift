import TestSupport
import Testing

/// A speech server that nobody here wrote, in a network of its own. Releasing it ends the server.
final class RealServer: Sendable {
    private let process: PeerProcess
    private let folder: TemporaryFolder
    /// The path of the unix socket that leads to the server.
    let socket: String

    /// Starts a server, and waits until it takes connections.
    ///
    /// - Parameters:
    ///   - command: The server, as a path in its Python package, and its arguments.
    ///   - port: The port that the server listens on.
    init(_ command: [String], port: Int) throws {
        folder = try TemporaryFolder()
        socket = folder.file("server.sock")
        process = try PeerProcess(
            "/usr/bin/unshare",
            ["--map-root-user", "--net", PeerProcess.starter("serve"), socket, "\(port)"] + command,
            ["OMP_NUM_THREADS": "1", "LD_LIBRARY_PATH": PeerProcess.packages + "/sherpa_onnx/lib"])
        try #require(
            process.greeting.hasPrefix("ready"), "The server “\(command.joined(separator: " "))” did not start.")
    }
}
