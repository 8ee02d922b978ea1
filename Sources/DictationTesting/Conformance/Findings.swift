import DictationCore
import Synchronization

/// The findings of a suite that is running.
final class Findings<Clause: ConformanceClause>: Sendable {
    private struct State {
        var violations: [ConformanceReport<Clause>.Violation] = []
        var tried: Set<Clause> = []
        var reasons: [Clause: String] = [:]
    }

    private static var mostPerClause: Int { 3 }

    private let state = Mutex(State())
    let runtime = DictationRuntime.current
    /// The time limit for everything that should happen at once.
    let responseTimeout: Duration

    init(responseTimeout: Duration) { self.responseTimeout = responseTimeout }

    /// Records that the suite tried a promise, and whether the promise was kept.
    @discardableResult
    func expect(
        _ clause: Clause, _ isKept: Bool, _ expected: @autoclosure () -> String, saw seen: @autoclosure () -> String
    ) -> Bool {
        let violation = isKept ? nil : ConformanceReport.Violation(clause: clause, seen: seen(), expected: expected())
        state.withLock { state in
            state.tried.insert(clause)
            guard let violation, !state.violations.contains(violation) else { return }
            guard state.violations.count(where: { $0.clause == clause }) < Self.mostPerClause else { return }
            state.violations.append(violation)
        }
        return isKept
    }

    /// Records a broken promise.
    func broken(_ clause: Clause, _ expected: String, saw seen: String) {
        expect(clause, false, expected, saw: seen)
    }

    /// Records why the suite can't try some promises. The reason counts unless another check tries the promise.
    func leave(_ clauses: Clause..., because reason: String) {
        state.withLock { state in
            for clause in clauses { state.reasons[clause] = state.reasons[clause] ?? reason }
        }
    }

    /// Runs an operation with a time limit. A missed limit breaks the promise and returns `nil`.
    func bounded<Success: Sendable>(
        _ clause: Clause, _ what: String, within limit: Duration? = nil,
        _ operation: sending @escaping () async -> Success
    ) async -> Success? {
        let limit = limit ?? responseTimeout
        if let answer = await runtime.within(limit, operation) { return answer }
        broken(clause, "\(what) to return within \(limit)", saw: "that it did not")
        return nil
    }

    func report(on subject: String) -> ConformanceReport<Clause> {
        state.withLock { state in
            var unchecked: [Clause: String] = [:]
            for clause in Clause.allCases where !state.tried.contains(clause) {
                unchecked[clause] = state.reasons[clause] ?? "the suite did not get that far"
            }
            return ConformanceReport(subject: subject, violations: state.violations, unchecked: unchecked)
        }
    }
}

/// The value or the error of an operation.
typealias Outcome<Success> = Result<Success, DictationError>

extension Result where Failure == DictationError {
    var error: DictationError? {
        if case .failure(let error) = self { error } else { nil }
    }

    /// The outcome in a few words.
    var summary: String {
        switch self {
        case .success(let value): Success.self == Void.self ? "no error" : "\(value)"
        case .failure(let error): "\(error.code.rawValue) (\(error.message))"
        }
    }
}
