/// The manual page for `man`, from the declarations of the commands.
struct ManualPage {
    let root: Command
    let version: String

    var text: String {
        let commands = root.all().filter {
            !$0.path.isEmpty && ($0.command.subcommands.isEmpty || $0.command.run != nil)
        }
        return """
            .TH DICTATE 1 "" "dictate \(version)" "User Commands"
            .SH NAME
            dictate \\- \(escaped(root.abstract))
            .SH SYNOPSIS
            .B dictate
            .I COMMAND
            [options]
            .SH DESCRIPTION
            \(Self.description)
            .SH COMMANDS
            \(commands.map(section).joined(separator: "\n"))
            .SH SPEED OR ACCURACY
            \(Self.priorities)
            .SH EXIT STATUS
            \(ExitCode.allCases.map { entry("\($0.rawValue)", $0.meaning) }.joined(separator: "\n"))
            .SH ENVIRONMENT
            \(entry("XDG_DATA_HOME", "Models are installed in swift-dictation/models there, otherwise in ~/.local/share."))
            \(entry("XDG_CONFIG_HOME", "The settings are in dictation/settings.json5 there, otherwise in ~/.config."))
            \(entry("XDG_RUNTIME_DIR", "The socket of the service is dictation/socket there."))
            \(entry("XDG_STATE_HOME", "The newest texts are in dictation/journal.jsonl there, otherwise in ~/.local/state."))
            \(entry("DICTATE_KEY", "The key for the server of --rewrite-with, unless --key-file names a file with it."))
            \(entry("DICTATION_SHERPA_ONNX", "The folder of another build of the library sherpa-onnx."))
            .SH EXAMPLES
            \(Self.examples.map { "\(entry($0.meaning, ""))\n.nf\n\(escaped($0.command))\n.fi" }.joined(separator: "\n"))

            """
    }

    private static let description = """
        Recognizes speech on this machine. It needs no network, except to install models. Only text goes to standard
        output, and in a pipe each final piece of text is a line. Messages go to standard error.
        .PP
        \\fBdictate setup\\fP installs the best engine and model for a language.
        \\fBdictate doctor\\fP finds the reason if no text appears.
        """

    private static let priorities = """
        What \\fB\\-\\-priority\\fP changes: the words of 100 that were wrong in all of our recordings, and the processor
        time for three minutes of speech. Engines that are not listed have only one way to decode.
        .PP
        .nf
                                 speed       balanced    accuracy
        pocketsphinx             43.9, 19 s  45.6, 30 s  48.4, 41 s
        sherpa\\-onnx              as balanced 13.8, 4.4 s 13.2, 5.2 s
        .fi
        """

    private static let examples = [
        (command: "dictate live --meter", meaning: "Dictate until Ctrl-C:"),
        (command: "dictate transcribe talk.flac --output talk.srt", meaning: "Make captions for a recording:"),
        (
            command: "dictate batch train.jsonl --output results --resume",
            meaning: "Transcribe a list of recordings, and go on where an earlier run stopped:"
        ),
        (command: "dictate live --until-silence 2 | wl-copy", meaning: "Dictate into the clipboard:"),
        (
            command: "dictate toggle | wl-copy",
            meaning: "Bind one key to start, and to stop with the text in the clipboard:"
        ),
    ]

    private func section(path: [String], command: Command) -> String {
        var lines = [".SS dictate \(escaped(path.joined(separator: " "))) \(escaped(command.usage))"]
        lines.append(escaped(command.abstract))
        if !command.discussion.isEmpty { lines.append(".PP\n\(escaped(command.discussion))") }
        if let operands = command.operands { lines.append(entry(operands.placeholder, operands.help)) }
        lines += command.specs.map { entry(HelpText.name(of: $0), $0.help + ($0.isRepeatable ? " Repeatable." : "")) }
        return lines.joined(separator: "\n")
    }

    private func entry(_ name: String, _ text: String) -> String { ".TP\n\\fB\(escaped(name))\\fP\n\(escaped(text))" }

    /// Text for roff: a dash stays a dash, and no line begins a request.
    private func escaped(_ text: String) -> String {
        text.replacing("\\", with: "\\e").replacing("-", with: "\\-")
            .split(separator: "\n", omittingEmptySubsequences: false)
            .map { $0.hasPrefix(".") || $0.hasPrefix("'") ? "\\&" + $0 : String($0) }.joined(separator: "\n")
    }
}
