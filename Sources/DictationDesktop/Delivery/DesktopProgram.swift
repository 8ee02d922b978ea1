import DictationCore
import DictationSystem
import DictationText

/// A program of the desktop that delivers text, such as wtype.
struct DesktopProgram: Sendable {
    let name: String
    /// What to install when it is missing.
    let package: String
    /// The variables that name the desktop, and folders to search before the usual ones in `PATH`. The locale makes the
    /// program read UTF-8.
    let environment: [String: String]

    init(_ name: String, package: String, _ environment: [String: String]) {
        (self.name, self.package) = (name, package)
        self.environment = environment.merging(["LC_ALL": "C.UTF-8"]) { $1 }
    }

    /// - Throws: `unsupportedOption` if the program is not installed.
    var path: String {
        get throws(DictationError) {
            let folders = (environment["PATH"] ?? "").split(separator: ":").map(String.init)
            guard let path = InstalledProgram.path(of: name, in: folders) else {
                throw DictationError(
                    .unsupportedOption, "“\(name)” is not installed.", recovery: "Install the package \(package).")
            }
            return path
        }
    }

    /// Runs the program and returns its output.
    ///
    /// - Parameter leavesProcesses: Whether a part of it goes on, to serve the clipboard.
    func run(
        _ arguments: [String], input: [UInt8] = [], timeout: Duration = .seconds(10), leavesProcesses: Bool = false
    ) async throws(DictationError) -> [UInt8] {
        try await program(arguments, timeout, leavesProcesses).run(bytes: input)
    }

    /// Runs the program on the calling thread.
    @discardableResult
    func runBlocking(
        _ arguments: [String], input: [UInt8] = [], timeout: Duration = .seconds(10)
    ) throws(DictationError) -> [UInt8] {
        try program(arguments, timeout, false).runBlocking(input)
    }

    private func program(
        _ arguments: [String], _ timeout: Duration, _ leavesProcesses: Bool
    ) throws(DictationError) -> FilterProgram {
        FilterProgram(
            arguments: [try path] + arguments, timeout: timeout, outputLimit: 64 << 20, variables: environment,
            leavesProcesses: leavesProcesses)
    }
}

/// The environment variables that name the user's desktop.
enum DesktopEnvironment {
    private static let names = [
        "DISPLAY", "XAUTHORITY", "WAYLAND_DISPLAY", "XDG_RUNTIME_DIR", "SWAYSOCK", "HOME",
    ]

    /// The variables of this process.
    static var own: [String: String] {
        var own: [String: String] = [:]
        for name in names { own[name] = TrustedEnvironment.value(of: name) }
        return own
    }
}
