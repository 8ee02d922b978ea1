import DictationCore
import DictationSystem

/// Checks that a library can be loaded, in a helper process, once for each version of its files.
///
/// Loading a library runs its code and reads its tables, so a damaged library can end the process.
struct LibraryCheck {
    /// The library's file, then the libraries beside it that it needs.
    let files: [String]
    var memory = WorkingFiles.standard

    /// Checks the library, unless the same files passed before or no helper can be started.
    ///
    /// - Throws: `libraryInvalid` if the library does not work.
    func run() throws(DictationError) {
        guard let file = files.first, let program = try? HelperProgram.path() else { return }
        let fingerprint = WorkingFiles.fingerprint("library", of: files)
        if let fingerprint, memory.contains(fingerprint) { return }
        let trial = HelperTrial(library: .init(path: file))
        guard let end = try? trial.run(by: program, within: .seconds(60)) else { return }
        switch end.outcome {
        case .works: break
        case .failed(let error): throw error
        // The program that was asked is no helper, or can't run. That says nothing about the library.
        case .refused: return
        case nil where end.death.cause == .ended(HelperRole.misuse): return
        case nil
        where end.death.cause == .ended(127) && end.death.said.contains("error while loading shared libraries"):
            return
        case nil:
            throw .badLibrary(
                file, end.isLate ? "it was not loaded after a minute" : "it ended the process that checked it",
                underlying: end.death.underlying)
        }
        if let fingerprint { memory.insert(fingerprint) }
    }
}
