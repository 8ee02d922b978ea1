extension Command {
    static let help: Command = Command(
        name: "help", abstract: "Show help for a command.",
        operands: Operands(
            placeholder: "COMMAND", help: "The command, such as transcribe.",
            completion: .words([
                "setup", "transcribe", "live", "start", "stop", "toggle", "cancel", "pause", "resume", "hold", "last",
                "insert-last", "status", "service", "devices", "doctor", "models", "completions", "manual",
            ]),
            counts: 0...2)
    ) { invocation, console in
        // The arguments are a command's path, so the parser finds it.
        let (command, found) = try DictateCommand.root.parse(invocation.operands + ["--help"])
        try console.output.write(HelpText(command: command, path: found.path).text)
        return .done
    }

    static let manual: Command = Command(
        name: "manual", abstract: "Print the manual page.", discussion: "To read it: dictate manual | man -l -"
    ) { _, console in
        try console.output.write(ManualPage(root: DictateCommand.root, version: DictateCommand.version).text)
        return .done
    }

    static let completions: Command = Command(
        name: "completions", abstract: "Print completions for a shell.",
        discussion: """
            bash:  source <(dictate completions bash)
            zsh:   dictate completions zsh >"${fpath[1]}/_dictate"
            fish:  dictate completions fish >~/.config/fish/completions/dictate.fish
            """,
        operands: Operands(
            placeholder: "SHELL", help: "bash, zsh or fish.", completion: .words(Shell.allCases.map(\.rawValue)),
            counts: 1...1)
    ) { invocation, console in
        guard let shell = Shell(rawValue: invocation.operands[0]) else {
            throw UsageError(
                "There are no completions for “\(invocation.operands[0])”, only for bash, zsh and fish.",
                command: "completions")
        }
        try console.output.write(shell.completions(of: DictateCommand.root))
        return .done
    }
}
