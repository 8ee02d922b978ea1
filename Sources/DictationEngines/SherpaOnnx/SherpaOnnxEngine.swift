#if SherpaOnnx
    public import DictationCore

    /// Speech recognition with sherpa-onnx's streaming transducers: free speech, phrases that are likely, wake words.
    ///
    ///     let engine = try SherpaOnnxEngine(modelFolder: "/usr/share/models/zipformer-en", locales: ["en-US"])
    ///     let session = try await engine.makeSession(.liveDictation())
    ///
    /// Any number of sessions share the model; those that are live at once are decoded together. A session with the
    /// priority `accuracy` or with contextual strings searches with a beam, any other greedily: then volatile text only
    /// grows.
    public final class SherpaOnnxEngine: SpeechEngine {
        /// The engine's name.
        public let name = "sherpa-onnx"
        /// What the engine can do with this model.
        public let capabilities: EngineCapabilities
        /// The model.
        public let model: SherpaOnnxModel
        /// How the engine works.
        public let configuration: SherpaOnnxConfiguration

        private let locales: [SpeechLocale]
        private let loading: any TaskExecutor
        private let feeding: any TaskExecutor
        private let recognizers: ModelKeeper<SearchMethod, LoadedRecognizer>

        /// Makes an engine for a model. Without locales, those of the manifest beside the model are taken.
        public init(
            model: SherpaOnnxModel, locales: [SpeechLocale]? = nil, configuration: SherpaOnnxConfiguration = .init()
        ) throws(DictationError) {
            try SherpaOnnxLibrary.check()
            guard let locales = locales ?? model.manifest?.locales, !locales.isEmpty else {
                throw DictationError(
                    .invalidInput, "Nothing says which locales the model in \(model.folder) is for.",
                    recovery: "Give its locales, or put \(SherpaOnnxManifest.fileName) beside it.")
            }
            self.model = model
            self.locales = locales
            self.configuration = try configuration.validated()
            var features: Set<EngineCapabilities.Feature> = [
                .dictation, .volatileResults, .wordTimes, .wordConfidence,
            ]
            if model.pieces != nil { features.formUnion([.contextualStrings]) }
            capabilities = EngineCapabilities(features)
            let runtime = DictationRuntime.current
            loading = runtime.blockingExecutor("sherpa-load")
            feeding = runtime.blockingExecutor("sherpa-feed")
            recognizers = ModelKeeper(configuration.retention)
        }

        /// Makes an engine for the model in a folder.
        public convenience init(
            modelFolder: String, locales: [SpeechLocale]? = nil, configuration: SherpaOnnxConfiguration = .init()
        ) throws(DictationError) {
            try self.init(
                model: SherpaOnnxModel(at: modelFolder), locales: locales, configuration: configuration)
        }

        /// The locales that the model is for.
        public var supportedLocales: [SpeechLocale] { get async { locales } }

        /// 16 kHz, mono, 16-bit.
        public func audioFormat(for options: RecognitionOptions) async throws(DictationError) -> AudioFormat {
            .speech
        }

        /// Loads the model; the first time, it is tried in a process of its own before.
        public func prepare(
            _ options: RecognitionOptions, progress: @escaping @Sendable (Double) -> Void
        ) async throws(DictationError) {
            try await check(options)
            _ = try await recognizer(method(for: options))
            progress(1)
        }

        /// Makes a session, loading the model where that was not done yet.
        public func makeSession(_ options: RecognitionOptions) async throws(DictationError) -> any RecognitionSession {
            try await check(options)
            let hotwords = try hotwords(options.contextualStrings)
            let lease = try await recognizer(method(for: options))
            let casing = Casing(
                textCase: model.table.hasOnlyCapitals ? configuration.textCase : .asModel,
                language: options.locale.language)
            let request = StreamingDecoder.Request(
                volatileResults: options.volatileResults, wordTimes: options.wordTimes,
                wordConfidence: options.wordConfidence, hotwords: hotwords, casing: casing,
                hasEndpoints: options.volatileResults && configuration.endpointing != nil)
            let feed = AudioFeed(model: model, normalizesLevel: configuration.normalizesLevel)
            return try await DecoderSession.open("sherpa", audioFormat: .speech, options: options, on: feeding) {
                StreamingDecoder(lease, feed: feed, request)
            }
        }

        private func check(_ options: RecognitionOptions) async throws(DictationError) {
            try capabilities.check(options, engine: name)
            try await check(options.locale)
        }

        private func method(for options: RecognitionOptions) -> SearchMethod {
            options.priority == .accuracy || !options.contextualStrings.isEmpty ? .beam : .greedy
        }

        private func hotwords(_ strings: [ContextualString]) throws(DictationError) -> String? {
            guard !strings.isEmpty, let pieces = model.pieces else { return nil }
            var lines: [String] = []
            for string in strings {
                guard string.pronunciation == nil else {
                    throw DictationError(
                        .unsupportedOption,
                        "The engine '\(name)' can't take the pronunciation of '\(string.text)'.",
                        recovery: "Leave the pronunciation out: this engine goes by the spelling.")
                }
                guard pieces.encode(string.text) != nil else {
                    throw DictationError(
                        .invalidInput, "The model can't spell the contextual string '\(string.text)'.",
                        recovery: "Write it in words, with the letters of the model's language alone.")
                }
                guard string.weight.isFinite, (0...1_000).contains(string.weight) else {
                    throw DictationError(
                        .invalidInput, "The weight of the contextual string '\(string.text)' is \(string.weight).",
                        recovery: "Use 0 to 1000; 1 is the engine's own strength.")
                }
                guard string.weight > 0 else { continue }
                let strength = string.weight * Double(configuration.contextualStrength)
                lines.append(pieces.words(of: string.text).joined(separator: " ") + " :\(strength)")
            }
            return lines.isEmpty ? nil : lines.joined(separator: "\n")
        }

        private func recognizer(_ method: SearchMethod) async throws(DictationError) -> Lease<LoadedRecognizer> {
            if let lease = recognizers.lease(method) { return lease }
            let load = Task(executorPreference: loading) { [model, configuration, recognizers] in
                do throws(DictationError) {
                    if recognizers.loaded(method) == nil {
                        if configuration.modelTrial == .whenNew { try ModelTrial(model: model).run() }
                        recognizers.keep(try LoadedRecognizer(model, method, configuration), method)
                    }
                    return Result<Lease<LoadedRecognizer>?, DictationError>.success(recognizers.lease(method))
                } catch {
                    return .failure(error)
                }
            }
            guard let lease = try await load.value.get() else {
                throw DictationError(.engineFailed, "The model was unloaded while a session was being made.")
            }
            return lease
        }
    }

    /// A recognizer and where its streams are decoded.
    final class LoadedRecognizer: Sendable {
        let recognizer: Recognizer
        let lanes: DecodeLanes

        init(_ model: SherpaOnnxModel, _ method: SearchMethod, _ setup: SherpaOnnxConfiguration) throws(DictationError)
        {
            let recognizer = try Recognizer(model, method, setup)
            self.recognizer = recognizer
            lanes = DecodeLanes(count: setup.laneCount, together: setup.sessionsPerStep) { recognizer.decode($0) }
        }
    }
#else
    /// Speech recognition with sherpa-onnx's streaming transducers, left out of this build.
    @available(*, unavailable, message: "Enable the 'SherpaOnnx' trait")
    public enum SherpaOnnxEngine {}
#endif
