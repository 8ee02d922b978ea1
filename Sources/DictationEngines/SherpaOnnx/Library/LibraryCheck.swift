import DictationCore

/// Checks that a library can be loaded, in a helper process, once for each version of its files.
///
/// Loading a library runs its code and reads its tables, so a damaged library can end the process.
struct LibraryCheck {
    /// The library's file, then the libraries beside it that it needs.
    let files: [String]
    var memory = HelperMemory.standard

    /// Checks the library, unless the same files passed before or no helper can be started.
    ///
    /// - Throws: `libraryInvalid` if the library does not work.
    func run() throws(DictationError) {
        guard let file = files.first, let program = try? HelperProgram.path() else { return }
        let fingerprint = HelperMemory.fingerprint("library", of: files)
        if let fingerprint, memory.contains(fingerprint) { return }
        let request = HelperRequest(library: .init(path: file))
        guard let end = try? HelperProcess.run(request, program: program, within: .seconds(60)) else { return }
        switch end {
        case .late: throw .badLibrary(file, "it was not loaded after a minute")
        case .ended(.works, _, _): break
        case .ended(.failed(let error), _, _): throw error
        // The program that was asked is no helper, or can't run. That says nothing about the library.
        case .ended(.some, _, _), .ended(nil, HelperRole.misuse, _): return
        case .ended(nil, 127, let said) where said.contains("error while loading shared libraries"): return
        case .ended(nil, let status, let said):
            throw .badLibrary(
                file, "it ended the process that checked it",
                underlying: HelperProcess.underlying(status, said))
        }
        if let fingerprint { memory.insert(fingerprint) }
    }
}
