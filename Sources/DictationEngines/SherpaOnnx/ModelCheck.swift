import DictationCore
import DictationFiles

/// A model that a helper checks before this process loads it.
protocol CheckedModel: Sendable {
    var folder: String { get }
    /// The layout as which a helper loads the model.
    var layout: ModelLayout { get }
    /// The networks and the vocabulary, in the order of the layout.
    var files: [String] { get }
}

extension CheckedModel {
    /// A text that identifies these versions of the files; `nil` when a file is missing.
    var fingerprint: String? { HelperMemory.fingerprint("model", of: allFiles) }

    /// The files, and those with the weights of networks that are too large for one file.
    var allFiles: [String] {
        let names = (try? FileListing.names(in: folder)) ?? []
        return files + names.filter { $0.hasSuffix(".weights") || $0.hasSuffix(".data") }.map { folder + "/" + $0 }
    }
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
    var memory = HelperMemory.standard
    /// The program to start as the helper; if `nil`, ``HelperProgram`` finds one.
    var helper: String?
    /// The library that the helper loads; if `nil`, the one that this process loads.
    var library: HelperRequest.Library?

    /// Checks the model, and blocks until the result is known.
    ///
    /// - Throws: `DictationError` when the model does not work or can't be checked.
    func run() throws(DictationError) {
        let library = if let library { library } else { try SherpaOnnxLibrary.load().reference }
        let fingerprint = HelperMemory.fingerprint("model", of: [library.path] + model.allFiles)
        if let fingerprint, memory.contains(fingerprint) { return }
        let request = HelperRequest(
            library: library, model: .init(layout: model.layout, folder: model.folder, files: model.files))
        let program = if let helper { helper } else { try HelperProgram.path() }
        switch try HelperProcess.run(request, program: program, within: timeout) {
        case .late: throw invalid("it was not done with two seconds of audio after \(timeout)")
        case .ended(let outcome, let status, let said): try judge(outcome, status, said)
        }
        if let fingerprint { memory.insert(fingerprint) }
    }

    private func judge(_ outcome: HelperAnswer.Outcome?, _ status: Int32, _ said: String) throws(DictationError) {
        switch outcome {
        // When an offline model fails while it decodes, the C library only prints the error and returns no text.
        case .works where said.contains("Caught exception"):
            throw invalid("it fails when it decodes audio", status, said)
        case .works: return
        case .refused: throw invalid("sherpa-onnx can't load it", status, said)
        case .failed(let error): throw error
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
            underlying: HelperProcess.underlying(status, said))
    }

    private func useless(_ reason: String, _ status: Int32, _ said: String) -> DictationError {
        DictationError(
            .engineFailed, "The helper could not check the model in \(model.folder): \(reason).",
            recovery: "Use a dictation-helper of the same version.",
            underlying: HelperProcess.underlying(status, said))
    }
}
