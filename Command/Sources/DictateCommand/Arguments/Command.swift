/// The declaration of a command.
struct Command: Sendable {
    let name: String
    /// What it does, on one line.
    let abstract: String
    /// More about it.
    var discussion = ""
    /// Command lines to begin with.
    var examples: [String] = []
    /// A list that belongs to the command, such as the names of settings.
    var list: (title: String, rows: @Sendable () -> [(name: String, help: String)])?
    var operands: Operands?
    var flags: [Flag] = []
    var options: [OptionSpec] = []
    var subcommands: [Command] = []
    /// Runs the command; `nil` for a command that only has subcommands.
    var run: (@Sendable (Invocation, Console) async throws -> ExitCode)?

    /// The arguments after the options.
    struct Operands: Sendable {
        let placeholder: String
        let help: String
        var completion = Completion.none
        var counts = 1...Int.max
    }

    /// The options and flags, in the order of the help.
    var specs: [OptionSpec] { options + flags.map(\.spec) + [Flag.help.spec] }

    /// The usage line.
    var usage: String {
        if !subcommands.isEmpty, run == nil { return subcommands.map(\.name).joined(separator: " | ") }
        guard let operands else { return "[options]" }
        let dots = operands.counts.upperBound > 1 ? "…" : ""
        let name = operands.placeholder + dots
        return (operands.counts.lowerBound == 0 ? "[\(name)]" : name) + " [options]"
    }
}

extension Flag {
    static let help = Flag("help", "Show this help.")
    static let version = Flag("version", "Show the version.")
}

/// The exit codes.
enum ExitCode: Int32, Sendable, CaseIterable {
    case done = 0
    case someFailed = 1
    case badUse = 2
    case noDevice = 3
    case noModel = 4
    case audioMissing = 5
    case tryAgain = 75
    case interrupted = 130
    case terminated = 143

    /// What it means, for the manual.
    var meaning: String {
        switch self {
        case .done: "Success."
        case .someFailed: "Some input failed, the text could not be rewritten, or the output could not be written."
        case .badUse: "Wrong use: an unknown option, or an option that the engine does not support."
        case .noDevice: "No microphone, or no permission to use it."
        case .noModel: "No engine or no model."
        case .audioMissing: "The text is printed, but some audio is missing from it. A message says which, and why."
        case .tryAgain: "A batch could not go on for now: the disk is full, or another process works on the same shard."
        case .interrupted: "Interrupted."
        case .terminated: "A batch was ended by SIGTERM. Its results are kept, and --resume goes on."
        }
    }
}

/// The checked arguments of a command.
struct Invocation: Sendable {
    /// The command's words: `models list`.
    let path: String
    fileprivate(set) var operands: [String] = []
    /// The flags and options as they were written, to pass them on.
    fileprivate(set) var written: [String] = []
    fileprivate var values: [String: [String]] = [:]
    fileprivate var flags: Set<String> = []

    func value<Value>(_ option: Option<Value>) throws(UsageError) -> Value? {
        guard let text = values[option.spec.name]?.last else { return nil }
        return try option.parse(text)
    }

    func values<Value>(_ option: Option<Value>) throws(UsageError) -> [Value] {
        var parsed: [Value] = []
        for text in values[option.spec.name] ?? [] { parsed.append(try option.parse(text)) }
        return parsed
    }

    func has(_ flag: Flag) -> Bool { flags.contains(flag.spec.name) }

    /// Whether an option or flag was given.
    func isGiven(_ spec: OptionSpec) -> Bool { values[spec.name] != nil || flags.contains(spec.name) }
}

extension Command {
    /// Finds the command in the arguments, and checks the rest.
    func parse(_ arguments: [String], path: String = "") throws(UsageError) -> (Command, Invocation) {
        // A command with operands of its own takes a word that names no subcommand as an operand.
        if run == nil || subcommands.contains(where: { $0.name == arguments.first }), !subcommands.isEmpty {
            return try parseSubcommand(arguments, path: path)
        }
        var invocation = Invocation(path: path)
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            if argument == "--" {
                invocation.operands += rest
                break
            }
            if argument == "-h" {
                invocation.flags.insert(Flag.help.spec.name)
            } else if argument.hasPrefix("--") {
                try take(argument.dropFirst(2), &rest, into: &invocation)
            } else if argument.hasPrefix("-"), argument.count > 1, Double(argument) == nil {
                let hint = operands == nil ? "" : " If it is a file, write “./\(argument)”."
                throw UsageError("There is no option \(argument).\(hint)", command: path)
            } else {
                invocation.operands.append(argument)
            }
        }
        if !invocation.has(.help) { try checkCount(of: invocation) }
        return (self, invocation)
    }

    private func parseSubcommand(_ arguments: [String], path: String) throws(UsageError) -> (Command, Invocation) {
        guard let first = arguments.first, first != "-h", first != "--help" else {
            if arguments.isEmpty, !path.isEmpty {
                throw UsageError("“dictate \(path)” needs one of: \(usage).", command: path)
            }
            var invocation = Invocation(path: path)
            invocation.flags.insert(Flag.help.spec.name)
            return (self, invocation)
        }
        guard let command = subcommands.first(where: { $0.name == first }) else {
            if first == "help" { return try parse(arguments.dropFirst() + ["--help"], path: path) }
            let hint =
                nearest(first, of: subcommands.map(\.name) + flags.map { "--" + $0.spec.name }).map {
                    " Did you mean “\($0)”?"
                } ?? ""
            let what = first.hasPrefix("-") ? "option" : "command"
            throw UsageError("There is no \(what) “\(first)”.\(hint)", command: path)
        }
        return try command.parse(
            Array(arguments.dropFirst()), path: path.isEmpty ? first : "\(path) \(first)")
    }

    private func take(
        _ text: Substring, _ rest: inout ArraySlice<String>, into invocation: inout Invocation
    ) throws(UsageError) {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let name = String(parts[0])
        let path = invocation.path
        guard let spec = specs.first(where: { $0.name == name }) else {
            let hint = nearest(name, of: specs.map(\.name)).map { " Did you mean --\($0)?" } ?? ""
            throw UsageError("There is no option --\(name).\(hint)", command: path)
        }
        guard let placeholder = spec.placeholder else {
            guard parts.count == 1 else { throw UsageError("--\(name) takes no value.", command: path) }
            invocation.flags.insert(name)
            invocation.written.append("--" + name)
            return
        }
        let isMissing = parts.count == 1 && rest.first.map { $0.hasPrefix("--") } ?? true
        guard !isMissing, let value = parts.count == 2 ? String(parts[1]) : rest.popFirst() else {
            throw UsageError("--\(name) needs a value: --\(name) \(placeholder).", command: path)
        }
        guard spec.isRepeatable || invocation.values[name] == nil else {
            throw UsageError("--\(name) is given twice.", command: path)
        }
        do throws(UsageError) { try spec.check(value) } catch { throw UsageError(error.message, command: path) }
        invocation.values[name, default: []].append(value)
        invocation.written.append("--\(name)=" + (spec.completion == .files ? FilePath.fromRoot(value) : value))
    }

    private func checkCount(of invocation: Invocation) throws(UsageError) {
        let counts = operands?.counts ?? 0...0
        let (path, placeholder) = (invocation.path, operands?.placeholder ?? "")
        if invocation.operands.count < counts.lowerBound {
            throw UsageError("“dictate \(path)” needs \(placeholder).", command: path)
        }
        if invocation.operands.count > counts.upperBound {
            let extra = invocation.operands[counts.upperBound]
            throw UsageError("“dictate \(path)” takes no argument “\(extra)”.", command: path)
        }
    }
}
