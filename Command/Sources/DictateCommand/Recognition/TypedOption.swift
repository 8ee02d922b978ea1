import DictationCore

extension DictationError {
    /// The options of the command, by the words for them in errors of the library.
    private static let typedOptions: [(words: String, option: OptionSpec)] = [
        ("the option “wordTimes”", Options.words.spec), ("the option “wordConfidence”", Options.words.spec),
        ("the option “maximumAlternatives”", Options.alternatives.spec),
        ("the option “contextualStrings”", Options.context.spec), ("the task “grammar”", Options.grammar.spec),
        ("the task “keyphrases”", Options.keyphrase.spec),
    ]

    /// Whether the error is about an option of the library that has another name here.
    var isAboutTypedOption: Bool {
        code == .unsupportedOption && Self.typedOptions.contains { message.contains($0.words) }
    }

    /// Whether the error is about a task for which some engines exist alone.
    var isAboutTask: Bool { message.contains("the task '") }

    /// The error with the name of the option as the user typed it.
    ///
    /// - Parameter alternative: Other arguments that would work, if there are any.
    func namingTypedOption(alternative: String? = nil) -> DictationError {
        guard isAboutTypedOption else { return self }
        var error = self
        for (words, option) in Self.typedOptions {
            error.message = error.message.replacing(words, with: "--\(option.name)")
        }
        error.recovery = "Leave the option out\(alternative.map { ", or use \($0)" } ?? "")."
        return error
    }
}
