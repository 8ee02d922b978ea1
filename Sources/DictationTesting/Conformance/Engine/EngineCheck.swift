import DictationCore

/// One run of the engine suite.
struct EngineCheck {
    let suite: EngineConformance
    let findings: Findings<EngineClause>
    let runtime = DictationRuntime.current
    let format: AudioFormat
    let audio: AudioCutting

    /// Looks at what the suite was given, and whether there can be a session at all.
    init(_ suite: EngineConformance) async throws(DictationError) {
        self.suite = suite
        findings = Findings(responseTimeout: suite.responseTimeout)
        let limit = suite.options.finalizationTimeout + suite.responseTimeout
        let asked = await runtime.within(limit) { [suite] in
            await Outcome.of { () throws(DictationError) in try await suite.engine.audioFormat(for: suite.options) }
        }
        guard let asked else { throw Self.unusable("audioFormat(for:) did not come back within \(limit).") }
        format = try asked.get()
        let frame = format.duration(ofFrames: 1)
        var end: Duration = .zero
        for buffer in suite.audio {
            guard buffer.format == format else {
                throw Self.unusable("The engine takes \(format), and the audio is \(buffer.format).")
            }
            guard buffer.start >= end - frame else { throw Self.unusable("The audio's buffers overlap.") }
            end = buffer.end
        }
        audio = AudioCutting(suite.audio, format: format)
        guard audio.end >= .milliseconds(500) else { throw Self.unusable("There is less than half a second of audio.") }
    }

    func run() async throws(DictationError) {
        guard let text = await textInOnePiece() else { return }
        if text.isEmpty {
            let reason = "the engine understands nothing in this audio"
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
        await expectText(text, .sessionsAreIndependent, "the same text after all the other sessions")
    }

    // MARK: Pieces that every check uses

    /// A time after the end of all audio.
    var farAhead: Duration { audio.end + .seconds(3_600) }
    /// How long recognising the audio may take.
    var workLimit: Duration { suite.options.finalizationTimeout + suite.responseTimeout }
    /// Audio enough to be taken, where what is understood doesn't matter.
    var clip: [AudioBuffer] { Array(audio.pieces(of: .milliseconds(100)).prefix(5)) }
    /// A moment in which what happens at once has happened.
    var moment: Duration { suite.responseTimeout / 100 }

    /// The options where the deadline is to run out.
    var shortOptions: RecognitionOptions {
        var options = suite.options
        options.finalizationTimeout = suite.shortTimeout
        return options
    }

    /// The options where the deadline must not run out.
    var unhurriedOptions: RecognitionOptions {
        var options = suite.options
        options.finalizationTimeout = max(options.finalizationTimeout, suite.responseTimeout * 4)
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

    /// Makes a session; one that has just ended may need a moment to make room for it.
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
                    saw: answer?.summary ?? "that makeSession(_:) did not come back within \(workLimit)")
                return nil
            }
        }
    }

    /// Recognises audio from its beginning to its end; `nil` when that went wrong.
    @discardableResult
    func recognise(_ buffers: [AudioBuffer], _ clause: EngineClause, options: RecognitionOptions? = nil) async
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

    func expectText(_ text: String, _ clause: EngineClause, _ expected: String) async {
        guard let log = await recognise(suite.audio, clause) else { return }
        findings.expect(clause, log.text == text, "\(expected): '\(text)'", saw: "'\(log.text)'")
    }

    private static func unusable(_ why: String) -> DictationError {
        DictationError(
            .invalidInput, "The conformance suite can't try this engine. \(why)",
            recovery: "Give it at least half a second of audio in the engine's format, in order, with speech in it.")
    }
}

extension Result<FinalizationOutcome, DictationError> {
    var isComplete: Bool { if case .success(.complete) = self { true } else { false } }
}
