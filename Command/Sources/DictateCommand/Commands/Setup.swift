import DictationCore
import DictationEngines
import DictationModels

extension Command {
    static let setup: Command = Command(
        name: "setup", abstract: "Install the best engine for a language, and try the microphone.",
        discussion: """
            Says what it will download, and asks once. Run the command again to resume an interrupted download.
            """,
        flags: [Options.yes, Options.noMicrophone, Options.unpinned, Options.trustDevice, Options.quiet],
        options: [Options.locale.spec, Options.engine.spec, Options.device.spec] + Options.catalogs
    ) { invocation, console in
        let microphone = try Microphone(invocation)
        let inventory = try await makeReadingInventory(invocation)
        let locale = try invocation.value(Options.locale) ?? "en-US"
        var finder = EngineFinder(
            options: .liveDictation(locale), candidates: BuiltInEngines.candidates(), inventory: inventory)
        finder.requiredEngine = try invocation.value(Options.engine)?.id
        let setup = try await finder.setup()
        try console.output.write(setup.report)
        if !setup.isComplete {
            try console.output.write(setup.place(in: try inventory.store.ownFolder()))
            try console.output.write(setup.choice(of: try await inventory.assets()))
            let command = setupCommand(locale, finder.requiredEngine)
            let consent = SetupConsent(
                setup: setup, store: inventory.store, invocation: invocation, command: command)
            guard try await consent.isGiven(console) else {
                console.complain("Nothing was installed.")
                return .someFailed
            }
            let inventory = try await makeInventory(invocation)
            guard try await setup.install(from: inventory, invocation, console) else {
                console.complain("The installation was interrupted. \(command) continues it.")
                return .interrupted
            }
            // An engine may still have a problem of its own, such as a library that does not work here.
            if case .missing(let missing) = await finder.search() { throw missing.advisedError }
        }
        guard !invocation.has(Options.noMicrophone) else {
            try console.output.write("Next: dictate transcribe RECORDING\(localeOption(locale))\n")
            return .done
        }
        let hears = try await microphone.introduce(console, isQuiet: invocation.has(Options.quiet))
        let device = try invocation.value(Options.device).map { " --device \(quotedForShell($0))" } ?? ""
        let next = hears ? "live\(device)" : "transcribe RECORDING"
        try console.output.write("Next: dictate \(next)\(localeOption(locale))\n")
        return hears ? .done : .noDevice
    }
}

/// The quoted command that installs an engine, or the best, for a language.
func setupCommand(_ locale: SpeechLocale, _ engine: EngineID? = nil) -> String {
    "“dictate setup\(localeOption(locale))\(engine.map { " --engine \($0)" } ?? "")”"
}

private func localeOption(_ locale: SpeechLocale) -> String {
    locale == "en-US" ? "" : " --locale \(quotedForShell(locale.identifier))"
}

extension EngineFinder.Setup {
    /// The size of the download in parentheses, if known.
    var size: String { downloadSize.map { " (\($0))" } ?? "" }

    /// The sum of the sizes that the parts show.
    private var downloadSize: String? {
        let sizes = missing.map(\.download).flatMap { [$0.byteCount, 0 - max(0, $0.completedByteCount)] }
        return megabytes(sumOf: sizes)
            ?? megabytes(sumOf: missing.map(\.estimatedDownloadByteCount)).map { "about \($0)" }
    }

    /// What is to download, as the beginning of a sentence.
    private var downloadSentence: String {
        if let size = downloadSize { return size.prefix(1).uppercased() + size.dropFirst() + " to download" }
        let known = missing.filter { $0.estimatedDownloadByteCount != nil }
        let unknown = "\(known.isEmpty ? "" : "more ")of a size that the catalog does not know"
        guard let size = megabytes(sumOf: known.map(\.estimatedDownloadByteCount)), !known.isEmpty else {
            return "A download \(unknown)"
        }
        return "\(size) to download, and \(unknown)"
    }

    /// The engine, and a line for each part.
    fileprivate var report: String {
        var lines = ["The best engine for \(locale) on this machine: \(engine)"]
        for failure in failures {
            let name = failure.model.map { "\(failure.engine), \($0.visible)" } ?? failure.engine.rawValue
            lines.append("  ✘ \(name): \(failure.error.saidOnce.visible)")
        }
        lines += parts.map { "  " + $0.line }
        if let model, !parts.contains(where: { $0.id == model }) { lines.append("  ✔ \(model.visible): installed") }
        if isComplete { lines.append("Nothing has to be installed.") }
        return lines.joined(separator: "\n") + "\n"
    }

    /// The sizes together, where the parts go, and how to remove them.
    func place(in folder: String) -> String {
        let room = megabytes(sumOf: missing.map(\.asset.byteCount)).map { ", \($0) on the disk" } ?? ""
        let names = missing.map(\.id.visible).joined(separator: " ")
        return "\(downloadSentence)\(room), in \(folder.visible).\n"
            + "“dictate models remove \(names)” removes this again.\n"
    }

    /// Smaller models, and how to install them instead; or the command that lists other models, if their sizes are not known.
    func choice(of known: [ModelAsset]) -> String {
        let offers = smaller.filter(\.packages.isEmpty).prefix(2).map { other in
            let consent = other.unpinned.isEmpty ? "" : "--allow-unpinned "
            let names = other.missing.map { quotedForShell($0.id) }.joined(separator: " ")
            let model = other.parts.last { $0.asset.kind == .model }?.asset.name.visible ?? ""
            return "Smaller, with more errors: \(model)\(other.size). “dictate models install \(consent)\(names)”\n"
        }
        guard offers.isEmpty else { return offers.joined() }
        let hasOthers = known.contains { asset in
            asset.kind == .model && asset.byteCount == nil && asset.locales.contains(locale)
                && !parts.contains { $0.id == asset.id }
        }
        return hasOthers ? "Other models, some of them smaller: “dictate models list\(localeOption(locale))”\n" : ""
    }

