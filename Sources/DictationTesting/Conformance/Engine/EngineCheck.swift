import DictationCore

/// One run of the engine suite.
struct EngineCheck {
    let suite: EngineConformance
    let findings: Findings<EngineConformance.Clause>
    let runtime = DictationRuntime.current
    let format: AudioFormat
    let audio: AudioCutting

    /// Checks the suite's settings. Throws when they make the tests impossible.
    init(_ suite: EngineConformance) async throws(DictationError) {
        // Only the checks of deadlines may meet one, however slow the machine is.
        var suite = suite
        suite.options.finalizationTimeout = max(suite.options.finalizationTimeout, suite.responseTimeout * 4)
        self.suite = suite
        findings = Findings(responseTimeout: suite.responseTimeout)
        let limit = suite.options.finalizationTimeout + suite.responseTimeout
        let asked = await runtime.within(limit) { [suite] in
            await Outcome.of { () throws(DictationError) in try await suite.engine.audioFormat(for: suite.options) }
        }
        guard let asked else { throw Self.unusable("audioFormat(for:) did not return within \(limit).") }
        format = try asked.get()
        let frame = format.duration(ofFrames: 1)
        var end: Duration = .zero
        for buffer in suite.audio {
            guard buffer.format == format else {
                throw Self.unusable("The engine takes \(format), but the audio is \(buffer.format).")
            }
            guard buffer.start >= end - frame else { throw Self.unusable("The audio's buffers overlap.") }
            end = buffer.end
        }
        audio = AudioCutting(suite.audio, format: format)
        guard audio.end >= .milliseconds(500) else { throw Self.unusable("The audio is shorter than half a second.") }
    }

    func run() async throws(DictationError) {
        guard let text = await textInOnePiece() else { return }
        if text.isEmpty {
            let reason = "the engine recognizes no text in this audio"
            findings.leave(.streamingEqualsBatch, .deadlineKeepsText, .askedForIsGiven, because: reason)
        } else {
            await tryCuttings(expecting: text)
        }
        await tryOptions()
        await tryTakingAudio(expecting: text)
        await tryFinalizing()
        await tryFinishing()
        await tryDeadlines()
        await tryCancelling()
        await tryErrors()
        await tryLettingGo()
        await trySessionsAtOnce(expecting: text)
        await expectText(text, .sessionsAreIndependent, "the same text as before the other sessions")
    }

    // MARK: Parts of all checks

    /// A time long after the end of the audio.
    var farAhead: Duration { audio.end + .seconds(3_600) }
    /// The time limit for recognizing the audio.
    var workLimit: Duration { suite.options.finalizationTimeout + suite.responseTimeout }
    /// A little audio, for checks that do not need its text.
    var clip: [AudioBuffer] { Array(audio.pieces(of: .milliseconds(100)).prefix(5)) }
    /// A short time that is long enough for everything that happens at once.
    var moment: Duration { suite.responseTimeout / 100 }

    /// The options for checks in which the deadline passes.
    var shortOptions: RecognitionOptions {
        var options = suite.options
        options.finalizationTimeout = suite.shortTimeout
        return options
    }

    func make(
        _ options: RecognitionOptions, _ engine: (any SpeechEngine)? = nil
    ) async -> Outcome<any RecognitionSession>? {
        let engine = engine ?? suite.engine
        return await runtime.within(workLimit) {
            await Outcome.of { () throws(DictationError) in try await engine.makeSession(options) }
        }
    }

    /// Makes a session. Tries again for a while, because a session that just ended may still take up room.
    func open(_ options: RecognitionOptions, _ engine: (any SpeechEngine)? = nil) async -> SessionProbe? {
        let start = runtime.now()
        while true {
            switch await make(options, engine) {
            case .success(let session)?: return SessionProbe(session, in: self)
            case .failure(let error)?
            where error.code == .alreadyRunning && runtime.now() - start < suite.responseTimeout:
                try? await runtime.sleep(moment)
            case let answer:
                findings.broken(
                    .sessionsAreIndependent, "the engine to make another session",
                    saw: answer?.summary ?? "that makeSession(_:) did not return within \(workLimit)")
                return nil
            }
        }
    }

    /// Recognizes audio from its beginning to its end, or returns `nil` if that fails.
    @discardableResult
    func recognize(_ buffers: [AudioBuffer], _ clause: EngineConformance.Clause, options: RecognitionOptions? = nil)
        async
        -> ResultReader.Log?
    {
        guard let probe = await open(options ?? suite.options) else { return nil }
        probe.reader.begin()
        guard await probe.start(TestInput(.audio(buffers)), clause) else { return nil }
        let answer = await probe.finish(clause)
        if let answer {
            findings.expect(clause, answer.isComplete, "finish() to be complete", saw: answer.summary)
        }
        await probe.close(audioEnd: buffers.last?.end ?? .zero)
        return answer?.isComplete == true ? probe.reader.log.value : nil
    }

    func expectText(_ text: String, _ clause: EngineConformance.Clause, _ expected: String) async {
        guard let log = await recognize(suite.audio, clause) else { return }
        findings.expect(clause, log.text == text, "\(expected): “\(text)”", saw: "“\(log.text)”")
    }

    private static func unusable(_ why: String) -> DictationError {
        DictationError(
            .invalidInput, "The conformance suite can't try this engine. \(why)",
            recovery: "Pass at least half a second of speech, in order and in the engine's format.")
    }
}

extension Result<FinalizationOutcome, DictationError> {
    var isComplete: Bool { if case .success(.complete) = self { true } else { false } }
}
