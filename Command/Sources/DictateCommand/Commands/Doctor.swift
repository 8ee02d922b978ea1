import DictationCapture
import DictationCore
import DictationEngines
import DictationRemote

extension Command {
    static let doctor: Command = Command(
        name: "doctor", abstract: "Check the libraries, the engines, the models, the microphone and where text can go.",
        discussion: """
            Loads every installed model and listens to the microphone for a moment. With --server, only
            tries that server. With --type, only types a test text into its own terminal, with each
            program that can type here, and checks that it arrives.
            """,
        flags: [Options.inProcess, Options.trustDevice, Options.type] + Options.remoteFlags,
        options: [
            Options.engine.spec, Options.locale.spec, Options.model.spec, Options.device.spec, Options.settings.spec,
        ] + Options.remote
    ) { invocation, console in
        let destinations = DestinationDoctor(try settingsFile(invocation))
        if invocation.has(Options.type) { return try await destinations.type(console) }
        let locale = try invocation.value(Options.locale) ?? "en-US"
        let engine = try invocation.value(Options.engine)
        var notices: [String] = []
        if let remote = try await RemoteEngine.Configuration(invocation, engine, locale: locale, notices: &notices) {
            notices.forEach(console.complain)
            let works = try await Doctor.examine(remote) { try console.output.write($0) }
            return works ? .done : .noModel
        }
        guard engine == nil else {
            throw UsageError("The doctor tries all engines of this machine.", command: invocation.path)
        }
        let microphone = try Microphone(invocation)
        var finder = EngineFinder(locale: locale)
        finder.modelFolder = try invocation.value(Options.model)
        finder.helper = .forCommand(invocation)
        let doctor = Doctor(finder: finder, microphone: microphone)
        var code = ExitCode.done
        try await doctor.examineLibraries { try console.output.write($0) }
        let hasEngine = try await doctor.examineEngines { try console.output.write($0) }
        if finder.modelFolder == nil { try await doctor.suggestSetup { try console.output.write($0) } }
        if !hasEngine { code = .noModel }
        let hears = try await doctor.examineMicrophone { try console.output.write($0) }
        if !hears, code == .done { code = .noDevice }
        try await destinations.examine { try console.output.write($0) }
        return code
    }
}

/// Checks each part that dictation needs.
struct Doctor {
    let finder: EngineFinder
    let microphone: Microphone
    private let runtime = DictationRuntime.current

    init(finder: EngineFinder, microphone: Microphone) {
        self.finder = finder
        self.microphone = microphone
    }

    private var locale: SpeechLocale { finder.options.locale }

    /// Loads the library that engines need when they run. Without it, the other engines still work.
    func examineLibraries(_ write: (String) throws -> Void) async throws {
        try write("Libraries\n")
        let loading = Task(executorPreference: runtime.blockingExecutor("library")) {
            Result { () throws(DictationError) in try SherpaOnnxLibrary.load() }
        }
        switch await loading.value {
        case .success(let library):
            try write("  ✔ sherpa-onnx \(library.version): \(library.path.visible)\n")
            if let detectors = SherpaOnnxOfflineEngine.Detectors.installed() {
                try write("  ✔ speech detectors: \(detectors.folder.visible)\n")
            } else {
                try write("    no speech detectors: loudness decides what is speech. “dictate setup” installs them.\n")
            }
        case .failure(let error): try write(Self.problem("sherpa-onnx", error))
        }
    }

    /// Loads every model and returns whether one works for the locale.
    func examineEngines(_ write: (String) throws -> Void) async throws -> Bool {
        try write("Engines for \(locale), the best first\n")
        var hasDefault = false
        for candidate in finder.candidates {
            if candidate.joinsEngines {
                hasDefault = try await examineJoined(candidate, write)
                continue
            }
            let models = finder.modelFolder == nil ? candidate.models() : []
            if !models.contains(where: { $0.locales.contains(locale) }) {
                // The model of `--model`, or the reason why there is none.
                switch await chosenModel(of: candidate) {
                case .success(let model):
                    let works = try await examine(model, of: candidate.id, isDefault: !hasDefault, write)
                    hasDefault = hasDefault || works
                case .failure(let error): try write(Self.problem(candidate.id.rawValue, error))
                }
            }
            for model in models {
                let isOurs = model.locales.contains(locale)
                let works = try await examine(model, of: candidate.id, isDefault: isOurs && !hasDefault, write)
                hasDefault = hasDefault || (isOurs && works)
            }
        }
        return hasDefault
    }

    /// Loads the two models that work best together for the locale, if there are any, and returns whether they work.
    private func examineJoined(_ candidate: EngineCandidate, _ write: (String) throws -> Void) async throws -> Bool {
        guard finder.modelFolder == nil else { return false }
        guard case .success(let model) = await chosenModel(of: candidate) else {
            try write("    \(candidate.id): needs a model of sherpa-onnx-offline and another model for \(locale)\n")
            return false
        }
        return try await examine(model, of: candidate.id, isDefault: true, write)
    }

    /// Returns the model in the folder of `--model`, or the reason why there is no model.
    private func chosenModel(of candidate: EngineCandidate) async -> Result<EngineCandidate.Model, DictationError> {
        if let folder = finder.modelFolder {
            return Result { () throws(DictationError) in try candidate.model(in: folder, for: locale) }
        }
        var finder = finder
        finder.requiredEngine = candidate.id
        switch await finder.search() {
        case .missing(let missing): return .failure(missing.advisedError)
        // The model was installed just now.
        case .found(let found):
            return .success(EngineCandidate.Model(name: found.model, locales: [locale]) { found.engine })
        }
    }

