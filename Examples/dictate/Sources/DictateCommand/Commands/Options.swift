import DictationCore

/// The options that more than one command has.
enum Options {
    static let engine = Option<EngineName>(
        oneOf: "engine", "ENGINE", "The engine; without it, the best one installed that can do what is asked.")
    static let locale = Option<SpeechLocale>(
        "locale", "LOCALE", "The language spoken, such as en-US, which is the default.",
        completion: .words(["en-US", "de-DE", "es-ES", "fr-FR", "it-IT", "ru-RU", "zh-CN"]),
        expects: "a language tag such as en-US"
    ) { text in
        let parts = text.split(omittingEmptySubsequences: false) { $0 == "-" || $0 == "_" }
        let isTag = parts.allSatisfy {
            (1...8).contains($0.count) && $0.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) }
        }
        return isTag && parts[0].count > 1 ? SpeechLocale(text) : nil
    }
    static let model = Option<String>(
        text: "model", "DIR", "The folder of a model, in place of an installed one.", completion: .folders)
    static let format = Option<OutputFormat>(
        oneOf: "format", "FORMAT",
        "How the text comes out: text, json, srt or vtt; without it, as the ending of --output says.")
    static let output = Option<String>(
        text: "output", "PATH", "A file for the text, a folder for a file per recording, or - for standard output.",
        completion: .files)
    static let words = Flag("words", "Give each word with its times and confidence.")
    static let alternatives = Option<Int>(
        number: "alternatives", "N", "Give up to N other readings of each piece.", in: 1...100)
    static let context = Option<String>(
        text: "context", "WORD", "A word or phrase that is likely to be said.", isRepeatable: true)
    static let grammar = Option<String>(
        text: "grammar", "FILE", "Listen for the sentences of a JSGF grammar alone.", completion: .files)
    static let keyphrase = Option<String>(
        text: "keyphrase", "TEXT", "Listen for this phrase alone.", isRepeatable: true)
    static let script = Option<String>(
        text: "script", "FILE", "What the engine 'scripted' understands, as JSON.", completion: .files)
    static let quiet = Flag("quiet", "Draw nothing and say nothing but errors.")

    /// What to recognize with, and how the text comes out.
    static let recognition: [OptionSpec] = [
        engine.spec, locale.spec, model.spec, script.spec, format.spec, output.spec, alternatives.spec, context.spec,
        grammar.spec, keyphrase.spec,
    ]
    static let recognitionFlags = [words, quiet]

    static let jobs = Option<Int>(
        number: "jobs", "N", "How many cores to use; without it, all. The text does not depend on it.", in: 1...256)
    static let preview = Flag(
        "preview",
        "Show text before it is final, on a terminal; one core for each recording, and some engines are less accurate.")

    static let device = Option<String>(
        text: "device", "NAME", "The microphone, by its name in 'dictate devices'; or file:PATH, played as if spoken.")
    static let trustDevice = Flag(
        "trust-device", "Open the device whatever its name is: some names make ALSA run commands or write files.")
    static let length = Option<Duration>(seconds: "for", "SECONDS", "Stop after so long.")
    static let silence = Option<Duration>(
        seconds: "until-silence", "SECONDS", "Stop after so much silence, once something was said.")
    static let meter = Flag("meter", "Show how loud it is.")
    static let spool = Option<String>(
        text: "spool", "DIR", "Keep the audio here until its text is safe.", completion: .folders)

    /// How lists come out.
    enum ListFormat: String, Sendable, CaseIterable { case text, json }
    static let listFormat = Option<ListFormat>(oneOf: "format", "FORMAT", "How the list comes out: text or json.")
    static let follow = Flag("follow", "Go on, and tell of devices that come and go.")

    static let catalog = Option<String>(
        text: "catalog", "FILE", "A catalogue of further models, a file or an https address.", completion: .files,
        isRepeatable: true)
    static let catalogKey = Option<String>(
        text: "catalog-key", "KEY", "The public key that --catalog is signed with, in Base64.", isRepeatable: true)
    static let unpinned = Flag(
        "allow-unpinned", "Install models of which no hash is known; says whom you trust, and remembers the hashes.")
}
