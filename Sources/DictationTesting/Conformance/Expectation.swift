#if canImport(Testing)
import DictationCore
public import Testing

/// Runs a conformance suite in a Swift Testing test, and records each broken promise as an issue at the caller's line.
///
///     @Test func myEngineConforms() async {
///         await expectConformance(of: EngineConformance(MyEngine(), audio: speech))
///     }
///
/// - Parameters:
///   - suite: The suite to run.
///   - sourceLocation: The place of the issues.
/// - Returns: The report, which also lists the promises that the suite could not try; `nil` if the suite could not run.
@discardableResult
public func expectConformance<Suite: ConformanceSuite>(
    of suite: Suite, sourceLocation: SourceLocation = #_sourceLocation
) async -> ConformanceReport<Suite.Clause>? {
    do throws(DictationError) {
        let report = try await suite.run()
        for violation in report.violations {
            Issue.record("\(report.subject) breaks \(violation)", sourceLocation: sourceLocation)
        }
        return report
    } catch {
        Issue.record("The conformance suite could not run: \(error)", sourceLocation: sourceLocation)
        return nil
    }
}
#endif
