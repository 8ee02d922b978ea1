import Foundation
import Synchronization
import TestSupport
import Testing

/// A desktop without a screen, with a real ibus-daemon.
final class InputDesktop: Sendable {
    let folder: TemporaryFolder
    private let program: TalkingProgram
    private let lines: Lines

    private final class Lines: Sendable {
        let all = Mutex<[String]>([])
    }

    init() async throws {
        folder = try TemporaryFolder()
        let lines = Lines()
        self.lines = lines
        program = try TalkingProgram("desktop.py", [folder.path]) { line in lines.all.withLock { $0.append(line) } }
        try #require(
            await eventually { lines.all.withLock { !$0.isEmpty } },
            "Xvfb and ibus-daemon did not start. Scripts/install-dependencies installs them.")
    }

    private var display: String { lines.all.withLock { $0.first ?? "" } }

    /// What programs on this desktop have in their environment.
    var environment: [String: String] {
        [
            "DISPLAY": display, "IBUS_ADDRESS_FILE": folder.file("address"), "XDG_CONFIG_HOME": folder.path,
            "XDG_CACHE_HOME": folder.path, "GTK_IM_MODULE": "ibus", "QT_IM_MODULE": "ibus", "GDK_BACKEND": "x11",
            "QT_QPA_PLATFORM": "xcb", "NO_AT_BRIDGE": "1", "XDG_RUNTIME_DIR": folder.path,
        ]
    }

    /// Kills or starts ibus-daemon, and waits until that is done.
    func ibus(_ action: String) async throws {
        let count = lines.all.withLock { $0.count }
        program.send(action)
        let lines = lines
        try #require(await eventually { lines.all.withLock { $0.count > count } }, "ibus-daemon: \(action)")
    }

    /// Presses or releases a key, as a keyboard of the computer would.
    func key(_ action: String, _ name: String) async throws {
        let answer = try await output(of: "/usr/bin/xdotool", [action, name], environment: environment)
        #expect(answer == "")
    }
}

/// A window with fields, in a program of its own.
final class FieldProgram: Sendable {
    struct State: Sendable {
        var texts: [String: String] = [:]
        var previews: [String: [String]] = [:]
        /// When each text was in its field, on the system's monotonic clock, in nanoseconds.
        var changes: [(field: String, text: String, time: UInt64)] = []
        var focus: String?
        var isReady = false
        var answers = 0
    }

    private final class Seen: Sendable {
        let state = Mutex(State())
    }

    private let program: TalkingProgram
    private let seen: Seen

    /// - Parameter toolkit: `gtk` or `qt`.
    init(_ toolkit: String, on desktop: InputDesktop) async throws {
        let seen = Seen()
        self.seen = seen
        program = try TalkingProgram(toolkit + "_fields.py", environment: desktop.environment) { line in
            guard let event = try? JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any] else { return }
            seen.state.withLock { Self.note(event, in: &$0) }
        }
        try #require(
            await eventually { seen.state.withLock { $0.isReady } },
            "The window of \(toolkit) did not open. Scripts/install-dependencies installs what it needs.")
    }

    private static func note(_ event: [String: Any], in state: inout State) {
        let (field, text) = (event["field"] as? String ?? "", event["text"] as? String ?? "")
        switch event["event"] as? String {
        case "text":
            state.texts[field] = text
            state.changes.append((field, text, (event["time"] as? NSNumber)?.uint64Value ?? 0))
        case "preedit": state.previews[field, default: []].append(text)
        case "focus": state.focus = field
        case "ready": state.isReady = true
        case "done": state.answers += 1
        default: break
        }
    }

    var state: State { seen.state.withLock { $0 } }
    func text(_ field: String) -> String { state.texts[field] ?? "" }
    func previews(_ field: String) -> [String] { state.previews[field] ?? [] }

    /// Sends a command, and waits until it is done.
    func send(_ command: String) async throws {
        let count = state.answers
        program.send(command)
        let seen = seen
        try #require(await eventually { seen.state.withLock { $0.answers > count } }, "no answer to “\(command)”")
    }

    /// Waits until a field has a text; returns the text that it has at last.
    func eventualText(_ field: String, _ expected: @escaping @Sendable (String) -> Bool) async -> String {
        let seen = seen
        _ = await eventually { seen.state.withLock { expected($0.texts[field] ?? "") } }
        return text(field)
    }

    func kill() { program.kill() }
}
