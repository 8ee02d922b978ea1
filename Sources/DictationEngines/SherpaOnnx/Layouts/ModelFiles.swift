import DictationCore
import DictationSystem

/// The networks and the vocabulary in a model's folder. The contents of a file decide which part it is; its name must not
/// contradict them.
struct ModelFiles: Sendable {
    let folder: String
    let layout: ModelLayout
    /// The networks, in the order of the layout's roles.
    let networks: [OnnxFile]
    /// The vocabulary's file.
    let tokens: String
    let table: TokenTable

    /// Finds the files of the model in a folder, and checks them.
    ///
    /// - Parameter prefersQuantized: Which file to take when the folder has a network both in float and in int8.
    init(
        folder: String, prefersQuantized: (NetworkRole) -> Bool = { $0 != .decoder }
    ) throws(DictationError) {
        let names = try Self.names(in: folder)
        let found = try Self.networks(in: folder, names)
        guard let layout = ModelLayout.best(for: Set(found.map { $0.role })) else {
            throw DictationError(
                .modelNotInstalled, "The folder \(folder) has no model that sherpa-onnx's engines know.",
                recovery: "Install a model there, or give the folder that holds one.")
        }
        self.folder = folder
        self.layout = layout
        var networks: [OnnxFile] = []
        for role in layout.roles {
            let candidates = found.filter { $0.role == role }.map { $0.file }
            networks.append(try Self.choose(role, from: candidates, quantized: prefersQuantized(role), in: folder))
        }
        self.networks = networks
        tokens = folder + "/" + (try Self.vocabulary(among: names, in: folder))
        table = try TokenTable(at: tokens)
        try layout.check(table, at: tokens, for: networks)
    }

    /// The paths of the networks and of the vocabulary.
    var paths: [String] { networks.map(\.path) + [tokens] }

    /// Returns the layout of the model in a folder; `nil` if a file is damaged or there is no model.
    static func layout(in folder: String) -> ModelLayout? {
        guard let names = try? names(in: folder), let found = try? networks(in: folder, names) else { return nil }
        return ModelLayout.best(for: Set(found.map { $0.role }))
    }

    /// Whether a folder has a file with a network, whatever is in it.
    static func hasNetworks(in folder: String) -> Bool { (try? names(in: folder))?.contains(where: isNetwork) ?? false }

    private static func isNetwork(_ name: String) -> Bool { name.hasSuffix(".onnx") || name.hasSuffix(".ort") }

    private static func names(in folder: String) throws(DictationError) -> [String] {
        do throws(DictationError) { return try FileListing.names(in: folder) } catch {
            throw DictationError(
                .modelNotInstalled, "There is no model folder \(folder).",
                recovery: "Install a model there, or give the folder that holds one.", underlying: error.underlying)
        }
    }

    private static func networks(
        in folder: String, _ names: [String]
    ) throws(DictationError) -> [(role: NetworkRole, file: OnnxFile)] {
        var found: [(NetworkRole, OnnxFile)] = []
        for name in names where isNetwork(name) {
            let file = try OnnxFile(at: folder + "/" + name)
            let role = file.role
            let named = ["encoder", "decoder", "joiner"].first { name.lowercased().hasPrefix($0) }
            if let named, role?.name != named {
                let content = role.map { "a model's \($0.name)" } ?? "something else"
                throw file.unusable("its name says \(named), but it holds \(content)")
            }
            if let role { found.append((role, file)) }
        }
        return found
    }

    private static func choose(
        _ role: NetworkRole, from candidates: [OnnxFile], quantized: Bool, in folder: String
    ) throws(DictationError) -> OnnxFile {
        let preferred = candidates.filter { $0.isQuantized == quantized }
        let chosen = preferred.isEmpty ? candidates : preferred
        guard let file = chosen.first else {
            throw DictationError(
                .modelNotInstalled, "The model folder \(folder) has no \(role.name).",
                recovery: "Put all files of the model there.")
        }
        guard chosen.count == 1 else {
            let names = chosen.map { String($0.path.dropFirst(folder.count + 1)) }.joined(separator: ", ")
            throw DictationError(
                .modelInvalid, "The model folder \(folder) has more than one \(role.name): \(names).",
                recovery: "Keep the files of only one model there.")
        }
        return file
    }

    /// Returns the name of the vocabulary: `tokens.txt`, or `tiny-tokens.txt` and the like for Whisper.
    private static func vocabulary(among names: [String], in folder: String) throws(DictationError) -> String {
        let found = names.filter { $0 == "tokens.txt" || $0.hasSuffix("-tokens.txt") }
        guard found.count <= 1 || found.contains("tokens.txt") else {
            throw DictationError(
                .modelInvalid,
                "The model folder \(folder) has more than one vocabulary: \(found.joined(separator: ", ")).",
                recovery: "Keep the files of only one model there.")
        }
        return found.contains("tokens.txt") ? "tokens.txt" : found.first ?? "tokens.txt"
    }
}

extension OnnxFile {
    /// Returns the error for a file that does not belong to its model.
    func unusable(
        _ reason: String, _ recovery: String = "Install the model again, with all files from one source."
    ) -> DictationError {
        DictationError(.modelInvalid, "The model file \(path) can't be used: \(reason).", recovery: recovery)
    }
}
