import DictationCapture
import DictationCore
import DictationEngines

extension Command {
    static let doctor: Command = Command(
        name: "doctor", abstract: "Say what is installed, what is heard and what is missing.",
        discussion: "Listens to the microphone for a moment, and loads every model that is installed.",
        flags: [Options.trustDevice], options: [Options.locale.spec, Options.model.spec, Options.device.spec]
    ) { invocation, console in
        let locale = try invocation.value(Options.locale) ?? "en-US"
        let microphone = try Microphone(invocation)
        let doctor = Doctor(
            finder: EngineFinder(locale: locale, model: try invocation.value(Options.model)), microphone: microphone)
        var code = ExitCode.done
        let hasEngine = try await doctor.examineEngines { try console.output.write($0) }
        if !hasEngine { code = .noModel }
        let hears = try await doctor.examineMicrophone { try console.output.write($0) }
        if !hears, code == .done { code = .noDevice }
        return code
    }
}

/// Looks at each part that dictation needs.
struct Doctor {
    let finder: EngineFinder
    let microphone: Microphone
    private let runtime = DictationRuntime.current

    init(finder: EngineFinder, microphone: Microphone) {
        self.finder = finder
        self.microphone = microphone
    }

    /// Loads every model; answers whether there is one for the locale.
    func examineEngines(_ write: (String) throws -> Void) async throws -> Bool {
        try write("Engines for \(finder.locale), the best first\n")
        var hasDefault = false
        for engine in EngineName.byQuality {
            let models = finder.model == nil ? finder.models(of: engine) : []
            if !models.contains(where: { $0.locales.contains(finder.locale) }) {
                // The one that `--model` names, or why there is none.
                let chosen = FoundModel(name: "", locales: [finder.locale]) { () throws(DictationError) in
                    try finder.choice(of: engine)
                }
                if try await examine(chosen, of: engine, isDefault: !hasDefault, write) { hasDefault = true }
            }
            for model in models {
                let isOurs = model.locales.contains(finder.locale)
                let works = try await examine(model, of: engine, isDefault: isOurs && !hasDefault, write)
                hasDefault = hasDefault || (isOurs && works)
            }
        }
        return hasDefault
    }

    /// Loads a model; answers whether it can be used for free speech.
    private func examine(
        _ model: FoundModel, of engine: EngineName, isDefault: Bool, _ write: (String) throws -> Void
    ) async throws -> Bool {
        let locale = model.locales.contains(finder.locale) ? finder.locale : model.locales.first ?? finder.locale
        do throws(DictationError) {
            let choice = try model.choice()
            try await choice.engine.validate(locale)
            var options = RecognitionOptions(locale: locale)
            let isForSpeech = choice.engine.capabilities.features.contains(.dictation)
            if !isForSpeech { options.task = .keyphrases([Keyphrase("hello")]) }
            let began = runtime.now()
            try await choice.engine.prepare(options)
            let time = ((runtime.now() - began) / .milliseconds(1)).rounded() / 1_000
            let name = choice.model.map { "model \($0.visible) for \(locale), " } ?? ""
            let use = isForSpeech ? isDefault ? "; the default: the best that works" : "" : "; for keyphrases alone"
            try? write("  ✔ \(engine.rawValue): \(name)loaded in \(time) s\(use)\n")
            return isForSpeech
        } catch {
            let name = model.name.isEmpty ? "" : ": model \(model.name) for \(locale)"
            try? write(Self.problem(engine.rawValue + name, await advised(error, engine)))
            return false
        }
    }

    /// Where there is no model, how to have one says more than what the engine says.
    private func advised(_ error: DictationError, _ engine: EngineName) async -> DictationError {
        guard error.code == .modelNotInstalled, finder.model == nil else { return error }
        var finder = finder
        finder.name = engine
        return await MissingModel(finder: finder).error
    }

    /// Listens for a moment; answers whether anything was heard.
    func examineMicrophone(_ write: (String) throws -> Void) async throws -> Bool {
        try write("Microphones\n")
        do throws(DictationError) {
            let devices = try await microphone.capturer.devices()
            for device in devices {
                try? write("    \(device.id.visible)\(device.isDefault ? ", the default" : "")\n")
            }
            if case .denied(let advice) = await microphone.capturer.authorization {
                throw DictationError(.permissionDenied, "Recording is not permitted.", recovery: advice)
            }
            let heard = try await listen()
            let (isGood, words) = Self.describe(heard)
            try? write("  \(isGood ? "✔" : "✘") \(microphone.name.visible): \(words)\n")
            return isGood
        } catch {
            try? write(Self.problem(microphone.name, await microphone.explain(error)))
            return false
        }
    }

    /// The loudest moment of two seconds; `nil` when nothing arrived.
    private func listen() async throws(DictationError) -> AudioLevel? {
        let stream = try await microphone.capturer.start(CaptureOptions(device: microphone.device))
        let capturer = microphone.capturer
        let level = await runtime.within(.seconds(4)) { () -> Result<AudioLevel?, DictationError> in
            var loudest: AudioLevel?
            var events = stream.makeAsyncIterator()
            do throws(DictationError) {
                while let event = try await events.next() {
                    guard case .buffer(let buffer) = event else { continue }
                    let level = AudioLevel(of: buffer)
                    if level.rms >= loudest?.rms ?? .silence { loudest = level }
                    if buffer.end >= .seconds(2) { break }
                }
                return .success(loudest)
            } catch {
                return .failure(error)
            }
        }
        await capturer.stop(.full)
        return try level?.get()
    }

    private static func describe(_ level: AudioLevel?) -> (Bool, String) {
        guard let level else {
            return (false, "opens, and no sound arrives.\n      → Plug it in again, or choose another with --device.")
        }
        if level.peak == .silence {
            return (false, "gives nothing but zeros.\n      → Unmute it, or choose another with --device.")
        }
        let loudness = "heard, \(level.rms) at the loudest"
        return level.rms >= InputThresholds().speech
            ? (true, loudness) : (true, loudness + ", which is too quiet for speech: speak, or raise its volume")
    }

    private static func problem(_ name: String, _ error: DictationError) -> String {
        "  ✘ \(name.visible): \(error.message.visible)\n"
            + (error.recovery.map { "      → \($0.visible)\n" } ?? "")
    }
}
