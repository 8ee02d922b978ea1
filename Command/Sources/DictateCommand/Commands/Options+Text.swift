import DictationCore
import DictationText

/// The options that turn recognized text into written text.
extension Options {
    static let vocabulary = Option<String>(
        text: "vocabulary", "FILE", "Spell words as in this file: a phrase on each line, or “from -> to”.",
        completion: .files)
    static let numbers = Flag("numbers", "Write spoken numbers, dates, times and amounts with digits. English only.")
    static let spokenPunctuation = Flag(
        "spoken-punctuation", "Write “comma”, “new paragraph” and other spoken marks as punctuation and layout.")
    static let removeFillers = Flag("remove-fillers", "Leave out sounds such as “um” and “uh”.")
    static let undo = Flag("undo", "Leave out the last phrase after “scratch that”.")
    static let paragraphs = Flag("paragraphs", "Begin a paragraph after a long pause.")
    static let title = Flag("title", "Write a title before the text.")
    static let summary = Flag("summary", "Write a summary before the text.")
    static let rewriteWith = Option<String>(
        text: "rewrite-with", "ADDRESS",
        "Send the text to the language model at this http or https address, to correct it and to write the title and the summary. The original text goes to standard error."
    )
    static let rewriteCommand = Option<String>(
        text: "rewrite-command", "COMMAND",
        "Correct the text with this shell command, from its input to its output. The original text goes to standard error."
    )
    static let languageModel = Option<String>(
        text: "language-model", "NAME", "The name of the language model at the address of --rewrite-with.")
    static let keyFile = Option<String>(
        text: "key-file", "FILE",
        "The file with the key for --rewrite-with. Default: the variable DICTATE_KEY, if it is set.", completion: .files
    )

    static let text: [OptionSpec] = [
        vocabulary.spec, rewriteWith.spec, languageModel.spec, keyFile.spec, rewriteCommand.spec,
    ]
    static let textFlags = [numbers, spokenPunctuation, removeFillers, undo, paragraphs, title, summary]
}