    /// Installs the missing parts. Returns `false` after an interrupt.
    fileprivate func install(
        from inventory: CatalogAssetInventory, _ invocation: Invocation, _ console: Console
    ) async throws -> Bool {
        // The user has consented to all unpinned parts.
        let installer = ModelInstaller(
            console, isQuiet: invocation.has(Options.quiet), allowsUnpinned: !unpinned.isEmpty)
        defer { installer.end() }
        for part in missing {
            do throws(DictationError) { _ = try await installer.install(part.id, from: inventory) } catch {
                guard installer.isInterrupted else { throw error }
                return false
            }
            try console.output.write("\(part.id.visible): installed\n")
        }
        return !installer.isInterrupted
    }
}

extension EngineFinder.Setup.Part {
    fileprivate var line: String {
        let name = "\(id.visible), \(asset.name.visible)"
        if isInstalled { return "✔ \(name): installed" }
        if download.sources.isEmpty, let package = download.package { return "↓ \(name): the package “\(package)”" }
        let license = asset.license.map { ", license \($0.visible)" } ?? ""
        let done =
            download.completedByteCount > 0 ? ", of which \(megabytes(download.completedByteCount)) are here" : ""
        let size =
            download.byteCount.map(megabytes) ?? asset.byteCount.map { "about \(megabytes($0))" }
            ?? "a download of unknown size"
        let room = asset.byteCount.map { "; \(megabytes($0)) on the disk" } ?? ""
        let source = download.sources.map(\.visible).joined(separator: ", ")
        return "↓ \(name)\(license): \(size)\(done) from \(source)\(room)"
    }
}

/// The user's consent to an installation.
private struct SetupConsent {
    let setup: EngineFinder.Setup
    let store: ModelStore
    let invocation: Invocation
    /// The command to type again.
    let command: String

    /// Says what stands in the way, then asks.
    ///
    /// - Throws: The reason why the installation can't begin.
    func isGiven(_ console: Console) async throws -> Bool {
        if !setup.packages.isEmpty {
            let packages = setup.packages.map(quotedForShell).joined(separator: " ")
            throw DictationError(
                .modelNotInstalled, "A package of the system is missing: \(packages).",
                recovery: "Run “sudo apt-get install \(packages)”, then \(command) again.")
        }
        for shortage in setup.shortages(on: .current(store: store)) {
            guard shortage.kind == .disk else {
                console.complain("\(shortage)")
                continue
            }
            throw DictationError(.storageFull, shortage.description, recovery: "Free some space, then try again.")
        }
        let trust = setup.unpinned.compactMap { part in
            part.download.trust.map { "\(part.id.visible): its hashes are not known; \($0.visible)" }
        }
        if invocation.has(Options.yes) {
            guard trust.isEmpty || invocation.has(Options.unpinned) else {
                throw DictationError(
                    .modelUnpinned, trust.joined(separator: " "),
                    recovery: "If you trust its source, add --allow-unpinned; its hashes are then recorded.")
            }
            return true
        }
        return try await ask(trust, console)
    }

    private func ask(_ trust: [String], _ console: Console) async throws -> Bool {
        guard OutputStream(descriptor: 0, name: "standard input").isTerminal, console.errors.isTerminal else {
            let options = trust.isEmpty ? "--yes" : "--yes --allow-unpinned"
            throw UsageError(
                trust.map { $0 + " " }.joined()
                    + "There is no terminal to ask on. Add \(options) to install without a question.",
                command: "setup")
        }
        for line in trust { console.complain(line) }
        // A careless Return must not trust anyone.
        let isYesDefault = trust.isEmpty
        try console.errors.write("Install\(setup.size)? \(isYesDefault ? "[Y/n]" : "[y/N]") ")
        let runtime = DictationRuntime.current
        let answer = await Task(executorPreference: runtime.blockingExecutor("question")) { readLine() }.value
        switch answer?.lowercased() {
        case "y", "yes": return true
        case "": return isYesDefault
        case nil:
            try console.errors.write("\n")
            return false
        default: return false
        }
    }
}

extension Microphone {
    /// Listens for three seconds with a level meter, and says what arrived. Returns whether the microphone works.
    fileprivate func introduce(_ console: Console, isQuiet: Bool) async throws -> Bool {
        let panel = isQuiet || !console.draws ? nil : LivePanel(on: console.errors)
        console.signals.look(after: panel)
        defer { panel?.end() }
        panel?.show([.init(text: "Say something…")])
        let result: Result<Hearing, DictationError>
        do throws(DictationError) {
            let heard = try await listen(for: .seconds(3)) { level, end in
                panel?.show([.init(text: "● \(clock(end)) \(meter(level, columns: 20)) Say something…")])
            }
            result = .success(heard)
        } catch {
            result = .failure(await explain(error))
        }
        panel?.show([])
        panel?.end()
        switch result {
        case .success(let heard):
            try console.output.write("\(heard.isGood ? "✔" : "✘") \(name.visible): \(heard)\n")
            return heard.isGood
        case .failure(let error):
            try console.output.write("✘ \(name.visible): \(error.saidOnce.visible)\n")
            return false
        }
    }
}
