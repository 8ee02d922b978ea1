public import DictationCore

/// One promise of a protocol, with a name for reports.
public protocol ConformanceClause: RawRepresentable<String>, CaseIterable, Hashable, Sendable {
    /// The promise in one sentence.
    var statement: String { get }
}

/// A suite that tries the promises of a protocol on an implementation.
public protocol ConformanceSuite<Clause>: Sendable {
    /// The promises of the protocol.
    associatedtype Clause: ConformanceClause
    /// Tries each promise.
    ///
    /// The suite never hangs: a call that doesn't return in time is a broken promise.
    ///
    /// - Returns: The broken promises, and the promises that the suite could not try.
    /// - Throws: `invalidInput` if the suite's settings make the tests impossible, such as audio in another format.
    func run() async throws(DictationError) -> ConformanceReport<Clause>
}
