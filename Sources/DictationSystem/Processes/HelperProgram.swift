package import DictationCore

/// Finds the program to start as a helper.
package enum HelperProgram {
    package static let name = "dictation-helper"

    /// Returns the path of the helper: the one in the environment, this program itself, the one beside it, or the one
    /// on the `PATH`.
    package static func path() throws(DictationError) -> String {
        guard HelperRole.own == nil else {
            throw DictationError(
                .engineFailed, "A helper was asked to start a helper.",
                recovery: "Call DictationHelper.runIfAsked() before anything else in main.")
        }
        if let chosen = TrustedEnvironment.value(of: "DICTATION_HELPER") {
            guard InstalledProgram.canRun(chosen) else {
                throw DictationError(
                    .engineFailed, "DICTATION_HELPER names “\(chosen)”, which can't be run.",
                    recovery: "Set it to the path of \(name), or unset it.")
            }
            return chosen
        }
        if HelperRole.canRunItself { return "/proc/self/exe" }
        if let path = InstalledProgram.path(of: name, in: [ownFolder].compactMap(\.self)) { return path }
        throw DictationError(
            .engineFailed, "There is no program to start as a helper process, so nothing was loaded.",
            recovery:
                "Call DictationHelper.runIfAsked() first in main, or put \(name) beside the program, on the PATH or "
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
}
