#if SherpaOnnx
import DictationCore
import DictationFiles
import Glibc

/// A model whose files are checked before they are loaded.
protocol CheckedModel: Sendable {
    var folder: String { get }
    /// What a helper loads it as.
    var kind: SherpaOnnxModelKind { get }
    /// The files in the order in which a helper takes them.
    var files: [String] { get }
}

extension SherpaOnnxModel: CheckedModel {
    var kind: SherpaOnnxModelKind { .transducer }
    var files: [String] { [encoder, decoder, joiner, tokens] }
}

extension SherpaOnnxOfflineModel: CheckedModel {
    var kind: SherpaOnnxModelKind { .moonshine }
    var files: [String] { [encoder, decoder, tokens] }
}

extension SherpaOnnxConfiguration {
    /// Checks a model, unless it is known to work.
    func checkIfNew(_ model: any CheckedModel) throws(DictationError) {
        if modelCheck == .whenNew { try DictationEngines.ModelCheck(model: model).run() }
    }
}

/// Checks that a model works, in a helper process, once for each version of its files.
///
/// The C library ends the process on some damaged files: it doesn't catch what ONNX Runtime throws. No check of the
/// files foresees all of that, so a model has to have worked once in a process that may die.
struct ModelCheck: Sendable {
    let model: any CheckedModel
    /// How long a model may take to load and to decode two seconds.
    var timeout = Duration.seconds(120)
    /// Where it is remembered which models work.
    var memory: String? = Self.defaultMemory
    /// The program to start; without one it is looked for.
    var helper: String?

    /// Throws when the model does not work; blocks until that is known.
    func run() throws(DictationError) {
        let fingerprint = fingerprint
        if let fingerprint, isRemembered(fingerprint) { return }
        let request = HelperRequest(
            library: SherpaOnnxLibrary.loadedVersion, kind: model.kind, files: model.files)
        let program = if let helper { helper } else { try HelperProgram.path() }
        switch try HelperProcess.run(request, program: program, within: timeout) {
        case .late: throw invalid("it was not done with two seconds of audio after \(timeout)")
        case .ended(let outcome, let status, let said): try judge(outcome, status, said)
        }
        if let fingerprint { remember(fingerprint) }
    }

    private func judge(_ outcome: HelperAnswer.Outcome?, _ status: Int32, _ said: String) throws(DictationError) {
        switch outcome {
        // What goes wrong inside a network of whole stretches is printed, and the text left empty.
        case .works where said.contains("Caught exception"):
            throw invalid("it fails when it decodes audio", status, said)
        case .works: return
        case .refused: throw invalid("sherpa-onnx can't load it", status, said)
        case .otherLibrary(let version): try SherpaOnnxLibrary.check(loaded: version)
        case .unable(let reason): throw useless("it says that \(reason)", status, said)
        // What a loader exits with that lacks a library, and a helper that was asked nothing it understands.
        case nil where status == 127 || status == DictationHost.misuse:
            throw useless("it ended at once", status, said)
        case nil: throw invalid("it ended the process that tried it", status, said)
        }
    }

    private func invalid(_ reason: String, _ status: Int32 = 0, _ said: String = "") -> DictationError {
        DictationError(
            .modelInvalid, "The model in \(model.folder) does not work: \(reason).",
            recovery: "Install the model again, all its files from one source.",
            underlying: Self.underlying(status, said))
    }

    private func useless(_ reason: String, _ status: Int32, _ said: String) -> DictationError {
        DictationError(
            .engineFailed, "The helper could not try the model in \(model.folder): \(reason).",
            recovery: "Use the dictation-helper of the same version, built with the trait SherpaOnnx.",
            underlying: Self.underlying(status, said))
    }

    /// The signal or exit code that ended the helper, and the most telling line of what was printed in it. Whoever
    /// made the model chose some of these words, so nothing depends on them.
    private static func underlying(_ status: Int32, _ said: String) -> DictationError.Underlying {
        let lines = said.split(whereSeparator: \.isNewline).map { $0.trimmingPrefix { $0 == " " } }
        let telling = lines.last { $0.contains("what()") } ?? lines.last { !$0.isEmpty }
        return .init(
            domain: "sherpa-onnx", code: Int(abs(status)), message: telling.map { String($0.prefix(500)) })
    }

    // MARK: Remembering

    private static var defaultMemory: String? {
        UserFolders.cache().map { $0 + "/swift-dictation/sherpa-onnx" }
    }

    /// What tells these files from any others, also from what was at the same paths before.
    var fingerprint: String? {
        var parts = [SherpaOnnxLibrary.loadedVersion]
        for path in model.files {
            let stamp = FileListing.stamp(of: path)
            guard !stamp.isEmpty else { return nil }
            parts.append(stamp.map(String.init).joined(separator: "."))
        }
        return parts.joined(separator: "_")
    }

    private func name(_ fingerprint: String) -> FileName? {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in fingerprint.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        return try? FileName("works-\(String(hash, radix: 16))")
    }

    private func isRemembered(_ fingerprint: String) -> Bool {
        guard let memory, let name = name(fingerprint), let folder = try? Folder.existing(memory)
        else { return false }
        return (try? folder.read(name)) == Array(fingerprint.utf8)
    }

    private func remember(_ fingerprint: String) {
        // Where it can't be remembered, the model is checked again next time.
        guard let memory, let name = name(fingerprint), let folder = try? Folder.making(memory, .own)
        else { return }
        try? folder.write(fingerprint.utf8, to: name, .own)
    }
}
#endif
