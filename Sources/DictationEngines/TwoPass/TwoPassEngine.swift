public import DictationCore

/// Two engines as one: a thorough engine for the text, and a quick engine for word times and as a check.
///
///     let thorough = try SherpaOnnxOfflineEngine(folder: "moonshine-tiny-en", locales: ["en-US"])
///     let engine = TwoPassEngine(quick: PocketSphinxEngine(), thorough: thorough, preview: .thorough)
///
/// - **Choose** it when one engine makes fewer errors, and another finds word times or answers at once.
/// - **Use** it like any engine. It needs nothing from the two engines but `SpeechEngine`.
/// - Final text has the thorough engine's words. Their times come from the quick engine, matched word by word. A word
///   without a match has a time between its neighbors.
/// - A word that both engines wrote has the confidence 1. Any other word has none, because the quick engine's confidence
///   is that of its own word. When we measured it with Moonshine, 97 of 100 words on which PocketSphinx agreed were right,
///   and 99 of 100 with Zipformer; of the words that PocketSphinx was not sure of, 97 of 100 were right, too.
///
/// In a recording, the thorough engine gets all audio and cuts it by itself. The quick engine stays unseen: it decodes only
/// what it is needed for. With ``Preview/thorough``, the same is true while the user speaks, and the thorough engine shows
/// its own text. With ``Preview/quick``, the quick engine shows its text, the pauses that it finds end the utterances, and
/// the thorough engine decodes each utterance when it ends.
///
/// Text that nobody can have said is decoded again with more silence around it: a phrase that comes more often than the
/// quick engine's words allow, more words than anyone speaks in that time, or nothing where text was shown and the quick
/// engine finds words. If that does not help, or if the thorough engine doesn't end within the finalization timeout, the quick
/// engine's text becomes final with `isDoubtful` set to `true`. The transcript is complete all the same, because no
/// audio is without text. A thorough engine that doesn't end in time three times in a row is not asked again in the
/// session.
///
/// If the thorough engine is slower than the speaker, up to a minute of speech waits for it. After that the engine takes
/// no more audio until the thorough engine has caught up: a recording waits, and live dictation reports a gap when its
/// own buffer is full.
public final class TwoPassEngine: SpeechEngine, ParallelTranscribing {
    /// The engine's name.
    public let name = EngineID.twoPass.rawValue
    /// The engine for the times of words and the check, and for volatile text with ``Preview/quick``.
    public let quick: any SpeechEngine
    /// The engine for the final text.
    public let thorough: any SpeechEngine

    /// The engine whose text is shown while it may still change.
    public let preview: Preview

    /// The choice of the engine whose text is shown while it may still change.
    public enum Preview: Sendable, Hashable, Codable {
        /// The thorough engine, or the quick engine if the thorough one has no volatile results. Fewer of the shown words
        /// are wrong, and few change.
        case thorough
        /// The quick engine. Suits a thorough engine that is too slow to decode speech several times, or that may hang.
        case quick
    }

    let converters: any FormatConverterProvider
    let runtime = DictationRuntime.current

    /// Creates an engine from two engines.
    ///
    /// - Parameters:
    ///   - quick: The engine for the times of words and the check.
    ///   - thorough: The engine for the final text.
    ///   - preview: The engine whose text is shown while it may still change.
    ///   - converters: The converters between the two engines' audio formats. The default can't change the sample rate.
    public init(
        quick: any SpeechEngine, thorough: any SpeechEngine, preview: Preview = .quick,
        converters: any FormatConverterProvider = BasicConverter.Provider()
    ) {
        self.quick = quick
        self.thorough = thorough
        self.preview = preview
        self.converters = converters
    }

    /// The features and limits of both engines together.
    ///
    /// Volatile results come from the engine of ``preview``, alternatives from the thorough engine. Word times come from the
    /// quick engine, and confidence from its agreement; both come from the thorough engine if the quick engine has no word
    /// times. Contextual strings
    /// need the thorough engine, because they are meant for the final text; the quick engine gets them too if it can.
    /// Grammars, keyphrases and alignment are the work of one engine alone.
    public var capabilities: EngineCapabilities { parts.capabilities }

    /// The locales that both engines support.
    public var supportedLocales: [SpeechLocale] {
        get async {
            let thorough = Set(await thorough.supportedLocales)
            return await quick.supportedLocales.filter(thorough.contains)
        }
    }

    /// Returns the audio format of the engine that gets all audio: the thorough engine, or the quick engine if that shows
    /// its text.
    public func audioFormat(for options: RecognitionOptions) async throws(DictationError) -> AudioFormat {
        let plan = try await plan(options)
        return try await plan.first.audioFormat(for: plan.firstOptions)
    }

    /// Loads the models of both engines at the same time.
    public func prepare(
        _ options: RecognitionOptions, progress: @escaping @Sendable (Double) -> Void
    ) async throws(DictationError) {
        let plan = try await plan(options)
        guard let second = plan.second else {
            return try await plan.first.prepare(plan.firstOptions, progress: progress)
        }
        let both = JoinedProgress(progress)
        let other = runtime.task { [secondOptions = plan.secondOptions] () async -> Result<Void, DictationError> in
            await Result.of { () throws(DictationError) in
                try await second.prepare(secondOptions) { both.report($0, of: 1) }
            }
        }
        let (first, firstOptions) = (plan.first, plan.firstOptions)
        let own = await withTaskCancellationHandler {
            await Result.of { () throws(DictationError) in
                try await first.prepare(firstOptions) { both.report($0, of: 0) }
            }
        } onCancel: {
            other.cancel()
        }
        if case .failure = own { other.cancel() }
        let others = await other.value
        try own.get()
        try others.get()
        progress(1)
    }

    /// Creates a session with sessions of both engines.
    public func makeSession(_ options: RecognitionOptions) async throws(DictationError) -> any RecognitionSession {
        let plan = try await plan(options)
        guard plan.second != nil else { return try await plan.first.makeSession(plan.firstOptions) }
        let first = try await plan.first.makeSession(plan.firstOptions)
        let spare = plan.source == .quick ? try await thorough.makeSession(plan.thoroughOptions) : nil
        if let spare, spare.audioFormat != first.audioFormat {
            _ = try converters.makeConverter(from: first.audioFormat, to: spare.audioFormat)
        }
        let work = TwoPassWork(
            first: first, plan, spare: spare, review: plan.review(converters), runtime: runtime)
        return try await DecoderSession.open(
            name, audioFormat: first.audioFormat, options: options, on: runtime.executor ?? globalConcurrentExecutor,
            runtime: runtime, onEnd: { work.end() }, makeDecoder: { TwoPassDecoder(work) })
    }
}
