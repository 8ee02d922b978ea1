/// The declaration of an option, for parsing, help and completions.
struct OptionSpec: Sendable {
    /// The name after the two dashes.
    let name: String
    /// The placeholder of its value in the help; `nil` for a flag.
    let placeholder: String?
    /// What it does, on one line.
    let help: String
    var completion = Completion.none
    /// Whether it may be given more than once.
    var isRepeatable = false
    /// Throws for an invalid value.
    var check: @Sendable (String) throws(UsageError) -> Void = { _ in }
}

/// What a shell suggests for a value.
enum Completion: Sendable, Hashable {
    case none
    case files
    case folders
    case words([String])
    /// The names of models; the shell runs a command to list them.
    case models
}

/// An option with a typed value.
struct Option<Value: Sendable>: Sendable {
    let spec: OptionSpec
    let parse: @Sendable (String) throws(UsageError) -> Value

    /// Declares an option; the closure returns `nil` for an invalid value.
    init(
        _ name: String, _ placeholder: String, _ help: String, completion: Completion = .none,
        isRepeatable: Bool = false,
        expects: String, parse: @escaping @Sendable (String) -> Value?
    ) {
        let parsed: @Sendable (String) throws(UsageError) -> Value = { text throws(UsageError) in
            guard let value = parse(text) else {
                throw UsageError("“\(text)” is not a value of --\(name), which needs \(expects).")
            }
            return value
        }
        self.parse = parsed
        spec = OptionSpec(
            name: name, placeholder: placeholder, help: help, completion: completion, isRepeatable: isRepeatable
        ) { text throws(UsageError) in _ = try parsed(text) }
    }
}

extension Option where Value == String {
    /// Declares an option whose value is any text that is not empty.
    init(
        text name: String, _ placeholder: String, _ help: String, completion: Completion = .none,
        isRepeatable: Bool = false
    ) {
        self.init(
            name, placeholder, help, completion: completion, isRepeatable: isRepeatable, expects: "some text"
        ) { $0.isEmpty ? nil : $0 }
    }
}

extension Option where Value: CaseIterable & RawRepresentable, Value.RawValue == String {
    /// Declares an option whose value is one of a few words.
    init(oneOf name: String, _ placeholder: String, _ help: String, isRepeatable: Bool = false) {
        let words = Value.allCases.map(\.rawValue)
        self.init(
            name, placeholder, help, completion: .words(words), isRepeatable: isRepeatable,
            expects: "one of \(words.joined(separator: ", "))"
        ) { Value(rawValue: $0) }
    }
}

extension Option where Value == Int {
    /// Declares an option whose value is a number in a range.
    init(number name: String, _ placeholder: String, _ help: String, in range: ClosedRange<Int>) {
        self.init(
            name, placeholder, help, expects: "a number from \(range.lowerBound) to \(range.upperBound)"
        ) { text in Int(text).flatMap { range.contains($0) ? $0 : nil } }
    }
}

extension Option where Value == Duration {
    /// Declares an option whose value is a time in seconds, up to a day.
    init(seconds name: String, _ placeholder: String, _ help: String) {
        self.init(name, placeholder, help, expects: "a number of seconds above 0, up to 86400") { text in
            Double(text).flatMap { $0 > 0 && $0 <= 86_400 ? .milliseconds(Int64(($0 * 1_000).rounded(.up))) : nil }
        }
    }
}

/// An option without a value.
struct Flag: Sendable {
    let spec: OptionSpec

    init(_ name: String, _ help: String) { spec = OptionSpec(name: name, placeholder: nil, help: help) }
}
