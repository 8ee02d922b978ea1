import DictationCore
import DictationText
import FoundationEssentials
import Glibc

/// How recognized text becomes written text.
struct TextRequest: Sendable {
    var processors: [any TextProcessor] = []
    var vocabulary: WrittenVocabulary?
    /// Whether the processors need the time of each word.
    private(set) var wantsWordTimes = false
    var rewriter: (any TextRewriter)?
    /// The language model for the title and the summary.
    var model: ChatModel?
    var withTitle = false
    var withSummary = false
    /// The files to read.
    var documents: [String] = []

    init() {}

    /// Reads the command line.
    init(_ invocation: Invocation, locale: SpeechLocale, formats: [OutputFormat]) throws {
        withTitle = invocation.has(Options.title)
        withSummary = invocation.has(Options.summary)
        if withTitle || withSummary, !formats.contains(where: \.showsTitles) {
            throw UsageError("Captions have no place for --title and --summary.", command: invocation.path)
        }
        try addProcessors(invocation, locale)
        try addRewriter(invocation)
    }

    /// Whether the text can be written only at its end.
    var isLate: Bool { rewriter != nil || withTitle || withSummary }

    private mutating func addProcessors(_ invocation: Invocation, _ locale: SpeechLocale) throws {
        if let path = try invocation.value(Options.vocabulary) {
            let vocabulary = try WrittenVocabulary(parsing: textFile(path, "vocabulary"))
            documents.append(path)
            self.vocabulary = vocabulary
        }
        var choices = WritingChoices()
        choices.add(invocation)
        processors = try choices.processors(for: locale, vocabulary: vocabulary)
        wantsWordTimes = choices.needsWordTimes
    }

    private mutating func addRewriter(_ invocation: Invocation) throws {
        let command = try invocation.value(Options.rewriteCommand)
        guard let address = try invocation.value(Options.rewriteWith) else {
            for option in [Options.languageModel, Options.keyFile] where try invocation.value(option) != nil {
                throw UsageError("--\(option.spec.name) works only with --rewrite-with.", command: invocation.path)
            }
            rewriter = command.map { CommandRewriter(["sh", "-c", $0]) }
            return
        }
        guard command == nil else {
            throw UsageError("--rewrite-with and --rewrite-command can't be used together.", command: invocation.path)
        }
        let variable = "DICTATE_KEY"
        let file = try invocation.value(Options.keyFile)
        documents += [file].compactMap(\.self)
        let key = file.map { SecretText.Source.file($0) } ?? (getenv(variable) == nil ? nil : .environment(variable))
        let model = try ChatModel(at: address, model: try invocation.value(Options.languageModel), key: key)
        (rewriter, self.model) = (model, model)
    }
}

extension WritingChoices {
    /// Adds what the command line chooses.
    mutating func add(_ invocation: Invocation) {
        spokenPunctuation = spokenPunctuation || invocation.has(Options.spokenPunctuation)
        undo = undo || invocation.has(Options.undo)
        numbers = numbers || invocation.has(Options.numbers)
        removeFillers = removeFillers || invocation.has(Options.removeFillers)
        paragraphs = paragraphs || invocation.has(Options.paragraphs)
    }
}
