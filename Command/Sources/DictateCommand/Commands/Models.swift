import DictationCore
import DictationEngines
import DictationModels
import DictationText

extension Command {
    private static let operand = Operands(
        placeholder: "MODEL", help: "A model listed by “dictate models list”.", completion: .models)

    static let models: Command = Command(
        name: "models", abstract: "List, install, verify and remove models.",
        subcommands: [
            Command(
                name: "list", abstract: "List the known models and their status.",
                discussion: notes,
                options: [Options.listFormat.spec, Options.engine.spec, Options.locale.spec] + Options.catalogs,
                run: listModels),
            Command(
                name: "install", abstract: "Download, check and install models.",
                discussion: "Run the command again to resume an interrupted download.",
                operands: operand, flags: [Options.unpinned, Options.quiet],
                options: [Options.listFormat.spec] + Options.catalogs, run: installModels),
            Command(
                name: "verify", abstract: "Check the files of installed models.", operands: operand,
                options: [Options.listFormat.spec] + Options.catalogs
            ) { invocation, console in
                try await forEachModel(invocation, console) { inventory, id throws(DictationError) in
                    try await inventory.verify(id)
                    return ModelOutcome(id: id, outcome: "verified")
                }
            },
            Command(
                name: "remove", abstract: "Remove installed models.", operands: operand,
                options: [Options.listFormat.spec] + Options.catalogs
            ) { invocation, console in
                try await forEachModel(invocation, console) { inventory, id throws(DictationError) in
                    try await inventory.checkKnown(id)
                    try await inventory.removeInstalled(id)
                    return ModelOutcome(id: id, outcome: "removed")
                }
            },
            Command(
                name: "forget",
                abstract: "Forget catalogs that were added, or which files a model without known hashes had.",
                discussion:
                    "Installed models stay. A model whose files were forgotten may be installed with other ones.",
                operands: Operands(
                    placeholder: "CATALOG|ID", help: "The path or address with which a catalog was added, or a model."),
                run: forget),
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
                var said = error
                said.recovery = error.recovery?.replacing(
                    "call forgetRecordedHashes(of:)", with: "run “dictate models forget \(quotedForShell(id))”")
                console.complain("\(id): \(said.saidOnce)")
                code = code == .done ? ExitCode(error) : code
            }
            guard !isJSON, let last = outcomes.last, last.error == nil else { continue }
            try console.output.write(printable("\(id): \(last.words)") + "\n")
        }
        if isJSON { try console.output.write(JSONWriter.encode(ModelOutcomes(models: outcomes)) + "\n") }
        return code
    }

    @Sendable private static func forget(
        _ invocation: Invocation, _ console: Console
    ) async throws -> ExitCode {
        let inventory = CatalogAssetInventory()
        for name in invocation.operands {
            if try await inventory.assets().contains(where: { $0.id == name }) {
                try await inventory.forgetRecordedHashes(of: name)
            } else {
                try await inventory.removeCatalog(name)
            }
        }
        return .done
    }

    static func makeInventory(_ invocation: Invocation) async throws -> CatalogAssetInventory {
        let inventory = CatalogAssetInventory()
        let keys = try invocation.values(Options.catalogKey).map { text in try ModelCatalog.Key(base64: text) }
        for catalog in try invocation.values(Options.catalog) {
            try await inventory.addCatalog(catalog, trusting: keys)
        }
        return inventory
    }

    /// Makes an inventory with the catalogs of `--catalog` for this run only, because a list must not save anything.
    static func makeReadingInventory(_ invocation: Invocation) async throws -> CatalogAssetInventory {
        let keys = try invocation.values(Options.catalogKey).map { text in try ModelCatalog.Key(base64: text) }
        var catalogs: [ModelCatalog] = [.builtIn]
        for source in try invocation.values(Options.catalog) {
            catalogs.append(try await CatalogAssetInventory(catalogs: catalogs).readCatalog(source, trusting: keys))
        }
        // These catalogs come before the saved ones, so that a newer edition counts.
        return CatalogAssetInventory(catalogs: catalogs)
    }

    private static let notes = """
        unpinned: nobody noted the hashes of its files (--allow-unpinned trusts them).
        size unknown: the source does not tell it before the download.
        """

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
            console.complain("No model is known for that. “dictate models list” lists all models.")
            return .noModel
        }
        if !isJSON {
            let isForPeople = console.output.isTerminal
            try console.output.write(
                isForPeople ? rows.map(\.text).joined() : ModelRow.headings + rows.map(\.line).joined())
            if isForPeople { console.say(notes) }
        }
        return .done
    }

    @Sendable private static func installModels(
        _ invocation: Invocation, _ console: Console
    ) async throws -> ExitCode {
        let installer = ModelInstaller(
            console, isQuiet: invocation.has(Options.quiet), allowsUnpinned: invocation.has(Options.unpinned))
        defer { installer.end() }
        let code = try await forEachModel(invocation, console) { inventory, id throws(DictationError) in
            let wasMissing = try await installer.install(id, from: inventory)
            return ModelOutcome(id: id, outcome: "installed", words: wasMissing ? nil : "installed already")
        }
        return installer.isInterrupted ? .interrupted : code
    }
}

