import DictationCore
import DictationSystem

/// Networks that a helper tries before this process loads them.
protocol TriedNetworks: Sendable {
    var folder: String { get }
    var allFiles: [String] { get }
    /// What the helper does with them.
    var trial: HelperTrial.Work { get }
}

extension TriedNetworks {
    /// A text that identifies these versions of the files; `nil` when a file is missing.
    var fingerprint: String? { WorkingFiles.fingerprint("model", of: allFiles) }
}

/// A model that a helper checks before this process loads it.
protocol CheckedModel: TriedNetworks {
    /// The layout as which a helper loads the model.
    var layout: ModelLayout { get }
    /// The networks and the vocabulary, in the order of the layout.
    var files: [String] { get }
}

extension CheckedModel {
    var trial: HelperTrial.Work { .model(.init(layout: layout, folder: folder, files: files)) }

    /// The files, and those with the weights of networks that are too large for one file.
    var allFiles: [String] {
        let names = (try? FileListing.names(in: folder)) ?? []
        return files + names.filter { $0.hasSuffix(".weights") || $0.hasSuffix(".data") }.map { folder + "/" + $0 }
    }
}

extension SherpaOnnxEngine.Configuration.ModelCheck {
    /// Checks a model, unless the model was checked before or needs no check.
    ///
    /// - Throws: `DictationError` when the model does not work or can't be checked.
    func checkIfNeeded(_ model: any TriedNetworks) throws(DictationError) {
        if self == .whenNew { try DictationEngines.ModelCheck(model: model).run() }
    }
}

/// Checks that a model works, in a helper process, once for each version of its files.
///
/// The C library does not catch the exceptions of ONNX Runtime, so some damaged files end the process. No check of the
/// files can foresee every such case. Therefore a model must first work in a process that may crash.
struct ModelCheck: Sendable {
    let model: any TriedNetworks
    /// The longest time that a model may take to load and to decode two seconds of audio.
    var timeout = Duration.seconds(120)
    var memory = WorkingFiles.standard
    /// The program to start as the helper; if `nil`, ``HelperProgram`` finds one.
    var helper: String?
    /// The library that the helper loads; if `nil`, the one that this process loads.
    var library: HelperTrial.Library?

    /// Checks the model, and blocks until the result is known.
    ///
    /// - Throws: `DictationError` when the model does not work or can't be checked.
    func run() throws(DictationError) {
        let library = if let library { library } else { try SherpaOnnxLibrary.find() }
        let fingerprint = WorkingFiles.fingerprint("model", of: [library.path] + model.allFiles)
        if let fingerprint, memory.contains(fingerprint) { return }
        let trial = HelperTrial(library: library, work: model.trial)
        let program = if let helper { helper } else { try HelperProgram.path() }
        try judge(trial.run(by: program, within: timeout))
        if let fingerprint { memory.insert(fingerprint) }
    }

    private func judge(_ end: HelperTrial.End) throws(DictationError) {
        switch end.outcome {
        case .works where end.death.said.contains(HelperRole.caughtException):
            throw invalid("it fails when it decodes audio", end.death)
        case .works: return
        case .refused: throw invalid("sherpa-onnx can't load it", end.death)
        case .failed(let error): throw error
        case nil where end.isLate:
            throw invalid("it was not done with two seconds of audio after \(timeout)", end.death)
        case nil where end.death.isNoHelper: throw useless(end.death)
        case nil where end.death.cause == .failedDecoding: throw invalid("it fails when it decodes audio", end.death)
        case nil where end.death.cause == .garbage: throw invalid("it disturbed the process that checked it", end.death)
        case nil: throw invalid("it ended the process that checked it", end.death)
        }
    }

    private func invalid(_ reason: String, _ death: HelperDeath) -> DictationError {
        DictationError(
            .modelInvalid, "The model in \(model.folder) does not work: \(reason).",
            recovery: "Install the model again, with all files from one source.", underlying: death.underlying)
    }

    private func useless(_ death: HelperDeath) -> DictationError {
        DictationError(
            .engineFailed, "The helper could not check the model in \(model.folder): it ended at once.",
            recovery: "Use a dictation-helper of the same version.", underlying: death.underlying)
    }
}
