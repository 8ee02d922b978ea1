import DictationCore

extension EngineCheck {
    /// Checks `finalize(through:)` in the middle of the audio.
    func tryFinalizing() async {
        for through in [FinalizeTime.all, .here] { await tryFinalizing(through: through) }
        await tryFinalizingAhead()
    }

    private enum FinalizeTime { case all, here }

    private func tryFinalizing(through which: FinalizeTime) async {
        let pieces = audio.pieces(of: .milliseconds(100))
        let half = Array(pieces[..<(pieces.count / 2)])
        guard let probe = await open(suite.options), let here = half.last?.end else { return }
        let input = TestInput(.audio(half), .gate, .audio(Array(pieces[half.count...])))
        guard await probe.start(input, .finalizeIsTrue), await probe.reachGate(input, .finalizeIsTrue) else { return }
        let time = which == .all ? nil : here
        guard let answer = await probe.finalize(through: time, .finalizeIsTrue) else { return }
        await probe.reader.readWaiting()
        let watermark = probe.reader.log.value.watermark
        findings.expect(
            .finalizeIsTrue, answer.isComplete && watermark >= here - format.duration(ofFrames: 1),
            "results final through \(here) when finalize(through: \(time.map { "\($0)" } ?? "nil")) returns",
            saw: "\(answer.summary), and results final through \(watermark)")
        probe.reader.begin()
        input.open()
        if let end = await probe.finish(.finalizeLeavesSessionOpen) {
            await probe.expectEnd(.finished, .finalizeLeavesSessionOpen, "after finish()")
            let watermark = probe.reader.log.value.watermark
            findings.expect(
                .finalizeLeavesSessionOpen, end.isComplete && watermark >= audio.end - format.duration(ofFrames: 1),
                "the rest of the audio to become final, through \(audio.end)",
                saw: "\(end.summary), and results final through \(watermark)")
        }
        await probe.close(audioEnd: audio.end)
    }

    private func tryFinalizingAhead() async {
        let pieces = audio.pieces(of: .milliseconds(100))
        let first = Array(pieces[..<(pieces.count / 2)])
        let clause = EngineConformance.Clause.finalizeWaitsForAudio
        guard let probe = await open(suite.options), let here = first.last?.end else { return }
        let time = here + (audio.end - here) / 2
        probe.reader.begin()
        let input = TestInput(.audio(first), .gate, .audio(Array(pieces[first.count...])))
        guard await probe.start(input, clause), await probe.reachGate(input, clause) else { return }
        let answer = Watched<Outcome<FinalizationOutcome>?>(nil)
        let waiting = runtime.task { [session = probe.session] in
            let outcome = await Outcome.of { () throws(DictationError) in try await session.finalize(through: time) }
            answer.change { $0 = outcome }
        }
        try? await runtime.sleep(moment)
        findings.expect(
            clause, answer.value == nil, "finalize(through: \(time)) to wait while the audio ends at \(here)",
            saw: answer.value?.summary ?? "that it waits")
        input.open()
        let came = await findings.bounded(
            clause, "finalize(through: \(time)), after that audio,", within: workLimit
        ) {
            await answer.first { $0 }
        }
        if let came, let came {
            let reader = probe.reader
            let isFinal = await runtime.within(suite.responseTimeout) {
                await reader.log.first { $0.watermark >= time || $0.end != nil ? $0.watermark >= time : nil }
            }
            findings.expect(
                clause, came.isComplete && isFinal == true, "results final through \(time)",
                saw: "\(came.summary), and results final through \(reader.log.value.watermark)")
        }
        waiting.cancel()
        await probe.close(audioEnd: audio.end)
    }

