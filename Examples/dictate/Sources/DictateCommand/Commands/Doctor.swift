import DictationCapture
import DictationCore
import DictationEngines

extension Command {
    static let doctor: Command = Command(
        name: "doctor", abstract: "Say what is installed, what is heard and what is missing.",
        discussion: "Listens to the microphone for a moment, and loads each model that is installed.",
        options: [Options.locale.spec, Options.model.spec, Options.device.spec]
    ) { invocation, console in
        let locale = try invocation.value(Options.locale) ?? "en-US"
        let microphone = try Microphone(invocation.value(Options.device))
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

    /// Loads each engine's model; answers whether there is one for the locale.
    func examineEngines(_ write: (String) throws -> Void) async throws -> Bool {
        try write("Engines for \(finder.locale), the best first\n")
        var chosen: EngineName?
        for name in EngineName.byQuality {
            do throws(DictationError) {
                let choice = try finder.choice(of: name)
                try await choice.engine.check(finder.locale)
                let began = runtime.now()
                try await choice.engine.prepare(RecognitionOptions(locale: finder.locale))
                let time = decimal(runtime.now() - began)
                let model = choice.model.map { "model \(printable($0)), " } ?? ""
                let isDefault = chosen == nil
                chosen = chosen ?? name
                let why = isDefault ? "; the default: the best that works" : ""
                try? write("  ✔ \(name.rawValue): \(model)loaded in \(time) s\(why)\n")
            } catch {
                try? write(Self.problem(name.rawValue, error))
            }
        }
        return chosen != nil
    }

    /// Listens for a moment; answers whether anything was heard.
    func examineMicrophone(_ write: (String) throws -> Void) async throws -> Bool {
        try write("Microphones\n")
        do throws(DictationError) {
            let devices = try await microphone.capturer.devices()
            for device in devices {
                try? write("    \(printable(device.id))\(device.isDefault ? ", the default" : "")\n")
            }
            if case .denied(let advice) = await microphone.capturer.authorization {
                throw DictationError(.permissionDenied, "Recording is not permitted.", recovery: advice)
            }
            let heard = try await listen()
            let (isGood, words) = Self.describe(heard)
            try? write("  \(isGood ? "✔" : "✘") \(printable(microphone.name)): \(words)\n")
            return isGood
        } catch {
            try? write(Self.problem(microphone.name, error))
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
        "  ✘ \(printable(name)): \(printable(error.message))\n"
            + (error.recovery.map { "      → \(printable($0))\n" } ?? "")
    }
}
