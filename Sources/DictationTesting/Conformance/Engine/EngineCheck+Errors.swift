import DictationCore

extension EngineCheck {
    /// Checks `cancel()` in each state.
    func tryCancelling() async {
        await tryCancelling("before the start", input: nil) { _, _ in true }
        await tryCancelling("while the session waits for audio", input: TestInput(.audio(clip), .gate)) {
            await $0.reachGate($1, .cancelEndsAtOnce)
        }
        let endless = TestInput(.audio(clip), .forever(audio.stretches[0].slice(0..<format.sampleRate / 10)))
        await tryCancelling("while audio comes", input: endless) { probe, input in
            await runtime.within(workLimit) { await input.state.first { $0.pulls > 7 ? true : nil } } == true
        }
        await tryCancelling("after finish()", input: TestInput(.audio(clip))) { probe, _ in
            await probe.finish(.cancelEndsAtOnce) != nil
        }
        await tryCancellingWaiters()
    }

    private func tryCancelling(
        _ state: String, input: TestInput?, until isThere: (SessionProbe, TestInput) async -> Bool
    ) async {
        let clause = EngineConformance.Clause.cancelEndsAtOnce
        guard let probe = await open(suite.options) else { return }
        probe.reader.begin()
        if let input {
            guard await probe.start(input, clause) else { return }
            findings.expect(
                clause, await isThere(probe, input), "a session \(state)", saw: "that it did not get that far")
        }
        await probe.cancel(clause, state)
        await probe.expectEnd(.finished, clause, "after cancel() \(state)")
        await probe.cancel(clause, "a second time")
        if let input { await expectLetGo(input, .inputIsLetGo, "cancel() \(state)") }
        let late = await probe.tryStart(TestInput(.audio(clip)), .startAfterEndThrows)
        findings.expect(
            .startAfterEndThrows, late?.error?.code == .inputAfterEnd, "inputAfterEnd from a start after cancel()",
            saw: late?.summary ?? "no answer")
        await probe.close(audioEnd: farAhead)
    }

    /// Expects that the session takes no more from an input.
    func expectLetGo(_ input: TestInput, _ clause: EngineConformance.Clause, _ after: String) async {
        let state = input.state
        if state.value.isAtGate {
            let wasCancelled = await runtime.within(suite.responseTimeout) {
                await state.first { $0.wasCancelled ? true : nil }
            }
            findings.expect(
                clause, wasCancelled == true, "the waiting pull to be cancelled after \(after)", saw: "that it waits")
        }
        try? await runtime.sleep(moment)
        let pulls = state.value.pulls
        try? await runtime.sleep(moment * 4)
        findings.expect(
            clause, state.value.pulls <= pulls, "no pulls after \(after)", saw: "\(state.value.pulls - pulls) pulls")
    }

    private func tryCancellingWaiters() async {
        guard
            let (probe, waiters) = await openWithWaiters(
                TestInput(.audio(clip), .gate), .cancelReachesWaiters)
        else { return }
        await probe.cancel(.cancelReachesWaiters, "while finish() and finalize(through:) wait")
        await expect(waiters, code: .cancelled, .cancelReachesWaiters, "after cancel()")
        await probe.close(audioEnd: audio.end)
    }

    /// Checks errors of the input and of the engine.
    func tryErrors() async {
        let failure = DictationError(DictationError.Code(rawValue: "conformance"), "the input's error")
        let input = TestInput(.audio(clip), .gate, .fail(failure))
        if let (probe, waiters) = await openWithWaiters(input, .inputErrorReachesEveryone) {
            input.open()
            await expect(waiters, code: failure.code, .inputErrorReachesEveryone, "after the input's error")
            await probe.expectEnd(.failed(failure), .inputErrorReachesEveryone, "after the input's error")
            await expectSameError(probe, failure.code, .inputErrorReachesEveryone)
            await probe.close(audioEnd: audio.end)
        }
        guard let failing = suite.failing else {
            findings.leave(.engineErrorReachesEveryone, because: "the suite has no “failing” engine")
            return
        }
        await tryEngineError(failing)
    }

    private func tryEngineError(_ failing: any SpeechEngine) async {
        let clause = EngineConformance.Clause.engineErrorReachesEveryone
        let input = TestInput(.audio(suite.audio), .gate)
        guard let (probe, waiters) = await openWithWaiters(input, clause, engine: failing, waitsForGate: false)
        else { return }
        let end = await probe.reader.end(within: workLimit)
        guard case .failed(let error)? = end else {
            findings.broken(
                clause, "the results to end with the engine's error", saw: end.map { "\($0)" } ?? "no end")
            return
        }
        await expect(waiters, code: error.code, clause, "after the engine's error")
        await expectSameError(probe, error.code, clause)
        await expectLetGo(input, .inputIsLetGo, "the engine's error")
        await probe.close(audioEnd: audio.end)
    }

