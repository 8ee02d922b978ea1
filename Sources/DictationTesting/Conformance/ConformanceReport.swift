/// The result of a conformance suite.
public struct ConformanceReport<Clause: ConformanceClause>: Sendable, CustomStringConvertible {
    /// The tested implementation, for people.
    public let subject: String
    /// The broken promises, in the order in which the suite found them.
    public let violations: [Violation]
    /// The promises that the suite could not try, each with the reason.
    public let unchecked: [Clause: String]

    /// Whether no promise is broken.
    public var conforms: Bool { violations.isEmpty }
    /// The promises that the suite tried, kept or broken.
    public var checked: [Clause] { Clause.allCases.filter { unchecked[$0] == nil } }
    /// The clauses of all violations.
    public var broken: Set<Clause> { Set(violations.map(\.clause)) }

    /// A broken promise.
    public struct Violation: Sendable, Hashable, CustomStringConvertible {
        /// The clause of the promise.
        public let clause: Clause
        /// The behavior that the suite saw.
        public let seen: String
        /// The behavior that the promise requires.
        public let expected: String

        /// The promise, the expected behavior and the seen behavior.
        public var description: String {
            "\(clause.rawValue): \(clause.statement) Expected \(expected); saw \(seen)."
        }
    }

    /// The whole report, with a line for each violation and for each clause that the suite could not try.
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
