#if SherpaOnnx
import DictationCore
import DictationFiles
import DictationPlatform

/// A model that a helper checks before this process loads it.
protocol CheckedModel: Sendable {
    var folder: String { get }
    /// The kind as which a helper loads the model.
    var kind: SherpaOnnxModelKind { get }
    /// The files, in the order that the helper expects.
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

extension SherpaOnnxConfiguration.ModelCheck {
    /// Checks a model, unless the model was checked before or needs no check.
    ///
    /// - Throws: `DictationError` when the model does not work or can't be checked.
    func checkIfNeeded(_ model: any CheckedModel) throws(DictationError) {
        if self == .whenNew { try DictationEngines.ModelCheck(model: model).run() }
    }
}

/// Checks that a model works, in a helper process, once for each version of its files.
///
/// The C library does not catch the exceptions of ONNX Runtime, so some damaged files end the process. No check of the
/// files can foresee every such case. Therefore a model must first work in a process that may crash.
struct ModelCheck: Sendable {
    let model: any CheckedModel
    /// The longest time that a model may take to load and to decode two seconds of audio.
    var timeout = Duration.seconds(120)
    /// The folder that remembers which models work; `nil` to remember none.
    var memory: String? = Self.defaultMemory
    /// The program to start as the helper; if `nil`, ``HelperProgram`` finds one.
    var helper: String?

    /// Checks the model, and blocks until the result is known.
    ///
    /// - Throws: `DictationError` when the model does not work or can't be checked.
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
        // When an offline model fails while it decodes, the C library only prints the error and returns no text.
        case .works where said.contains("Caught exception"):
            throw invalid("it fails when it decodes audio", status, said)
        case .works: return
        case .refused: throw invalid("sherpa-onnx can't load it", status, said)
        case .otherLibrary(let version): try SherpaOnnxLibrary.check(loaded: version)
        case .unable(let reason): throw useless("it reports that \(reason)", status, said)
        // The exit codes of a program that misses a library, and of a helper that does not understand the request.
        case nil where status == 127 || status == HelperRole.misuse:
            throw useless("it ended at once", status, said)
        case nil: throw invalid("it ended the process that checked it", status, said)
        }
    }

    private func invalid(_ reason: String, _ status: Int32 = 0, _ said: String = "") -> DictationError {
        DictationError(
            .modelInvalid, "The model in \(model.folder) does not work: \(reason).",
            recovery: "Install the model again, with all files from one source.",
            underlying: Self.underlying(status, said))
    }

    private func useless(_ reason: String, _ status: Int32, _ said: String) -> DictationError {
        DictationError(
            .engineFailed, "The helper could not check the model in \(model.folder): \(reason).",
            recovery: "Use a dictation-helper of the same version, built with the trait SherpaOnnx.",
            underlying: Self.underlying(status, said))
    }

    /// Returns the signal or exit code that ended the helper, and the most telling line of its output. The output may
    /// come from the model's maker, so no decision depends on it.
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

    /// A text that identifies these versions of the files; `nil` when a file is missing. It differs from the text for
    /// earlier files at the same paths.
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
        // When remembering fails, the check just runs again next time.
        guard let memory, let name = name(fingerprint), let folder = try? Folder.making(memory, .own)
        else { return }
        try? folder.write(fingerprint.utf8, to: name, .own)
    }
}
#endif
