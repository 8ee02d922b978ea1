import DictationCore
import DictationEngines
import DictationModels
import DictationText
import Synchronization

extension Command {
    private static let operand = Operands(
        placeholder: "MODEL", help: "A model listed by 'dictate models list'.", completion: .models)

    private static let catalogs = [Options.catalog.spec, Options.catalogKey.spec]

    static let models: Command = Command(
        name: "models", abstract: "List, install, verify and remove models.",
        subcommands: [
            Command(
                name: "list", abstract: "List the known models and their status.",
                options: [Options.listFormat.spec, Options.engine.spec, Options.locale.spec] + catalogs,
                run: listModels),
            Command(
                name: "install", abstract: "Download, check and install models.",
                discussion: "Run the command again to resume an interrupted download.",
                operands: operand, flags: [Options.unpinned, Options.quiet],
                options: [Options.listFormat.spec] + catalogs, run: installModels),
            Command(
                name: "verify", abstract: "Check the files of installed models.", operands: operand,
                options: [Options.listFormat.spec] + catalogs
            ) { invocation, console in
                try await forEachModel(invocation, console) { inventory, id throws(DictationError) in
                    try await inventory.verify(id)
                    return ModelOutcome(id: id, outcome: "verified")
                }
            },
            Command(
                name: "remove", abstract: "Remove installed models.", operands: operand,
                options: [Options.listFormat.spec] + catalogs
            ) { invocation, console in
                try await forEachModel(invocation, console) { inventory, id throws(DictationError) in
                    try await inventory.checkKnown(id)
                    try await inventory.removeInstalled(id)
                    return ModelOutcome(id: id, outcome: "removed")
                }
            },
        ])

    /// Runs `work` for each named model; a failure does not stop the others.
    private static func forEachModel(
        _ invocation: Invocation, _ console: Console,
        _ work: (CatalogAssetInventory, ModelAsset.ID) async throws(DictationError) -> ModelOutcome
    ) async throws -> ExitCode {
        let inventory = try await makeInventory(invocation)
        let isJSON = try invocation.value(Options.listFormat) == .json
        var code = ExitCode.done
        var outcomes: [ModelOutcome] = []
        for id in invocation.operands {
            do throws(DictationError) { outcomes.append(try await work(inventory, id)) } catch {
                outcomes.append(ModelOutcome(id: id, outcome: "failed", error: .init(error)))
                console.complain("\(id): \(error.saidOnce)")
                code = code == .done ? ExitCode(error) : code
            }
            guard !isJSON, let last = outcomes.last, last.error == nil else { continue }
            try console.output.write(printable("\(id): \(last.words)") + "\n")
        }
        if isJSON { try console.output.write(JSONWriter.encode(ModelOutcomes(models: outcomes)) + "\n") }
        return code
    }

    static func makeInventory(_ invocation: Invocation) async throws -> CatalogAssetInventory {
        let inventory = CatalogAssetInventory()
        let keys = try invocation.values(Options.catalogKey).map { text in try CatalogKey(base64: text) }
        for catalog in try invocation.values(Options.catalog) {
            try await inventory.addCatalog(catalog, trusting: keys)
        }
        return inventory
    }

    /// Makes an inventory with the catalogs of `--catalog` for this run only, because a list must not save anything.
    private static func makeReadingInventory(_ invocation: Invocation) async throws -> CatalogAssetInventory {
        let keys = try invocation.values(Options.catalogKey).map { text in try CatalogKey(base64: text) }
        var catalogs: [ModelCatalog] = [.builtIn]
        for source in try invocation.values(Options.catalog) {
            catalogs.append(try await CatalogAssetInventory(catalogs: catalogs).readCatalog(source, trusting: keys))
        }
        // These catalogs come before the saved ones, so that a newer edition counts.
        return CatalogAssetInventory(catalogs: catalogs)
    }

