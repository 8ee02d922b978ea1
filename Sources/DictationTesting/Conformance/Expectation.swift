#if canImport(Testing)
import DictationCore
public import Testing

/// Runs a conformance suite as part of a Swift Testing test: each broken promise is an issue at the caller's line.
///
///     @Test func myEngineConforms() async {
///         await expectConformance(of: EngineConformance(MyEngine(), audio: speech))
///     }
///
/// The report also says which promises could not be tried, and why.
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
