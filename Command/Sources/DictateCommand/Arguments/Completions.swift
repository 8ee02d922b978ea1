/// Completions for a shell, from the declarations of the commands.
enum Shell: String, Sendable, CaseIterable {
    case bash, zsh, fish

    func completions(of root: Command) -> String {
        switch self {
        case .bash: BashCompletions(root: root).text
        case .zsh: ZshCompletions(root: root).text
        case .fish: FishCompletions(root: root).text
        }
    }
}

extension Command {
    /// The command and its subcommands, each with its path.
    func all(path: [String] = []) -> [(path: [String], command: Command)] {
        [(path, self)] + subcommands.flatMap { $0.all(path: path + [$0.name]) }
    }
}

/// The shell command that lists the names of models.
private let modelNames = "dictate models list 2>/dev/null | tail -n +2 | cut -f 2"

/// Text as one word for a shell.
private func quote(_ text: String) -> String {
    "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
}

private struct BashCompletions {
    let root: Command

    var text: String {
        """
        # bash completion for dictate
        _dictate() {
            local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} path= i
            for ((i = 1; i < COMP_CWORD; i++)); do
                case "$path/${COMP_WORDS[i]}" in
        \(lines(paths))
                esac
            done
            COMPREPLY=()
            case "$path $previous" in
        \(lines(values))
            esac
            case "$path" in
        \(lines(words))
            esac
        }
        complete -o filenames -F _dictate dictate

        """
    }

    private func lines(_ lines: [String]) -> String { lines.map { "        " + $0 }.joined(separator: "\n") }

    private var paths: [String] {
        root.all().filter { !$0.path.isEmpty }.map { path, _ in
            let before = path.dropLast().map { "/" + $0 }.joined()
            return "\(quote("\(before)/\(path[path.count - 1])")) ) path=\(quote("/" + path.joined(separator: "/"))) ;;"
        }
    }

    private var values: [String] {
        root.all().flatMap { path, command in
            command.options.map { spec in
                let key = quote(path.map { "/" + $0 }.joined() + " --" + spec.name)
                return "\(key) ) \(offer(spec.completion)) return ;;"
            }
        }
    }

    private var words: [String] {
        root.all().map { path, command in
            let key = quote(path.map { "/" + $0 }.joined())
            guard command.subcommands.isEmpty || command.run != nil else {
                return "\(key) ) \(offer(.words(command.subcommands.map(\.name)))) ;;"
            }
            let options = offer(.words(command.specs.map { "--" + $0.name }))
            return
                "\(key) ) case \"$current\" in -*) \(options) ;; *) \(offer(command.operands?.completion ?? .none)) ;; esac ;;"
        }
    }

    private func offer(_ completion: Completion) -> String {
        switch completion {
        case .none: ""
        case .files: "mapfile -t COMPREPLY < <(compgen -f -- \"$current\");"
        case .folders: "mapfile -t COMPREPLY < <(compgen -d -- \"$current\");"
        case .models: "mapfile -t COMPREPLY < <(compgen -W \"$(\(modelNames))\" -- \"$current\");"
        case .words(let words):
            "mapfile -t COMPREPLY < <(compgen -W \(quote(words.joined(separator: " "))) -- \"$current\");"
        }
    }
}

private struct ZshCompletions {
    let root: Command

    var text: String {
        let functions = root.all().map(function).joined(separator: "\n\n")
        return """
            #compdef dictate
            \(functions)

            if [ "$funcstack[1]" = _dictate ]; then _dictate "$@"; else compdef _dictate dictate; fi

            """
    }

    private func function(path: [String], command: Command) -> String {
        let name = (["_dictate"] + path).joined(separator: "_")
        guard !command.subcommands.isEmpty, command.run == nil else {
            let rows = command.specs.map(row) + (command.operands.map { [operand($0)] } ?? [])
            return "\(name)() {\n    _arguments \\\n        " + rows.map(quote).joined(separator: " \\\n        ")
                + "\n}"
        }
        let described = command.subcommands.map { quote("\($0.name):\(plain($0.abstract))") }.joined(separator: " ")
        let cases = command.subcommands.map { "                \($0.name)) \(name)_\($0.name) ;;" }
        return """
            \(name)() {
                local state line
                local -a commands=(\(described))
                _arguments -C '1: :->command' '*:: :->rest'
                case $state in
                    command) _describe -t commands command commands ;;
                    rest)
                        case $line[1] in
            \(cases.joined(separator: "\n"))
                        esac ;;
                esac
            }
            """
    }

    private func row(_ spec: OptionSpec) -> String {
        let star = spec.isRepeatable ? "*" : ""
        guard let placeholder = spec.placeholder else { return "--\(spec.name)[\(plain(spec.help))]" }
        return "\(star)--\(spec.name)=[\(plain(spec.help))]:\(placeholder):\(action(spec.completion))"
    }

    private func operand(_ operands: Command.Operands) -> String {
        "*:\(operands.placeholder):\(action(operands.completion))"
    }

    private func action(_ completion: Completion) -> String {
        switch completion {
        case .none: " "
        case .files: "_files"
        case .folders: "_files -/"
        case .models: "($(\(modelNames)))"
        case .words(let words): "(\(words.joined(separator: " ")))"
        }
    }

    /// Removes the characters that would end a description.
    private func plain(_ text: String) -> String { text.filter { !"[]:'\\".contains($0) } }
}

private struct FishCompletions {
    let root: Command

    var text: String {
        let lines = root.all().flatMap(lines)
        return (["# fish completion for dictate", "complete -c dictate -f"] + lines).joined(separator: "\n") + "\n"
    }

    private func lines(path: [String], command: Command) -> [String] {
        guard command.subcommands.isEmpty || command.run != nil else {
            let names = command.subcommands.map(\.name).joined(separator: " ")
            let condition = seen(path) + ["not __fish_seen_subcommand_from \(names)"]
            return command.subcommands.map { "\(self.start(condition)) -a \($0.name) -d \(quote($0.abstract))" }
        }
        let start = self.start(seen(path))
        var lines = command.specs.map { spec in
            "\(start) -l \(spec.name)\(value(spec)) -d \(quote(spec.help))"
        }
        switch command.operands?.completion {
        case .files, .folders: lines.append("\(start) -F")
        case .words(let words): lines.append("\(start) -a \(quote(words.joined(separator: " ")))")
        case .models: lines.append("\(start) -a \(quote("(\(modelNames))"))")
        case .some(.none), nil: break
        }
        return lines
    }

    private func seen(_ path: [String]) -> [String] { path.map { "__fish_seen_subcommand_from \($0)" } }

    private func start(_ conditions: [String]) -> String {
        "complete -c dictate" + (conditions.isEmpty ? "" : " -n \(quote(conditions.joined(separator: "; and ")))")
    }

    private func value(_ spec: OptionSpec) -> String {
        guard spec.placeholder != nil else { return "" }
        return switch spec.completion {
        case .none: " -x"
        case .files: " -r -F"
        case .folders: " -x -a '(__fish_complete_directories)'"
        case .models: " -x -a \(quote("(\(modelNames))"))"
        case .words(let words): " -x -a \(quote(words.joined(separator: " ")))"
        }
    }
}
