/// Finds programs that this user can run.
package enum InstalledProgram {
    /// Returns the path of a program, or `nil` if the user can't run it.
    ///
    /// - Parameters:
    ///   - program: A path, or a name to look up in the folders and then in `PATH`. A folder that is not absolute is left
    ///     out: what a program runs must not depend on where it was started.
    ///   - folders: Folders to search before those of `PATH`.
    package static func path(of program: String, in folders: [String] = []) -> String? {
        if program.utf8.contains(0x2F) { return canRun(program) ? program : nil }
        let searched = (TrustedEnvironment.value(of: "PATH") ?? "").utf8.split(separator: 0x3A).map {
            String(Substring($0))
        }
        return (folders + searched).lazy.filter { PathBytes($0).isAbsolute }.map { $0 + "/" + program }.first(
            where: canRun)
    }

    /// Whether a path is a file that this user can run.
    package static func canRun(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG && access(path, X_OK) == 0
    }
}