    /// Says what `dictate setup` would install for the locale.
    func suggestSetup(_ write: (String) throws -> Void) async throws {
        guard let setup = try? await finder.setup(), !setup.isComplete else { return }
        let names = setup.missing.map(\.id.visible).joined(separator: " and ")
        try write("    → \(setupCommand(locale)) installs the best engine, \(setup.engine): \(names)\(setup.size).\n")
    }

    /// Loads a model and returns whether it works for free speech.
    private func examine(
        _ model: EngineCandidate.Model, of engine: EngineID, isDefault: Bool, _ write: (String) throws -> Void
    ) async throws -> Bool {
        let locale = model.locales.contains(locale) ? locale : model.locales.first ?? locale
        let name = model.name.map { "model \($0.visible) for \(locale)" }
        do throws(DictationError) {
            let speech = try model.open(inHelper: finder.helper)
            try await speech.validate(locale)
            var options = RecognitionOptions(locale: locale)
            let isForSpeech = speech.capabilities.features.contains(.dictation)
            if !isForSpeech { options.task = .keyphrases([RecognitionTask.Keyphrase("hello")]) }
            let began = runtime.now()
            try await speech.prepare(options)
            let time = ((runtime.now() - began) / .milliseconds(1)).rounded() / 1_000
            let use = isForSpeech ? isDefault ? "; the default: the best that works" : "" : "; only for keyphrases"
            try? write("  ✔ \(engine): \(name.map { "\($0), " } ?? "")loaded in \(time) s\(use)\n")
            if let restrictions = speech.capabilities.restrictionText { try? write("      \(restrictions)\n") }
            return isForSpeech
        } catch {
            try? write(Self.problem(engine.rawValue + (name.map { ": \($0)" } ?? ""), error))
            return false
        }
    }

    /// Lists the microphones, listens for a moment, and returns whether the microphone works.
    func examineMicrophone(_ write: (String) throws -> Void) async throws -> Bool {
        try write("Microphones\n")
        do throws(DictationError) {
            let devices = try await microphone.capturer.devices()
            for device in devices {
                try? write("    \(device.id.visible)\(device.isDefault ? ", the default" : "")\n")
            }
            let heard = try await microphone.listen(for: .seconds(2))
            try? write("  \(heard.isGood ? "✔" : "✘") \(microphone.name.visible): \(heard)\n")
            return heard.isGood
        } catch {
            try? write(Self.problem(microphone.name, await microphone.explain(error)))
            return false
        }
    }

    /// Tries a server, and returns whether it works.
    static func examine(_ remote: RemoteEngine.Configuration, _ write: (String) throws -> Void) async throws -> Bool {
        try write("Servers\n")
        var works = true
        for address in remote.server.addresses {
            var one = remote
            one.server.addresses = [address]
            do throws(DictationError) {
                let probe = try await one.probe()
                try? write("  ✔ \(one.name) at \(address.visible): \(probe.summary)\n")
                for model in probe.models.prefix(20) {
                    let languages = model.languages.isEmpty ? "" : " for \(model.languages.joined(separator: ", "))"
                    try? write("      model \((model.name + languages).visible)\n")
                }
            } catch {
                works = false
                try? write(problem("\(one.kind.rawValue) at \(address)", error))
            }
        }
        return works
    }

    /// - Parameter isUsed: Whether something needs it, so that it is a fault.
    static func problem(_ name: String, _ error: DictationError, isUsed: Bool = true) -> String {
        "  \(isUsed ? "✘" : " ") \(name.visible): \(error.message.visible)\n"
            + (error.advised.recovery.map { "      → \($0.visible)\n" } ?? "")
    }
}

extension RemoteEngine.Configuration {
    /// The kind of the server, and its dialect if that is not the original.
    fileprivate var name: String {
        guard kind == .openAI, let dialect, dialect != .openAI else { return kind.rawValue }
        return "\(kind.rawValue) (\(dialect.name))"
    }
}

extension RemoteEngine.Probe {
    /// How far away the server is, and how fast.
    fileprivate var summary: String {
        func seconds(_ time: Duration) -> Double { (time / .milliseconds(1)).rounded() / 1_000 }
        return "ready after \(seconds(connectTime)) s; recognized \(seconds(audioLength)) s of noise in "
            + "\(seconds(recognitionTime)) s"
    }
}

extension EngineCapabilities {
    /// What the process of an engine can't do, and what this kernel does not keep it from; `nil` for an engine in this
    /// process.
    fileprivate var restrictionText: String? {
        guard !restrictions.isEmpty else { return nil }
        let known: [(Restriction, String)] = [
            (.noNetwork, "no network"), (.noPrograms, "no programs"), (.noOtherFiles, "no files of others"),
            (.limitedMemory, "limited memory"), (.noCoreFiles, "no core files"),
            (.noNewPrivileges, "no new rights"),
        ]
        let held = known.filter { restrictions.contains($0.0) }.map(\.1)
        let missing = known.filter { !restrictions.contains($0.0) }.map(\.1)
        return "In a process of its own, with " + held.joined(separator: ", ") + "."
            + (missing.isEmpty ? "" : " This kernel can't do this: \(missing.joined(separator: ", ")).")
    }
}