    /// Checks `finish()` before the start, after the audio, and a second time.
    func tryFinishing() async {
        if let probe = await open(suite.options) {
            probe.reader.begin()
            if let answer = await probe.finish(.finishBeforeStart, within: suite.responseTimeout) {
                findings.expect(.finishBeforeStart, answer.isComplete, "finish() to be complete", saw: answer.summary)
                await probe.expectEnd(.finished, .finishBeforeStart, "after finish()")
            }
            let late = await probe.tryStart(TestInput(.audio(clip)), .startAfterEndThrows)
            findings.expect(
                .startAfterEndThrows, late?.error?.code == .inputAfterEnd,
                "inputAfterEnd from a start after finish() without input", saw: late?.summary ?? "no answer")
            await probe.close(audioEnd: .zero)
        }
        guard let probe = await open(suite.options) else { return }
        probe.reader.begin()
        guard await probe.start(TestInput(.audio(suite.audio)), .finishMakesAllFinal) else { return }
        if let answer = await probe.finish(.finishMakesAllFinal) {
            await probe.expectEnd(.finished, .finishMakesAllFinal, "after finish()")
            let watermark = probe.reader.log.value.watermark
            findings.expect(
                .finishMakesAllFinal, answer.isComplete && watermark >= audio.end - format.duration(ofFrames: 1),
                "results final through \(audio.end), the end of the audio",
                saw: "\(answer.summary), and results final through \(watermark)")
            let again = await probe.finish(.finishIsRepeatable, within: suite.responseTimeout)
            findings.expect(
                .finishIsRepeatable, again == answer, "\(answer.summary) from a second finish()",
                saw: again?.summary ?? "no answer")
        }
        await probe.close(audioEnd: audio.end)
    }

    /// Checks what the session does at the deadline.
    func tryDeadlines() async {
        // Somewhere in the audio, text is still volatile. The place depends on the engine.
        let pieces = audio.pieces(of: .milliseconds(100))
        for share in [0.35, 0.5, 0.7, 0.9, 1] {
            let part = Array(pieces.prefix(Int(Double(pieces.count) * share)))
            if await tryDeadline(TestInput(.audio(part), .gate), .finishIsBounded) { break }
        }
        await tryFinalizeDeadline()
        if let stalling = suite.stalling {
            _ = await tryDeadline(TestInput(.audio(suite.audio)), .stalledEngineIsLeft, engine: stalling)
        } else {
            findings.leave(.stalledEngineIsLeft, because: "the suite has no “stalling” engine")
        }
    }

    private var deadlineLimit: Duration { suite.shortTimeout + suite.responseTimeout }

    /// Lets the deadline of `finish()` pass, and returns whether there was volatile text by then.
    private func tryDeadline(
        _ input: TestInput, _ clause: EngineConformance.Clause, engine: (any SpeechEngine)? = nil
    ) async -> Bool {
        guard let probe = await open(shortOptions, engine) else { return false }
        probe.reader.begin()
        guard await probe.start(input, clause) else { return false }
        if engine == nil { guard await probe.reachGate(input, clause) else { return false } }
        await probe.reader.quiet(for: suite.responseTimeout / 10, within: workLimit)
        let before = probe.reader.log.value
        if let answer = await probe.finish(clause, within: deadlineLimit) {
            findings.expect(
                clause, answer == .success(.incomplete), "finish() to return incomplete after its deadline",
                saw: answer.summary)
            await probe.expectEnd(.finished, clause, "after the deadline")
        }
        let hadText = judgeText(before: before, after: probe.reader.log.value)
        await probe.close(audioEnd: audio.end)
        return hadText
    }

    private func judgeText(before: ResultReader.Log, after: ResultReader.Log) -> Bool {
        let shown = ResultReader.Log.text(of: before.volatiles)
        guard !shown.isEmpty else {
            findings.leave(.deadlineKeepsText, because: "the engine showed no volatile text before the deadline")
            return false
        }
        let late = after.elements.dropFirst(before.elements.count).compactMap(\.finalResult)
        findings.expect(
            .deadlineKeepsText, late.contains { !$0.isComplete },
            "“\(shown)”, which was volatile at the deadline, to become final and marked incomplete",
            saw: late.isEmpty ? "no final text" : late.map { ResultRules.describe(.final($0)) }.joined(separator: ", "))
        return true
    }

    private func tryFinalizeDeadline() async {
        let clause = EngineConformance.Clause.finalizeIsBounded
        guard let probe = await open(shortOptions) else { return }
        probe.reader.begin()
        let input = TestInput(.audio(clip), .gate)
        guard await probe.start(input, clause), await probe.reachGate(input, clause) else { return }
        if let answer = await probe.finalize(through: farAhead, clause, within: deadlineLimit) {
            findings.expect(
                clause, answer == .success(.incomplete),
                "finalize(through:) to return incomplete after its deadline, for a time that never comes",
                saw: answer.summary)
        }
        await probe.close(audioEnd: audio.end)
    }
}
