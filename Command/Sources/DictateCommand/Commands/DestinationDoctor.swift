import DictationCore
import DictationDesktop
import DictationService
import Glibc

/// Checks where the text of a take can go on this desktop.
struct DestinationDoctor {
    private let file: SettingsFile

    init(_ file: SettingsFile) { self.file = file }

    /// Says which destinations work here, and to which the settings deliver.
    func examine(_ write: (String) throws -> Void) async throws {
        try write("Destinations\n")
        let settings: ServiceSettings
        do throws(DictationError) { settings = try file.read() } catch {
            try write(Doctor.problem("settings", error))
            return
        }
        let wanted = Set(([settings.usual] + settings.profiles.values).flatMap(\.deliveryDestinations))
        var needDesktop: [ProfileSettings.Destination] = []
        for name in ProfileSettings.Destination.allCases {
            switch await problem(name, settings.usual) {
            case nil: try write("  ✔ \(name.rawValue)\n")
            case let error? where wanted.contains(name): try write(Doctor.problem(name.rawValue, error))
            case _? where name.needsDesktop && !Self.hasDesktop: needDesktop.append(name)
            case let error?: try write(Doctor.problem(name.rawValue, error, isUsed: false))
            }
        }
        if !needDesktop.isEmpty {
            let names = needDesktop.map(\.rawValue).joined(separator: ", ")
            try write("    \(names): only in a desktop, and none is running here\n")
        }
        let used = settings.usual.deliveryDestinations.map(\.rawValue).joined(separator: ", then ")
        try write(
            used.isEmpty
                ? "    → The settings deliver to none of them. “dictate help settings” tells how to set “deliver.to”.\n"
                : "    The settings deliver to \(used).\n")
    }

    private static var hasDesktop: Bool { getenv("WAYLAND_DISPLAY") != nil || getenv("DISPLAY") != nil }

    private func problem(_ name: ProfileSettings.Destination, _ settings: ProfileSettings) async -> DictationError? {
        do throws(DictationError) { return try await settings.destination(name, folder: file.folder).problem() } catch {
            return error
        }
    }

    // MARK: Typing

    /// Letters of several scripts, a combining mark, and the first letter that some programs lose.
    static let testText = "First é Ж 日本 😀 e\u{301} last"

    /// Types into this terminal, which has the focus, and checks what arrives.
    func type(_ console: Console) async throws -> ExitCode {
        guard let terminal = TypedTerminal() else {
            throw DictationError(
                .invalidInput, "The test text goes to a terminal, and the standard input is none.",
                recovery: "Run “dictate doctor --type” in a terminal of the desktop.")
        }
        defer { terminal.restore() }
        let settings = try file.read().usual
        var works = false
        for name in [ProfileSettings.Destination.wtype, .xdotool] {
            let destination = try settings.destination(name, folder: file.folder)
            if let error = await destination.problem() {
                try console.output.write(Doctor.problem(name.rawValue, error))
                continue
            }
            let transcript = Transcript(segments: [SpeechResult(range: .zero ..< .zero, text: Self.testText)])
            let text = DictatedText(take: TakeID(number: 0), transcript: transcript)
            let outcome = await destination.deliver(text, into: await destination.focusedField())
            let arrived = await terminal.read(expecting: Self.testText)
            if outcome == .delivered, arrived == Self.testText {
                works = true
                try console.output.write("  ✔ \(name.rawValue): the text arrived.\n")
            } else {
                let reason = outcome.reason ?? (outcome == .noField ? "Nothing has the focus." : "It said that it did.")
                let typed = "“\(arrived.visible)” arrived instead of “\(Self.testText)”."
                try console.output.write(
                    "  ✘ \(name.rawValue): \(typed) \(reason.visible)\n"
                        + "      → Keep the focus in this terminal, and try again.\n")
            }
        }
        return works ? .done : .someFailed
    }
}

extension ProfileSettings.Destination {
    fileprivate var needsDesktop: Bool {
        switch self {
        case .keyboard, .wtype, .xdotool, .paste, .clipboard: true
        case .output, .file, .command: false
        }
    }
}

/// A terminal that shows nothing of what is typed, and gives it at once.
private struct TypedTerminal {
    private let settings: termios

    /// `nil` if the standard input is no terminal.
    init?() {
        var settings = termios()
        guard tcgetattr(STDIN_FILENO, &settings) == 0 else { return nil }
        self.settings = settings
        settings.c_lflag &= ~tcflag_t(ECHO | ICANON)
        tcsetattr(STDIN_FILENO, TCSAFLUSH, &settings)
    }

    func restore() {
        var settings = settings
        tcsetattr(STDIN_FILENO, TCSAFLUSH, &settings)
    }

    /// Reads until a text has come, or nothing comes for two seconds.
    func read(expecting text: String) async -> String {
        await Task(executorPreference: DictationRuntime.current.blockingExecutor("terminal")) {
            var bytes: [UInt8] = []
            var block = [UInt8](repeating: 0, count: 4_096)
            while bytes.count < text.utf8.count {
                var wait = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
                guard poll(&wait, 1, 2_000) > 0 else { break }
                let count = Glibc.read(STDIN_FILENO, &block, block.count)
                guard count > 0 else { break }
                bytes += block[..<count]
            }
            return String(decoding: bytes, as: UTF8.self)
        }.value
    }
}
