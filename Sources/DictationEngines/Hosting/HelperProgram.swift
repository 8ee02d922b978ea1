import DictationCore
import DictationFiles
import DictationPlatform

/// Finds the program to start as a helper.
enum HelperProgram {
    private static let name = "dictation-helper"

    /// Returns the path of the helper: the one in the environment, this program itself, the one beside it, or the one
    /// on the `PATH`.
    static func path() throws(DictationError) -> String {
        guard !HelperRole.isHelper else {
            throw DictationError(
                .engineFailed, "A helper was asked to start a helper.",
                recovery: "Call DictationHost.runIfAsked() before anything else in main.")
        }
        if let chosen = TrustedEnvironment.value(of: "DICTATION_HELPER") {
            guard isExecutable(chosen) else {
                throw DictationError(
                    .engineFailed, "DICTATION_HELPER names “\(chosen)”, which can't be run.",
                    recovery: "Set it to the path of \(name), or unset it.")
            }
            return chosen
        }
        if HelperRole.canRunItself { return "/proc/self/exe" }
        let searched = (TrustedEnvironment.value(of: "PATH") ?? "").utf8.split(separator: UInt8(ascii: ":")).map {
            String(Substring($0))
        }
        for folder in [ownFolder].compactMap(\.self) + searched where PathBytes(folder).isAbsolute {
            if isExecutable(folder + "/" + name) { return folder + "/" + name }
        }
        throw DictationError(
            .engineFailed, "There is no helper process for the model, so it was not loaded.",
            recovery:
                "Call DictationHost.runIfAsked() first in main, or put \(name) beside the program, on the PATH or "
                + "where DICTATION_HELPER says.")
    }

    private static var ownFolder: String? {
        var path = [UInt8](repeating: 0, count: Int(PATH_MAX))
        let count = path.withUnsafeMutableBytes { bytes in
            bytes.withMemoryRebound(to: CChar.self) { text in
                text.baseAddress.map { readlink("/proc/self/exe", $0, text.count) } ?? -1
            }
        }
        guard count > 0, let slash = path[..<count].lastIndex(of: UInt8(ascii: "/")) else { return nil }
        return String(decoding: path[..<slash], as: UTF8.self)
    }

    private static func isExecutable(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG && access(path, X_OK) == 0
    }
}
