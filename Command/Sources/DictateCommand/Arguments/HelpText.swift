/// The help of a command, from its declaration.
struct HelpText {
    let command: Command
    let path: String

    var text: String {
        let name = path.isEmpty ? "dictate" : "dictate \(path)"
        var sections = ["\(command.abstract)\n\nUsage: \(name) \(path.isEmpty ? "COMMAND" : command.usage)"]
        if !command.discussion.isEmpty { sections.append(command.discussion) }
        if let operands = command.operands {
            sections.append("Arguments:\n" + table([(operands.placeholder, operands.help)]))
        }
        if !command.subcommands.isEmpty {
            let subcommands = command.subcommands.map { (usage(of: $0), $0.abstract) }
            sections.append("Commands:\n" + table(subcommands))
        }
        if command.subcommands.isEmpty || command.run != nil || !command.flags.isEmpty {
            for (title, specs) in Options.grouped(command.specs) {
                let options = specs.map { (Self.name(of: $0), $0.help + ($0.isRepeatable ? " Repeatable." : "")) }
                sections.append("\(title):\n" + table(options))
            }
        }
        if let list = command.list {
            sections.append("\(list.title):\n" + table(list.rows().map { ($0.name, $0.help) }))
        }
        if !command.examples.isEmpty {
            sections.append("Examples:\n" + command.examples.map { "  dictate \(path) \($0)" }.joined(separator: "\n"))
        }
        return sections.joined(separator: "\n\n") + "\n"
    }

    private func usage(of command: Command) -> String {
        guard command.subcommands.isEmpty || command.run != nil, let operands = command.operands else {
            return command.subcommands.isEmpty ? command.name : "\(command.name) \(command.usage)"
        }
        return "\(command.name) \(operands.placeholder)" + (operands.counts.upperBound > 1 ? "…" : "")
    }

    static func name(of spec: OptionSpec) -> String {
        "--\(spec.name)" + (spec.placeholder.map { " \($0)" } ?? "")
    }

    /// Two columns; text that is too long for the first gets its own line.
    private func table(_ rows: [(String, String)]) -> String {
        let limit = 26
        return rows.map { left, right in
            let isLong = left.count > limit
            let gap = isLong ? "\n" + String(repeating: " ", count: limit + 4) : pad(left, limit)
            let indent = "\n" + String(repeating: " ", count: limit + 4)
            return "  \(left)\(gap)\(isLong ? "" : "  ")" + fold(right, 88 - limit).joined(separator: indent)
        }.joined(separator: "\n")
    }

    private func pad(_ text: String, _ width: Int) -> String { String(repeating: " ", count: width - text.count) }

    private func fold(_ text: String, _ width: Int) -> [String] {
        var lines = [""]
        for word in text.split(separator: " ") {
            let line = lines[lines.count - 1]
            if line.isEmpty {
                lines[lines.count - 1] = String(word)
            } else if line.count + 1 + word.count <= width {
                lines[lines.count - 1] = line + " " + word
            } else {
                lines.append(String(word))
            }
        }
        return lines
    }
}
