public import DictationCore
public import DictationText

/// What the user has set for a profile.
public struct ProfileSettings: Sendable, Hashable {
    /// The spoken language.
    public var language: SpeechLocale = "en-US"
    /// The name of the engine; `nil` is the best one.
    public var engine: String?
    /// The folder of the model; `nil` is an installed one.
    public var model: String?
    /// The server of an engine elsewhere.
    public var server = ProfileSettings.Server()
    /// Whether speed or accuracy matters more.
    public var priority = RecognitionOptions.Priority.balanced
    /// The name of the microphone; `nil` is the usual one.
    public var device: String?
    /// The path of a file with a vocabulary, see `WrittenVocabulary`.
    public var vocabulary: String?
    /// Words and phrases to expect.
    public var context: [String] = []
    /// How the text is written.
    public var text = WritingChoices()
    /// Where the text belongs, for the program that gets it.
    public var destination: String?
    /// The destinations to which the service delivers the text, in the order in which they are tried.
    public var deliveryDestinations: [ProfileSettings.Destination] = []
    /// What line breaks become when the text is typed or pasted.
    public var lineBreaks = TypedLineBreaks.space
    /// The keys that paste.
    public var pasteKeys = "ctrl+v"
    /// The path of the file for ``ProfileSettings/Destination/file``.
    public var deliveryFile: String?
    /// The program for ``ProfileSettings/Destination/command``, and its arguments.
    public var deliveryCommand: [String] = []
    /// The silence after speech at which a take stops; `nil` turns this off.
    public var endingSilence: Duration?
    /// The length at which a take stops; `nil` turns this off.
    public var maximumLength: Duration?

    /// Creates the usual settings.
    public init() {}

    static let all: [Setting<ProfileSettings>] = own + ProfileSettings.Server.all

    private static let own: [Setting<ProfileSettings>] = [
        Setting(
            name: "language", expects: "a language tag such as \"en-US\"", summary: "The spoken language.",
            schema: .text(pattern: "^[A-Za-z0-9]{2,8}([-_][A-Za-z0-9]{1,8})*$")
        ) { profile, value in
            guard case .text(let tag) = value, isTag(tag) else { return false }
            profile.language = SpeechLocale(tag)
            return true
        } value: {
            .text($0.language.identifier)
        },
        .text("engine", \.engine, "The engine, such as \"sherpa-onnx\". With null, the best one that is installed."),
        .text("model", \.model, "The folder of a model to use instead of an installed one."),
        .word("priority", \.priority, "Whether speed or accuracy matters more."),
        .text("device", \.device, "The microphone. With null, the usual one."),
        .text("vocabulary", \.vocabulary, "A file with words as they are spelled. A path is relative to the settings."),
        .texts("context", \.context, "Words and phrases to expect. Not every engine can."),
        .flag(
            "text.spokenPunctuation", \.text.spokenPunctuation, "Write spoken marks, such as \"comma\", as punctuation."
        ),
        .flag("text.undo", \.text.undo, "Leave out the last phrase after \"scratch that\"."),
        .flag("text.numbers", \.text.numbers, "Write spoken numbers, dates, times and amounts with digits."),
        .flag("text.removeFillers", \.text.removeFillers, "Leave out sounds such as \"um\"."),
        .flag("text.paragraphs", \.text.paragraphs, "Begin a paragraph after a long pause."),
        .text("destination", \.destination, "Where the text belongs. Whoever gets the text is told."),
        .words(
            "deliver.to", \.deliveryDestinations,
            "Where the service delivers the text, in the order in which they are tried."),
        .word("deliver.lineBreaks", \.lineBreaks, "What a line break becomes when the text is typed or pasted."),
        Setting(
            name: "deliver.pasteKeys", expects: "keys such as \"ctrl+v\"",
            summary: "The keys that paste, such as \"ctrl+shift+v\" in terminals.",
            schema: .text(pattern: "^(([Ss]hift|[Cc]trl|[Aa]lt|[Ss]uper)[+])*[A-Za-z0-9_]+$")
        ) { profile, value in
            guard case .text(let keys) = value, (try? KeyboardKey(keys)) != nil else { return false }
            profile.pasteKeys = keys
            return true
        } value: {
            .text($0.pasteKeys)
        },
        .text("deliver.file", \.deliveryFile, "The file for \"file\". A path is relative to the settings."),
        .texts("deliver.command", \.deliveryCommand, "The program for \"command\", and its arguments."),
        .seconds(
            "stopAfterSilence", \.endingSilence, in: 0.1...86_400, "Stop when this much silence follows speech."),
        .seconds("maximumLength", \.maximumLength, in: 0.1...86_400, "Stop after this long."),
    ]

    private static func isTag(_ tag: String) -> Bool {
        let parts = tag.split(omittingEmptySubsequences: false) { $0 == "-" || $0 == "_" }
        return parts[0].count > 1
            && parts.allSatisfy {
                (1...8).contains($0.count) && $0.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) }
            }
    }
}