extension CatalogAssetInventory {
    /// Removes a model. Throws when it is part of a package, and when it was not installed.
    fileprivate func removeInstalled(_ id: ModelAsset.ID) async throws(DictationError) {
        if let model = try await installedModel(id), model.origin == .package {
            let package = ModelCatalog.builtIn.models.first { $0.id == id }?.packaged?.name
            throw DictationError(
                .notRemovable, "The model “\(id)” belongs to a package of the system and stays installed.",
                recovery: package.map { "Remove it with “sudo apt remove \($0)”." }
                    ?? "Find the package with “dpkg -S \(model.folder)”, then remove it with “sudo apt remove”.")
        }
        let status = await status(of: id)
        // An asset that is not installed may have a partial download to remove.
        try await remove(id)
        guard status != .supported, status != .unsupported else {
            throw DictationError(
                .modelNotInstalled, "The model “\(id)” is not installed, so there was nothing to remove.",
                recovery: "“dictate models list” shows the installed models.")
        }
    }
}

extension AssetInventory {
    /// Throws for an unknown model, such as a mistyped name.
    fileprivate func checkKnown(_ id: ModelAsset.ID) async throws(DictationError) {
        let known = try await assets().map(\.id)
        guard !known.contains(id) else { return }
        let hint = nearest(id, of: known).map { "Did you mean “\($0)”?" }
        throw DictationError(
            .unknownModel, "There is no model “\(id)”.", recovery: hint ?? "See “dictate models list”.")
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

    init(_ asset: ModelAsset, _ status: ModelAsset.Status) {
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

    /// A line of a table for programs.
    var line: String {
        printable("\(state)\t\(id)\t\(engine)\t\(use(languages))\t\(size)", keeping: "\t") + "\n"
    }

    /// Two lines for people, which fit on a terminal.
    var text: String {
        printable("\(id)  \(state), \(size)") + "\n" + printable("    \(engine): \(use(languages))") + "\n"
    }

    private var state: String { status == "\(ModelAsset.Status.supported)" ? "not installed" : status }

    private var size: String { (bytes.map(megabytes) ?? "size unknown") + (isPinned ? "" : ", unpinned") }

    /// The languages, or how many there are. `--format json` lists them all.
    private var languages: String {
        guard locales.count > 4 else { return locales.joined(separator: ", ") }
        // Several locales may be regions of one language.
        let languages = Set(locales.map { String($0.prefix { $0 != "-" }) }).sorted()
        return languages.count > 4 ? "\(languages.count) languages" : languages.joined(separator: ", ")
    }

    private func use(_ locales: String) -> String { kind == ModelAsset.Kind.model.rawValue ? locales : kind }
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
            (code, message, recovery) = (error.code.rawValue, error.message, error.advised.recovery)
        }
    }
}

private struct ModelOutcomes: Encodable {
    var version = 1
    var models: [ModelOutcome]
}
