/// A user's folders, by the XDG base directory specification.
///
/// As the specification demands, a variable that is empty or not an absolute path counts as unset. The same rule
/// applies to `HOME`.
package enum UserFolders {
    /// Returns `$XDG_DATA_HOME`, usually `~/.local/share`, or `nil` if the user has no home.
    package static func data(_ environment: [String: String] = environment) -> String? {
        absolute(environment["XDG_DATA_HOME"]) ?? home(environment).map { $0 + "/.local/share" }
    }

    /// Returns `$XDG_CONFIG_HOME`, usually `~/.config`, or `nil` if the user has no home.
    package static func configuration(_ environment: [String: String] = environment) -> String? {
        absolute(environment["XDG_CONFIG_HOME"]) ?? home(environment).map { $0 + "/.config" }
    }

    /// Returns `$XDG_CACHE_HOME`, usually `~/.cache`, or `nil` if the user has no home.
    package static func cache(_ environment: [String: String] = environment) -> String? {
        absolute(environment["XDG_CACHE_HOME"]) ?? home(environment).map { $0 + "/.cache" }
    }

    /// Returns `$XDG_STATE_HOME`, usually `~/.local/state`, or `nil` if the user has no home.
    package static func state(_ environment: [String: String] = environment) -> String? {
        absolute(environment["XDG_STATE_HOME"]) ?? home(environment).map { $0 + "/.local/state" }
    }

    /// Returns `$XDG_RUNTIME_DIR`, which has no usual value, or `nil` if it is not set.
    package static func runtime(_ environment: [String: String] = environment) -> String? {
        absolute(environment["XDG_RUNTIME_DIR"])
    }

    /// Returns `$XDG_DATA_DIRS`, the folders that all users share.
    package static func sharedData(_ environment: [String: String] = environment) -> [String] {
        let value = environment["XDG_DATA_DIRS"].flatMap { $0.isEmpty ? nil : $0 } ?? "/usr/local/share:/usr/share"
        return value.utf8.split(separator: 0x3A).compactMap { absolute(String(decoding: $0, as: UTF8.self)) }
    }

    private static func home(_ environment: [String: String]) -> String? { absolute(environment["HOME"]) }

    private static func absolute(_ path: String?) -> String? {
        guard let path, path.utf8.first == 0x2F else { return nil }
        // Callers append a slash and a name, so a slash at the end is removed.
        return path.utf8.count > 1 && path.utf8.last == 0x2F
            ? String(decoding: path.utf8.dropLast(), as: UTF8.self) : path
    }

    /// The environment variables of this process that name folders.
    package static var environment: [String: String] {
        var values: [String: String] = [:]
        let names = [
            "XDG_DATA_HOME", "XDG_DATA_DIRS", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR",
            "HOME",
        ]
        for name in names {
            if let value = getenv(name) { values[name] = String(cString: value) }
        }
        return values
    }
}