    @Sendable private static func listModels(_ invocation: Invocation, _ console: Console) async throws -> ExitCode {
        let inventory = try await makeReadingInventory(invocation)
        for problem in await inventory.catalogProblems() { console.complain(problem.saidOnce) }
        let engine = try invocation.value(Options.engine)?.id
        let locale = try invocation.value(Options.locale)
        var rows: [ModelRow] = []
        for asset in try await inventory.assets()
        where (engine ?? asset.engine) == asset.engine && (locale.map(asset.locales.contains) ?? true) {
            rows.append(ModelRow(asset, await inventory.status(of: asset.id)))
        }
        let isJSON = try invocation.value(Options.listFormat) == .json
        if isJSON { try console.output.write(JSONWriter.encode(ModelRows(models: rows)) + "\n") }
        guard !rows.isEmpty else {
            console.complain("No model is known for that. 'dictate models list' lists all models.")
            return .noModel
        }
        if !isJSON { try console.output.write(ModelRow.headings + rows.map(\.text).joined()) }
        return .done
    }

    @Sendable private static func installModels(
        _ invocation: Invocation, _ console: Console
    ) async throws -> ExitCode {
        let panel = invocation.has(Options.quiet) || !console.draws ? nil : LivePanel(on: console.errors)
        console.signals.look(after: panel)
        defer { panel?.end() }
        let isInterrupted = Mutex(false)
        let current = Mutex<(any AssetInstallation)?>(nil)
        let runtime = DictationRuntime.current
        console.signals.receive {
            isInterrupted.withLock { $0 = true }
            if let installation = current.withLock({ $0 }) { runtime.task { await installation.cancel() } }
        }
        let allowsUnpinned = invocation.has(Options.unpinned)
        let code = try await forEachModel(invocation, console) { inventory, id throws(DictationError) in
            if isInterrupted.withLock({ $0 }) { throw DictationError(.cancelled, "The installation was interrupted.") }
            let trust = allowsUnpinned ? try await inventory.trustWithoutHash(in: id) : nil
            guard let installation = try await inventory.request(for: id, allowingUnpinned: allowsUnpinned) else {
                return ModelOutcome(id: id, outcome: "installed", words: "installed already")
            }
            if let trust { console.complain("\(id): its hashes are not known; \(trust)") }
            current.withLock { $0 = installation }
            // An interrupt may have come after the first check.
            if isInterrupted.withLock({ $0 }) { await installation.cancel() }
            let drawing = runtime.task {
                for await progress in installation.progress {
                    panel?.show([.init(text: line(progress, id))])
                    // A fast download reports a thousand times a second.
                    guard (try? await runtime.sleep(.milliseconds(50))) != nil else { return }
                }
            }
            let installing = runtime.task { () -> DictationError? in
                do throws(DictationError) { try await installation.install() } catch { return error }
                return nil
            }
            let problem = await installing.value
            drawing.cancel()
            await drawing.value
            panel?.show([])
            if let problem { throw problem }
            return ModelOutcome(id: id, outcome: "installed")
        }
        console.signals.receive(nil)
        return isInterrupted.withLock { $0 } ? .interrupted : code
    }

    private static func line(_ progress: InstallationProgress, _ id: ModelAsset.ID) -> String {
        let part = progress.fraction.map { "\(bar($0, columns: 20)) \(percent($0))  " } ?? ""
        let total = progress.totalBytes.map { " / \(megabytes($0))" } ?? ""
        let rate = progress.bytesPerSecond.map { "  \(megabytes(Int64(max(0, min($0, 1e15)))))/s" } ?? ""
        let left = progress.remaining.map { "  \(clock($0)) left" } ?? ""
        return "\(part)\(megabytes(progress.completedBytes))\(total)\(rate)\(left)  \(id)"
    }
}

/// Bytes as megabytes with one decimal.
func megabytes(_ bytes: Int64) -> String { "\(Double(bytes / 100_000) / 10) MB" }

