import DictationCore
import FoundationEssentials

/// What a command was asked to recognize, and how its text is to come out.
struct RecognitionRequest: Sendable {
    var options: RecognitionOptions
    var finder: EngineFinder
    var format: OutputFormat
    var output: String?
    var withWords: Bool
    var isQuiet: Bool
    /// The command whose help says more.
    var command: String
    /// The files that are read beside the recordings.
    var documents: [String]

    /// Reads what the command line says on top of some options.
    init(_ invocation: Invocation, basedOn options: RecognitionOptions) throws {
        var options = options
        options.locale = try invocation.value(Options.locale) ?? options.locale
        command = invocation.path
        withWords = invocation.has(Options.words)
        output = try invocation.value(Options.output)
        format = try invocation.value(Options.format) ?? output.flatMap { OutputFormat(endingOf: $0) } ?? .text
        isQuiet = invocation.has(Options.quiet)
        options.maximumAlternatives = try invocation.value(Options.alternatives) ?? 0
        options.contextualStrings = try invocation.values(Options.context).map { ContextualString($0) }
        options.wordTimes = withWords
        finder = EngineFinder(
            locale: options.locale, name: try invocation.value(Options.engine),
            model: try invocation.value(Options.model), script: try invocation.value(Options.script))
        let phrases = try invocation.values(Options.keyphrase)
        let grammar = try invocation.value(Options.grammar)
        documents = [grammar, finder.script].compactMap(\.self)
        guard grammar == nil || phrases.isEmpty else {
            throw UsageError("--grammar and --keyphrase can't be had at once.", command: invocation.path)
        }
        if let grammar { options.task = .grammar(SpeechGrammar(jsgf: try Self.text(of: grammar))) }
        if !phrases.isEmpty { options.task = .keyphrases(phrases.map { Keyphrase($0) }) }
        self.options = options
    }

    /// Where the text of some recordings goes. Throws when it would replace a file that is read.
    func destination(of sources: [String], from files: [String]) throws(UsageError) -> Destination {
        let destination = try Destination(output, sources: sources.count, format: format)
        do throws(UsageError) { try destination.spare(files + documents, sources: sources, format: format) } catch {
            throw UsageError(error.message, command: command)
        }
        return destination
    }

    /// Finds the engine; asks it for what the format would like to have as well, where it can.
    mutating func findEngine() async throws(DictationError) -> EngineChoice {
        let choice = try await finder.find(for: options)
        let features = choice.engine.capabilities.features
        if format.wantsWordTimes, features.contains(.wordTimes) { options.wordTimes = true }
        if withWords, features.contains(.wordConfidence) { options.wordConfidence = true }
        return choice
    }

    private static func text(of path: String) throws(DictationError) -> String {
        // A pipe or device would be waited for.
        guard FileIdentity(path: path)?.isRegular == true,
            let text = try? String(contentsOf: URL(filePath: path), encoding: .utf8)
        else {
            throw DictationError(
                .invalidInput, "The grammar '\(path)' can't be read.",
                recovery: "Check the path; it has to be a text file in UTF-8.")
        }
        return text
    }
}

extension ExitCode {
    /// What an error means for the one who called the command.
    init(_ error: DictationError) {
        switch error.code {
        case .unsupportedOption, .invalidInput: self = .badUse
        case .deviceNotFound, .deviceUnavailable, .deviceLost, .permissionDenied: self = .noDevice
        case .modelNotInstalled, .unknownModel, .modelInvalid, .modelUnpinned, .unsupportedLocale, .notBuilt:
            self = .noModel
        default: self = .someFailed
        }
    }
}
