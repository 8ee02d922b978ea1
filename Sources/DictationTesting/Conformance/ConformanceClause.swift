public import DictationCore

/// One promise of a protocol, by name, so that a report can say which was broken.
public protocol ConformanceClause: RawRepresentable<String>, CaseIterable, Hashable, Sendable {
    /// The promise, in a sentence.
    var statement: String { get }
}

/// The promises of one protocol, tried on one implementation.
public protocol ConformanceSuite<Clause>: Sendable {
    /// The promises.
    associatedtype Clause: ConformanceClause
    /// Tries each promise. It never hangs: what doesn't come back in time is a broken promise.
    ///
    /// Throws `invalidInput` when it was given nothing that it could try them with.
    func run() async throws(DictationError) -> ConformanceReport<Clause>
}