    private func expectSameError(_ probe: SessionProbe, _ code: DictationError.Code, _ clause: EngineConformance.Clause)
        async
    {
        let again = await probe.finish(clause, within: suite.responseTimeout)
        findings.expect(
            clause, again?.error?.code == code, "\(code.rawValue) from a later finish()",
            saw: again?.summary ?? "no answer")
    }

    // MARK: Waiters

    private typealias Waiters = [(name: String, task: Task<Outcome<FinalizationOutcome>, Never>)]

    /// Opens a session whose `finish()` and `finalize(through:)` wait for an idle input.
    private func openWithWaiters(
        _ input: TestInput, _ clause: EngineConformance.Clause, engine: (any SpeechEngine)? = nil,
        waitsForGate: Bool = true
    ) async -> (SessionProbe, Waiters)? {
        guard let probe = await open(suite.options, engine) else { return nil }
        probe.reader.begin()
        guard await probe.start(input, clause) else { return nil }
        if waitsForGate { guard await probe.reachGate(input, clause) else { return nil } }
        let session = probe.session
        let time = farAhead
        let waiters: Waiters = [
            ("finish()", runtime.task { await Outcome.of { () throws(DictationError) in try await session.finish() } }),
            (
                "finalize(through:)",
                runtime.task {
                    await Outcome.of { () throws(DictationError) in try await session.finalize(through: time) }
                }
            ),
        ]
        try? await runtime.sleep(moment)
        return (probe, waiters)
    }

    private func expect(
        _ waiters: Waiters, code: DictationError.Code, _ clause: EngineConformance.Clause, _ when: String
    ) async {
        for (name, task) in waiters {
            guard let answer = await findings.bounded(clause, "\(name) \(when)", { await task.value }) else { continue }
            findings.expect(
                clause, answer.error?.code == code, "\(name) to throw \(code.rawValue) \(when)", saw: answer.summary)
        }
    }

    // MARK: Releasing sessions, and several sessions

    /// Checks that a released session ends.
    func tryLettingGo() async {
        let input = TestInput(.audio(clip), .gate)
        guard let reader = await startAndLetGo(input) else { return }
        let end = await reader.end(within: suite.responseTimeout)
        findings.expect(
            .letGoCancels, end == .finished, "the results to end without an error after the session is released",
            saw: end.map { "\($0)" } ?? "no end")
        await expectLetGo(input, .letGoCancels, "the session was released")
    }

    private func startAndLetGo(_ input: TestInput) async -> ResultReader? {
        guard let probe = await open(suite.options) else { return nil }
        probe.reader.begin()
        guard await probe.start(input, .letGoCancels), await probe.reachGate(input, .letGoCancels) else { return nil }
        return probe.reader
    }

    /// Checks that the engine can have `maximumSessions` sessions, and no more.
    func trySessionsAtOnce(expecting text: String) async {
        let clause = EngineConformance.Clause.sessionsAtOnce
        let most = suite.engine.capabilities.maximumSessions
        guard findings.expect(clause, most ?? 1 > 0, "at least one session", saw: "\(most ?? 0)") else {
            return
        }
        var probes: [SessionProbe] = []
        for number in 1...min(most ?? 2, 4) {
            guard let answer = await makeWhenRoom(ifFirst: number == 1), case .success(let session) = answer else {
                findings.broken(clause, "the engine to make session \(number) of \(most ?? 2)", saw: "that it did not")
                break
            }
            probes.append(SessionProbe(session, in: self))
        }
        // A session ends when its input does, so the inputs wait until all sessions have started.
        let inputs = probes.map { _ in TestInput(.gate, .audio(suite.audio)) }
        for (probe, input) in zip(probes, inputs) {
            probe.reader.begin()
            _ = await probe.start(input, clause)
        }
        if let most, most == probes.count {
            let answer = await make(suite.options)
            findings.expect(
                clause, answer?.error?.code == .alreadyRunning, "alreadyRunning for session \(most + 1) of \(most)",
                saw: answer?.summary ?? "no answer")
            if case .success(let session)? = answer { await session.cancel() }
        }
        for input in inputs { input.open() }
        for probe in probes {
            guard let answer = await probe.finish(clause, within: workLimit * probes.count) else { continue }
            await probe.expectEnd(.finished, clause, "after finish()")
            let seen = probe.reader.log.value.text
            findings.expect(
                clause, !answer.isComplete || seen == text, "“\(text)” from each of \(probes.count) sessions at once",
                saw: "“\(seen)”")
            await probe.close(audioEnd: audio.end)
        }
    }

    private func makeWhenRoom(ifFirst isFirst: Bool) async -> Outcome<any RecognitionSession>? {
        let start = runtime.now()
        var answer = await make(suite.options)
        while isFirst, answer?.error?.code == .alreadyRunning, runtime.now() - start < suite.responseTimeout {
            try? await runtime.sleep(moment)
            answer = await make(suite.options)
        }
        return answer
    }
}
