import DictationCore
import DictationText
import FoundationEssentials
import Glibc

/// How recognized text becomes written text.
struct TextRequest: Sendable {
    var processors: [any TextProcessor] = []
    var vocabulary: Vocabulary?
    /// Whether the processors need the time of each word.
    var wantsWordTimes = false
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

    /// The order matters: no processor changes what the vocabulary wrote, and a spoken period ends the phrase to undo.
    private mutating func addProcessors(_ invocation: Invocation, _ locale: SpeechLocale) throws {
        if let path = try invocation.value(Options.vocabulary) {
            let vocabulary = try Vocabulary(parsing: Self.text(of: path))
            documents.append(path)
            self.vocabulary = vocabulary
            processors.append(vocabulary)
        }
        if invocation.has(Options.spokenPunctuation) {
            guard let marks = SpokenMarks(locale) else {
                throw Self.unknown("--spoken-punctuation", locale, SpokenMarks.languages)
            }
            processors.append(SpokenPunctuation(marks))
        }
        if invocation.has(Options.undo) { processors.append(SpokenUndo()) }
        if invocation.has(Options.numbers) {
            guard let words = NumberWords(locale) else {
                throw Self.unknown("--numbers", locale, NumberWords.languages)
            }
            processors.append(SpokenNumbers(words))
        }
        if invocation.has(Options.removeFillers) { processors.append(FillerRemoval()) }
        if invocation.has(Options.paragraphs) { processors.append(PauseParagraphs()) }
        wantsWordTimes = invocation.has(Options.undo) || invocation.has(Options.paragraphs)
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
        let key = file.map { ChatModel.Key.file($0) } ?? (getenv(variable) == nil ? nil : .environment(variable))
        let model = try ChatModel(at: address, model: try invocation.value(Options.languageModel), key: key)
        (rewriter, self.model) = (model, model)
    }

    private static func unknown(_ option: String, _ locale: SpeechLocale, _ languages: [String]) -> DictationError {
        DictationError(
            .unsupportedOption, "\(option) does not know the language of “\(locale)”.",
            recovery: "It knows: \(languages.joined(separator: ", ")).")
    }

    private static func text(of path: String) throws(DictationError) -> String {
        // Reading a pipe or a device could block forever.
        guard FileIdentity(path: path)?.isRegular == true,
            let text = try? String(contentsOf: URL(filePath: path), encoding: .utf8)
        else {
            throw DictationError(
                .invalidInput, "The vocabulary “\(path)” can't be read.",
                recovery: "Check the path. A vocabulary is a text file in UTF-8.")
        }
        return text
    }
}
