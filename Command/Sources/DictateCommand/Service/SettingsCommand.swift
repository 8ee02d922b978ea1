import DictationCore
import DictationDesktop
import DictationService
import DictationText

extension Command {
    static let settings: Command = Command(
        name: "settings", abstract: "Read and change the settings of the service.",
        discussion: """
            The settings are a JSON5 file that you can also write by hand. A change keeps your comments.
            A service that is running uses the new settings from its next take on.
            """,
        list: ("Settings", { ServiceSettings().entries.map { ($0.name, $0.summary) } }),
        subcommands: [getSetting, setSetting, unsetSetting, reloadSettings, settingsPath, settingsSchema])

    private static let getSetting = Command(
        name: "get", abstract: "Print all settings, one, or those of a section such as text.",
        operands: Operands(placeholder: "NAME", help: "The name, such as text.numbers.", counts: 0...1),
        flags: [Options.json], options: [Options.settings.spec]
    ) { invocation, console in
        let file = try settingsFile(invocation)
        let entries = try file.read().entries
        let name = invocation.operands.first
        let section = name.map { name in entries.filter { $0.name.hasPrefix(name + ".") } } ?? entries
        if !section.isEmpty {
            let text =
                invocation.has(Options.json)
                ? "{" + section.map { "\(JSONWriter.encode($0.name)):\($0.json)" }.joined(separator: ",") + "}\n"
                : section.map { "\($0.name)\t\($0.value.visible)\n" }.joined()
            try console.output.write(text)
            return .done
        }
        let wanted = name ?? ""
        guard let entry = entries.first(where: { $0.name == wanted }) else {
            let hint = nearest(wanted, of: entries.map(\.name)).map { " Did you mean “\($0)”?" } ?? ""
            throw UsageError("There is no setting “\(wanted)”.\(hint)", command: invocation.path)
        }
        try console.output.write(
            (invocation.has(Options.json) ? entry.json : entry.value.visible) + "\n")
        return .done
    }

    private static let setSetting = Command(
        name: "set", abstract: "Change a setting.",
        discussion: "The value is a text, or any other value as JSON: true, 30 or null. Several values make a list.",
        operands: Operands(
            placeholder: "NAME VALUE", help: "A name, such as profiles.german.language, and its value.",
            counts: 2...1_000),
        options: [Options.settings.spec, Options.socket.spec]
    ) { invocation, console in
        let values = invocation.operands.dropFirst()
        let value = values.count == 1 ? invocation.operands[1] : JSONWriter.encode(Array(values))
        let undo = try settingsFile(invocation).set(invocation.operands[0], to: value)
        return try await reload(invocation, console, undoing: undo)
    }

    private static let unsetSetting = Command(
        name: "unset", abstract: "Remove a setting, so that it has its usual value.",
        operands: Operands(placeholder: "NAME", help: "The name, such as text.numbers.", counts: 1...1),
        options: [Options.settings.spec, Options.socket.spec]
    ) { invocation, console in
        let undo = try settingsFile(invocation).unset(invocation.operands[0])
        return try await reload(invocation, console, undoing: undo)
    }

    private static let reloadSettings = Command(
        name: "reload", abstract: "Make a running service read the settings again.",
        discussion: "A take that is under way goes on as it began.",
        options: [Options.settings.spec, Options.socket.spec]
    ) { invocation, console in
        // The error of the file names its line, also while no service is running.
        _ = try settingsFile(invocation).read()
        return try await reload(invocation, console)
    }

    private static let settingsPath = Command(
        name: "path", abstract: "Print the path of the settings.", options: [Options.settings.spec]
    ) { invocation, console in
        try console.output.write(settingsFile(invocation).path + "\n")
        return .done
    }

    private static let settingsSchema = Command(
        name: "schema", abstract: "Print the schema of the settings, for editors."
    ) { _, console in
        try console.output.write(SettingsFile.schema + "\n")
        return .done
    }

    private static func reload(
        _ invocation: Invocation, _ console: Console, undoing undo: SettingsFile.Undo = {}
    ) async throws -> ExitCode {
        let client = try ServiceClient(invocation, console).client
        do throws(DictationError) { try await client.reloadSettings() } catch {
            guard error.code != .notRunning else { return .done }
            try undo()
            throw error
        }
        return .done
    }
}
