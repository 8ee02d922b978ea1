import DictationCore
import DictationDesktop
import DictationService
import Glibc

/// What `dictate service ACTION` does with the installation, instead of serving.
enum ServiceAction: String, Sendable, CaseIterable {
    case install, uninstall, status, logs

    static let operands = Command.Operands(
        placeholder: "ACTION",
        help: """
            install lets systemd and D-Bus start the service when it is needed, with the other options; uninstall undoes \
            that; status tells whether it is installed and running; logs prints its messages.
            """,
        completion: .words(allCases.map(\.rawValue)), counts: 0...1)

    init(_ name: String) throws(UsageError) {
        guard let action = Self(rawValue: name) else {
            let names = Self.allCases.map(\.rawValue)
            let hint = nearest(name, of: names).map { " Did you mean “\($0)”?" } ?? ""
            throw UsageError("There is no action “\(name)”.\(hint)", command: "service")
        }
        self = action
    }

    func perform(_ invocation: Invocation, _ console: Console) async throws -> ExitCode {
        switch self {
        case .install: try await install(invocation, console)
        case .uninstall: try await uninstall(console)
        case .status: try await showStatus(invocation, console)
        case .logs: try await showLogs(invocation, console)
        }
    }

    private func install(_ invocation: Invocation, _ console: Console) async throws -> ExitCode {
        guard try invocation.value(Options.socket) == nil else {
            throw UsageError("An installed service always has the usual socket.", command: "service")
        }
        let installation = try ServiceInstallation(
            program: Self.program, arguments: ["service", "--quiet"] + invocation.written)
        guard await Self.systemctl(["show-environment"], isQuiet: true) else {
            console.complain(
                "No systemd runs for this user, so nothing was installed. “dictate toggle” starts the service without it "
                    + "as well.")
            return .someFailed
        }
        let wasInstalled = installation.isInstalled
        try installation.install()
        for words in [["daemon-reload"], ["enable", "--now", ServiceInstallation.socketUnit]] {
            guard await Self.systemctl(words) else {
                if !wasInstalled { try installation.uninstall() }
                console.complain(
                    "systemd did not take the units\(wasInstalled ? "" : ", so they were removed again"). “dictate toggle” "
                        + "starts the service without it as well.")
                return .someFailed
            }
        }
        for file in installation.files { console.say("Installed " + file.path.visible) }
        console.say("The service starts when a key, a bar or another program asks it.")
        return .done
    }

    private func uninstall(_ console: Console) async throws -> ExitCode {
        let installation = try ServiceInstallation(program: Self.program)
        guard installation.files.contains(where: { access($0.path, F_OK) == 0 }) else {
            console.say("The service is not installed.")
            return .done
        }
        // Without systemd there is nothing to stop, and nothing to say about it.
        _ = await Self.systemctl(
            ["disable", "--now", ServiceInstallation.socketUnit, ServiceInstallation.serviceUnit], isQuiet: true)
        try installation.uninstall()
        _ = await Self.systemctl(["daemon-reload"], isQuiet: true)
        console.say("The service is no longer installed.")
        return .done
    }

    private func showStatus(_ invocation: Invocation, _ console: Console) async throws -> ExitCode {
        let installation = try ServiceInstallation(program: Self.program)
        try console.output.write(installation.isInstalled ? "installed\n" : "not installed\n")
        // Whoever connects to systemd's socket starts the service, so this looks for its process first.
        guard let process = Self.process(beside: try socketPath(invocation)) else {
            try console.output.write("not running\n")
            return .someFailed
        }
        let status = try await ServiceClient(invocation, console).statusIfRunning()
        try console.output.write("running\t\(process)\t\(status.map { $0.state.rawValue } ?? "ending")\n")
        return .done
    }

    private func showLogs(_ invocation: Invocation, _ console: Console) async throws -> ExitCode {
        if try ServiceInstallation(program: Self.program).isInstalled {
            let code = await ChildProgram.run([
                "journalctl", "--user", "--no-pager", "--lines=200", "--unit=" + ServiceInstallation.serviceUnit,
            ])
            return code == 0 ? .done : .someFailed
        }
        let path = StartedService.logPath(beside: try socketPath(invocation))
        guard let text = Self.text(of: path) else {
            console.complain("There are no messages: no command has started the service in the background.")
            return .someFailed
        }
        try console.output.write(printable(text, keeping: "\n"))
        return .done
    }

    /// The number of the process that serves at a socket; `nil` if none does.
    ///
    /// The process has the lock. Trying the lock could keep a service that starts at this moment from having it.
    private static func process(beside socket: String) -> Int? {
        let path = FilePath(socket).folderToOpen + "lock"
        var file = stat()
        guard lstat(path, &file) == 0, let locks = text(of: "/proc/locks"),
            let process = text(of: path)?.split(separator: "\n").first.flatMap({ Int($0) })
        else { return nil }
        let isLocked = locks.split(separator: "\n").contains { line in
            let fields = line.split(separator: " ")
            return fields.count > 5 && fields[4] == "\(process)" && fields[5].hasSuffix(":\(file.st_ino)")
        }
        return isLocked ? process : nil
    }

    private static func text(of path: String) -> String? {
        // Foundation would trust the size that the system gives for its own files, which is 0.
        guard let file = fopen(path, "re") else { return nil }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var block = [UInt8](repeating: 0, count: 4_096)
        while true {
            let count = fread(&block, 1, block.count, file)
            guard count > 0 else { return String(decoding: bytes, as: UTF8.self) }
            bytes += block[..<count]
        }
    }

    private static func systemctl(_ words: [String], isQuiet: Bool = false) async -> Bool {
        await ChildProgram.run(["systemctl", "--user"] + words, isQuiet: isQuiet) == 0
    }

    /// The path of this program.
    static var program: String {
        var path = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink("/proc/self/exe", &path, path.count)
        return String(decoding: path.prefix(max(0, count)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