extension CatalogAssetInventory {
    /// Requests an installation. The error for an unpinned model names the option that allows it.
    fileprivate func request(
        for id: ModelAsset.ID, allowingUnpinned: Bool
    ) async throws(DictationError) -> (any AssetInstallation)? {
        do throws(DictationError) { return try await installation(of: id, allowingUnpinned: allowingUnpinned) } catch {
            var error = error
            if error.code == .modelUnpinned {
                error.recovery =
                    "If you trust its source, use --allow-unpinned; its hashes are then recorded."
            }
            throw error
        }
    }
}

extension CatalogAssetInventory {
    /// Removes a model. Throws when it is part of a package, and when it was not installed.
    fileprivate func removeInstalled(_ id: ModelAsset.ID) async throws(DictationError) {
        if let model = try await installedModel(id), model.origin == .package {
            let package = ModelCatalog.builtIn.models.first { $0.id == id }?.packaged?.name
            throw DictationError(
                .notRemovable, "The model '\(id)' belongs to a package of the system and stays installed.",
                recovery: package.map { "Remove it with 'sudo apt remove \($0)'." }
                    ?? "Find the package with 'dpkg -S \(model.folder)', then remove it with 'sudo apt remove'.")
        }
        let status = await status(of: id)
        // An asset that is not installed may have a partial download to remove.
        try await remove(id)
        guard status != .supported, status != .unsupported else {
            throw DictationError(
                .modelNotInstalled, "The model '\(id)' is not installed, so there was nothing to remove.",
                recovery: "'dictate models list' shows the installed models.")
        }
    }
}

extension AssetInventory {
    /// Throws for an unknown model, such as a mistyped name.
    fileprivate func checkKnown(_ id: ModelAsset.ID) async throws(DictationError) {
        let known = try await assets().map(\.id)
        guard !known.contains(id) else { return }
        let hint = nearest(id, of: known).map { "Did you mean '\($0)'?" }
        throw DictationError(
            .unknownModel, "There is no model '\(id)'.", recovery: hint ?? "See 'dictate models list'.")
    }
}

private struct ModelRow: Encodable {
    var id: String
    var engine: String
    var locales: [String]
    var name: String
    var license: String?
    var bytes: Int64?
    var isPinned: Bool
    var kind: String
    var status: String

    init(_ asset: ModelAsset, _ status: AssetStatus) {
        id = asset.id
        engine = asset.engine.rawValue
        locales = asset.locales.map(\.identifier)
        name = asset.name
        license = asset.license
        bytes = asset.byteCount
        isPinned = asset.isPinned
        kind = asset.kind.rawValue
        self.status = "\(status)"
    }

    static let headings = "STATUS\tMODEL\tENGINE\tLOCALES\tSIZE\n"

    var text: String {
        let status = status == "\(AssetStatus.supported)" ? "not installed" : status
        let size = bytes.map(megabytes) ?? "size unknown"
        let pin = isPinned ? "" : ", unpinned"
        let use = kind == ModelAsset.Kind.library.rawValue ? kind : locales.joined(separator: ",")
        return printable("\(status)\t\(id)\t\(engine)\t\(use)\t\(size)\(pin)", keeping: "\t")
            + "\n"
    }
}

private struct ModelRows: Encodable {
    var version = 1
    var models: [ModelRow]
}

private struct ModelOutcome: Encodable {
    var id: String
    var outcome: String
    var error: Problem?
    /// The outcome, for people.
    var words: String

    init(id: String, outcome: String, error: Problem? = nil, words: String? = nil) {
        (self.id, self.outcome, self.error, self.words) = (id, outcome, error, words ?? outcome)
    }

    private enum CodingKeys: String, CodingKey { case id, outcome, error }

    struct Problem: Encodable {
        var code: String
        var message: String
        var recovery: String?

        init(_ error: DictationError) {
            (code, message, recovery) = (error.code.rawValue, error.message, error.recovery)
        }
    }
}

private struct ModelOutcomes: Encodable {
    var version = 1
    var models: [ModelOutcome]
}
