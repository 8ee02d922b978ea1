import DictationCore
import DictationEngines
import DictationRemote
import DictationText
import FoundationEssentials

/// What to recognize, and how to write the text.
struct RecognitionRequest: Sendable {
    var options: RecognitionOptions
    var finder: EngineFinder
    /// The formats, each once.
    var formats: [OutputFormat]
    var embedsAudio: Bool
    var output: String?
    var withWords: Bool
    var text: TextRequest
    var isQuiet: Bool
    /// Whether the model finds out the language.
    var detectsLanguage: Bool
    /// The command whose help explains more.
    var command: String
    /// Other files to read: a grammar, a script.
    var documents: [String]
    /// What the user should know about the engine's server.
    private var notices: [String] = []

    /// Reads the command line, with `options` as the defaults.
    init(_ invocation: Invocation, basedOn options: RecognitionOptions) async throws {
        var options = options
        options.locale = try invocation.value(Options.locale) ?? options.locale
        command = invocation.path
        withWords = invocation.has(Options.words)
        output = try invocation.value(Options.output)
        let named = try invocation.values(Options.format)
        let wanted = named.isEmpty ? [output.flatMap { OutputFormat(endingOf: $0) } ?? .text] : named
        formats = OutputFormat.allCases.filter(wanted.contains)
        embedsAudio = invocation.has(Options.embedAudio)
        guard !embedsAudio || formats.contains(.html) else {
            throw UsageError("--embed-audio needs --format html.", command: invocation.path)
        }
        isQuiet = invocation.has(Options.quiet)
        detectsLanguage = invocation.has(Options.detectLanguage)
        options.priority = try invocation.value(Options.priority) ?? options.priority
        options.maximumAlternatives = try invocation.value(Options.alternatives) ?? 0
        options.contextualStrings = try invocation.values(Options.context).map {
            RecognitionOptions.ContextualString($0)
        }
        options.wordTimes = withWords
        let script = try invocation.value(Options.script)
        let remote = try await RemoteEngine.Configuration(
            invocation, try invocation.value(Options.engine), locale: options.locale, notices: &notices)
        finder = try Self.finder(invocation, script, options, remote: remote)
        options.volatileResults = finder.options.volatileResults
        let phrases = try invocation.values(Options.keyphrase)
        let grammar = try invocation.value(Options.grammar)
        documents = [grammar, script].compactMap(\.self)
        guard grammar == nil || phrases.isEmpty else {
            throw UsageError("--grammar and --keyphrase can't be used together.", command: invocation.path)
        }
        if let grammar { options.task = .grammar(RecognitionTask.Grammar(jsgf: try textFile(grammar, "grammar"))) }
        if !phrases.isEmpty { options.task = .keyphrases(phrases.map { RecognitionTask.Keyphrase($0) }) }
        text = try TextRequest(invocation, locale: options.locale, formats: formats)
        documents += text.documents
        self.options = options
    }

    /// Tells what the user should know before the work begins.
    func sayNotices(_ say: (String) -> Void) {
        if !isQuiet { notices.forEach(say) }
    }

    /// Returns where the text goes in each format. Throws when it would replace an input.
    func plan(of sources: [String], from files: [String]) throws(UsageError) -> [PlannedOutput] {
        do throws(UsageError) {
            let plan = try PlannedOutput.plan(output, formats, sources: sources, areRecordings: files == sources)
            for planned in plan {
                try planned.destination.spare(files + documents, sources: sources, format: planned.format)
                try planned.destination.validateName(for: planned.format)
            }
            return plan
        } catch {
            throw UsageError(error.message, command: command)
        }
    }

    /// Finds the engine, and turns on what the format needs and the engine supports.
    mutating func findEngine() async throws(DictationError) -> FoundEngine {
        finder.options = options
        options.locale = finder.installedLocale()
        finder.options.locale = options.locale
        switch await finder.search() {
        case .missing(let missing):
            let error = detectsLanguage ? missing.errorOfDetection : missing.advisedError
            throw error.isAboutTypedOption ? error.namingTypedOption(alternative: await alternative) : error
        case .found(let found):
            let features = found.engine.capabilities.features
            if formats.contains(where: \.wantsWordTimes) || text.wantsWordTimes, features.contains(.wordTimes) {
                options.wordTimes = true
            }
            if features.contains(.contextualStrings), options.task == .dictation {
                options.contextualStrings += text.vocabulary?.contextualStrings ?? []
            }
            // A keyphrase is found or not; not every engine says how sure it is.
            let hasConfidence = if case .keyphrases = options.task { false } else { true }
            let wantsConfidence = withWords || formats.contains(where: \.wantsConfidence)
            if wantsConfidence, hasConfidence, features.contains(.wordConfidence) { options.wordConfidence = true }
            return found
        }
    }

    /// The arguments for an engine that supports the options, in place of the chosen engine or model.
    private var alternative: String? {
        get async {
            var finder = finder
            (finder.requiredEngine, finder.modelFolder) = (nil, nil)
            guard case .found(let found) = await finder.search() else { return nil }
            return "--engine \(found.id)\(self.finder.modelFolder == nil ? "" : " without --model")"
        }
    }

    /// Returns the error of an engine with the command that repairs an installed model.
    func advised(_ error: DictationError) -> DictationError {
        guard error.code == .modelInvalid, finder.modelFolder == nil else { return error }
        var error = error
        error.recovery = "Repair it with \(setupCommand(options.locale, finder.requiredEngine))."
        return error
    }

    static func finder(
        _ invocation: Invocation, _ script: String?, _ options: RecognitionOptions,
        remote: RemoteEngine.Configuration? = nil
    ) throws -> EngineFinder {
        let engine = try invocation.value(Options.engine)
        let isScripted = engine == .scripted || engine == nil && script != nil
        guard isScripted || script == nil else {
            throw DictationError(
                .invalidInput, "--script works only with the engine “scripted”.", recovery: "Omit it.")
        }
        let choice = EngineChoice(
            name: isScripted ? .scripted : engine,
            model: isScripted ? script : try invocation.value(Options.model), remote: remote,
            helper: .forCommand(invocation))
        var finder = try choice.finder(for: options)
        if invocation.has(Options.detectLanguage) {
            guard engine == nil || engine == .sherpaOnnxOffline, !isScripted else {
                throw UsageError(
                    "--detect-language works only with the engine \(EngineID.sherpaOnnxOffline).",
                    command: invocation.path)
            }
            finder.candidates = BuiltInEngines.detectingLanguage()
        }
        return finder
    }
}

extension HelperEngine.Configuration {
    /// The configuration of the engine's process, which ends with this one; `nil` for `--in-process`.
    static func forCommand(_ invocation: Invocation) -> HelperEngine.Configuration? {
        guard !invocation.has(Options.inProcess) else { return nil }
        var configuration = HelperEngine.Configuration()
        configuration.retention = .processLifetime
        return configuration
    }
}

extension ExitCode {
    /// The exit code for an error.
    init(_ error: DictationError) {
        switch error.code {
        case .unsupportedOption, .invalidInput: self = .badUse
        case .deviceNotFound, .deviceUnavailable, .deviceLost, .permissionDenied: self = .noDevice
        case .modelNotInstalled, .unknownModel, .modelInvalid, .modelUnpinned, .unsupportedLocale, .notBuilt,
            .libraryNotInstalled, .libraryInvalid:
            self = .noModel
        default: self = .someFailed
        }
    }
}
