/// What a conformance suite found.
public struct ConformanceReport<Clause: ConformanceClause>: Sendable, CustomStringConvertible {
    /// What was tried.
    public let subject: String
    /// The broken promises, in the order in which they were found.
    public let violations: [Violation]
    /// The promises that could not be tried, and why not.
    public let unchecked: [Clause: String]

    /// Whether no promise is broken.
    public var conforms: Bool { violations.isEmpty }
    /// The promises that were tried, kept or not.
    public var checked: [Clause] { Clause.allCases.filter { unchecked[$0] == nil } }
    /// The promises that were broken.
    public var broken: Set<Clause> { Set(violations.map(\.clause)) }

    /// A broken promise.
    public struct Violation: Sendable, Hashable, CustomStringConvertible {
        /// Which promise.
        public let clause: Clause
        /// What was seen.
        public let seen: String
        /// What the promise asks for.
        public let expected: String

        /// The promise, what it asks for and what was seen.
        public var description: String {
            "\(clause.rawValue): \(clause.statement) Expected \(expected); saw \(seen)."
        }
    }

    /// The whole report, a line for each broken promise and each that could not be tried.
    public var description: String {
        var lines = ["\(subject): \(violations.isEmpty ? "conforms" : "does not conform")"]
        lines += ["checked \(checked.count) of \(Clause.allCases.count) clauses"]
        lines += violations.map { "  broken  \($0)" }
        for clause in Clause.allCases {
            if let reason = unchecked[clause] { lines.append("  not checked  \(clause.rawValue): \(reason)") }
        }
        return lines.joined(separator: "\n")
    }
}
