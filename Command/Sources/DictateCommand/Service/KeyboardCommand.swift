import DictationCore
@_spi(Command) import DictationDesktop
import DictationService

extension Options {
    static let holdKey = Option<String>(
        text: "hold-key", "KEY", "The key that records while it is held, such as Control_R. Default: F8.")
    static let toggleKey = Option<String>(
        text: "toggle-key", "KEY", "A key that begins and ends a take, such as Ctrl+Alt+d. Default: none.")
    static let folder = Option<String>(
        text: "folder", "FOLDER", "Install into this folder. Default: \(IBusInstallation.standardFolder).",
        completion: .files)
    static let select = Flag("select", "Make it the active keyboard at once.")
}

extension Command {
    static let keyboard: Command = Command(
        name: "keyboard", abstract: "Be a keyboard of IBus that writes what you say where the cursor is.",
        discussion: """
            While this is the active keyboard, a key dictates into the field that has the focus, and
            Escape cancels. Text goes into the field where the take began, and never into a password.
            Install it once, run “ibus restart”, and add “Dictation” in the desktop's settings.
            IBus then starts it.
            """,
        operands: KeyboardAction.operands, flags: [Options.select],
        options: [
            Options.holdKey.spec, Options.toggleKey.spec, Options.profile.spec, Options.socket.spec,
            Options.folder.spec,
        ]
    ) { invocation, console in
        let keys = IBusKeyboard.Keys(
            hold: try KeyboardKey(try invocation.value(Options.holdKey) ?? "F8"),
            toggle: try invocation.value(Options.toggleKey).map { name throws(DictationError) in try KeyboardKey(name) }
        )
        if let action = invocation.operands.first {
            return try KeyboardAction(action).perform(invocation, console)
        }
        let keyboard = try IBusKeyboard(
            control: StartingControl(client: try ServiceClient(invocation, console)),
            profile: try invocation.value(Options.profile), keys: keys, isSelected: invocation.has(Options.select))
        let running = DictationRuntime.current.task { () -> DictationError? in
            do throws(DictationError) { try await keyboard.run() } catch { return error }
            return nil
        }
        console.signals.receive { running.cancel() }
        if let error = await running.value { throw error }
        return .done
    }
}

/// What `dictate keyboard ACTION` does with the installation, instead of being a keyboard.
private enum KeyboardAction: String, CaseIterable {
    case install, uninstall

    static let operands = Command.Operands(
        placeholder: "ACTION",
        help: """
            install tells IBus of the keyboard, with the other options, for all users, so it needs sudo; uninstall undoes \
            that.
            """,
        completion: .words(allCases.map(\.rawValue)), counts: 0...1)

    init(_ name: String) throws(UsageError) {
        guard let action = Self(rawValue: name) else {
            let hint = nearest(name, of: Self.allCases.map(\.rawValue)).map { " Did you mean “\($0)”?" } ?? ""
            throw UsageError("There is no action “\(name)”.\(hint)", command: "keyboard")
        }
        self = action
    }

    func perform(_ invocation: Invocation, _ console: Console) throws -> ExitCode {
        let folder = try invocation.value(Options.folder) ?? IBusInstallation.standardFolder
        let arguments = invocation.written.filter { !$0.hasPrefix("--folder=") }
        let installation = try IBusInstallation(
            program: ServiceAction.program, arguments: ["keyboard"] + arguments, folder: folder)
        switch self {
        case .install:
            try installation.install()
            console.say("Installed \(installation.path.visible)")
            console.say("Run “ibus restart”, and add “Dictation” in the desktop's settings of input sources.")
        case .uninstall:
            try installation.uninstall()
            console.say("The keyboard is no longer installed.")
        }
        return .done
    }
}

/// The service, which is started when the keyboard needs it.
private struct StartingControl: DictationControl {
    let client: ServiceClient

    func perform(_ intent: DictationIntent) async throws(DictationError) -> DictationAnswer {
        try await client.perform(intent)
    }

    func hold(profile: String?) async throws(DictationError) -> DictationHold {
        try await client.startingService { client throws(DictationError) in try await client.hold(profile: profile) }
    }

    func statusUpdates() async throws(DictationError) -> ServiceStatus.Updates {
        try await client.client.statusUpdates()
    }
}
