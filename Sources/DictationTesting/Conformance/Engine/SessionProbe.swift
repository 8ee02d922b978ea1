import DictationCore

/// A session under test. Every call has a time limit.
struct SessionProbe {
    let session: any RecognitionSession
    let reader: ResultReader
    let check: EngineCheck

    init(_ session: any RecognitionSession, in check: EngineCheck) {
        self.session = session
        self.check = check
        reader = ResultReader(session.results)
    }

    /// Starts the session. A failure breaks the promise and returns `false`.
    func start(_ input: TestInput, _ clause: EngineConformance.Clause) async -> Bool {
        guard let outcome = await tryStart(input, clause) else { return false }
        return check.findings.expect(clause, outcome.error == nil, "start(_:) to succeed", saw: outcome.summary)
    }

    func tryStart(_ input: TestInput, _ clause: EngineConformance.Clause) async -> Outcome<Void>? {
        await check.findings.bounded(clause, "start(_:)") { [session] in
            await Outcome.of { () throws(DictationError) in try session.start(input.input) }
        }
    }

    func finish(_ clause: EngineConformance.Clause, within limit: Duration? = nil) async -> Outcome<
        FinalizationOutcome
    >? {
        await check.findings.bounded(clause, "finish()", within: limit ?? check.workLimit) { [session] in
            await Outcome.of { () throws(DictationError) in try await session.finish() }
        }
    }

    func finalize(
        through time: Duration?, _ clause: EngineConformance.Clause, within limit: Duration? = nil
    ) async -> Outcome<FinalizationOutcome>? {
        let what = "finalize(through: \(time.map { "\($0)" } ?? "nil"))"
        return await check.findings.bounded(clause, what, within: limit ?? check.workLimit) { [session] in
            await Outcome.of { () throws(DictationError) in try await session.finalize(through: time) }
        }
    }

    @discardableResult
    func cancel(_ clause: EngineConformance.Clause, _ state: String) async -> Bool {
        await check.findings.bounded(clause, "cancel() \(state)") { [session] in await session.cancel() } != nil
    }

    /// Waits until the session has taken all audio before the input's gate.
    func reachGate(_ input: TestInput, _ clause: EngineConformance.Clause) async -> Bool {
        let state = input.state
        let reached = await check.runtime.within(check.workLimit) { await state.first { $0.isAtGate ? true : nil } }
        return check.findings.expect(
            clause, reached == true, "the session to take its input's audio within \(check.workLimit)",
            saw: "that it made \(state.value.pulls) pulls")
    }

    /// Waits for the end of the results. A missing or different end breaks the promise.
    @discardableResult
    func expectEnd(_ expected: ResultReader.End, _ clause: EngineConformance.Clause, _ when: String) async -> Bool {
        let end = await reader.end(within: check.suite.responseTimeout)
        let isRight =
            switch (end, expected) {
            case (.failed(let error)?, .failed(let wanted)): error.code == wanted.code
            case (let end, let expected): end == expected
            }
        let wanted = if case .failed(let error) = expected { "with \(error.code.rawValue)" } else { "without an error" }
        return check.findings.expect(
            clause, isRight, "the results to end \(wanted) \(when)",
            saw: end.map { "\($0)" } ?? "no end within \(check.suite.responseTimeout)")
    }

    /// Ends the session if it is still open, and checks its results.
    func close(audioEnd: Duration) async {
        if reader.log.value.end == nil { _ = await reader.end(within: check.moment) }
        _ = await check.runtime.within(check.suite.responseTimeout) { [session] in await session.cancel() }
        _ = await reader.end(within: check.suite.responseTimeout)
        ResultRules(audioEnd: audioEnd, slack: check.format.duration(ofFrames: 1))
            .judge(reader.log.value, in: check.findings)
    }
}
