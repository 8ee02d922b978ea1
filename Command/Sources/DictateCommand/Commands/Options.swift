import DictationCore

/// The options of the commands.
enum Options {
    static let engine = Option<EngineName>(
        oneOf: "engine", "ENGINE",
        "Use only this engine. Default: two-pass with the two best installed models, or the best engine that supports the options."
    )
    static let locale = Option<SpeechLocale>(
        "locale", "LOCALE", "The spoken language. Default: en-US.",
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
        text: "model", "DIR", "Use the model in this folder instead of an installed one.", completion: .folders)
    static let format = Option<OutputFormat>(
        "format", "FORMAT",
        "The format: text, json, srt, vtt or html. Default: the ending of --output, otherwise text. Several formats make a file each: beside the recording, or named after --output.",
        completion: .words(OutputFormat.allCases.map(\.rawValue)), isRepeatable: true,
        expects: "one of \(OutputFormat.allCases.map(\.rawValue).joined(separator: ", "))"
    ) { word in OutputFormat(rawValue: word) ?? OutputFormat.allCases.first { $0.ending == word } }
    static let output = Option<String>(
        text: "output", "PATH",
        "Write to this file, or to one file per recording in this folder. - is standard output.",
        completion: .files)
    static let embedAudio = Flag(
        "embed-audio", "Make the recording a part of the html page. Otherwise the page plays the file from its place.")
    static let words = Flag("words", "Print each word with its times and confidence.")
    static let alternatives = Option<Int>(
        number: "alternatives", "N",
        "Print up to N alternatives for each line. Only PocketSphinx has some, and it gets far more words wrong.",
        in: 1...100)
    static let context = Option<String>(
        text: "context", "WORD",
        "Expect this word or phrase. Only streaming models and PocketSphinx can, which get more words wrong. --vocabulary spells words with any engine.",
        isRepeatable: true)
    static let grammar = Option<String>(
        text: "grammar", "FILE", "Recognize only the sentences of a JSGF grammar.", completion: .files)
    static let keyphrase = Option<String>(
        text: "keyphrase", "TEXT", "Recognize only this phrase.", isRepeatable: true)
    static let script = Option<String>(
        text: "script", "FILE", "The script for the engine “scripted”, as JSON.", completion: .files)
    static let priority = Option<RecognitionOptions.Priority>(
        oneOf: "priority", "PRIORITY",
        "speed, balanced or accuracy. Default: balanced, the best trade of each engine."
    )
    static let inProcess = Flag(
        "in-process",
        "Run the engine in this process, and decode recordings in it. Otherwise each has a process of its own, so that a crash of the engine costs no words, and a recording that was made to take over its decoder costs nothing else."
    )
    static let detectLanguage = Flag(
        "detect-language",
        "Have the model find out which language is spoken. Whisper and SenseVoice can; --locale then only says how numbers are written."
    )
    static let quiet = Flag("quiet", "Show no progress; print only errors.")

    /// The options for recognition and for the text.
    static let recognition: [OptionSpec] =
        [
            engine.spec, locale.spec, model.spec, priority.spec, script.spec, format.spec, output.spec,
            alternatives.spec,
            context.spec, grammar.spec, keyphrase.spec,
        ] + remote
    static let recognitionFlags = [words, detectLanguage, inProcess, quiet] + remoteFlags

    private static let groups: [(title: String, specs: [OptionSpec])] = [
        (
            "Input",
            recording + [jobs.spec, device.spec, trustDevice.spec, length.spec, silence.spec, meter.spec, spool.spec]
        ),
        (
            "Engine",
            [
                engine.spec, locale.spec, model.spec, priority.spec, context.spec, grammar.spec, keyphrase.spec,
                alternatives.spec, script.spec, detectLanguage.spec, inProcess.spec, preview.spec,
            ]
        ),
        ("Servers", remote + remoteFlags.map(\.spec)),
        ("Text", text + textFlags.map(\.spec)),
        ("Output", [format.spec, output.spec, words.spec, embedAudio.spec, quiet.spec]),
    ]

    /// Divides the options of a command that has many, for its help.
    static func grouped(_ specs: [OptionSpec]) -> [(title: String, specs: [OptionSpec])] {
        guard specs.count > 20 else { return [("Options", specs)] }
        let names = Set(specs.map(\.name))
        let known = groups.map { group in (group.title, group.specs.filter { names.contains($0.name) }) }
        let used = Set(known.flatMap(\.1).map(\.name))
        return (known + [("Other options", specs.filter { !used.contains($0.name) })]).filter { !$0.1.isEmpty }
    }

    static let jobs = Option<Int>(
        number: "jobs", "N", "Use up to N cores. Default: all. The text is the same with any number.", in: 1...256)
    static let preview = Flag(
        "preview",
        "Show text on the terminal before it is final. Uses one core per recording; some engines become less accurate.")

    static let device = Option<String>(
        text: "device", "NAME", "A microphone listed by “dictate devices”, or file:PATH to play a recording.")
    static let trustDevice = Flag(
        "trust-device", "Open a device of any name. Some names make ALSA run commands or write files.")
    static let length = Option<Duration>(seconds: "for", "SECONDS", "Stop after this long.")
    static let silence = Option<Duration>(
        seconds: "until-silence", "SECONDS", "Stop when this much silence follows speech.")
    static let meter = Flag("meter", "Show the input level.")
    static let spool = Option<String>(
        text: "spool", "DIR", "Keep the audio in this folder until its text is safe.", completion: .folders)

    /// The format of a list.
    enum ListFormat: String, Sendable, CaseIterable { case text, json }
    static let listFormat = Option<ListFormat>(oneOf: "format", "FORMAT", "The format of the list: text or json.")
    static let follow = Flag("follow", "Keep running and report microphones that come and go.")

    static let catalog = Option<String>(
        text: "catalog", "FILE", "Also use this catalog of models: a file or an https address.", completion: .files,
        isRepeatable: true)
    static let catalogKey = Option<String>(
        text: "catalog-key", "KEY", "The public key of the signature of --catalog, in Base64.", isRepeatable: true)
    static let catalogs = [catalog.spec, catalogKey.spec]
    static let unpinned = Flag(
        "allow-unpinned", "Install models without known hashes. Prints whom you trust and records the hashes.")

    static let yes = Flag("yes", "Install without a question, as scripts do.")
    static let noMicrophone = Flag("no-microphone", "Do not listen to the microphone.")
}
