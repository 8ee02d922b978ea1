import CSystem

/// The environment, as far as it may choose what this process runs.
package enum TrustedEnvironment {
    /// Whether the environment counts. It doesn't in a process with more rights than its user, because the user controls
    /// the environment.
    package static var isTrusted: Bool { dictation_is_privileged() == 0 }

    /// Returns a variable, or `nil` if it is empty or does not count.
    package static func value(of name: String) -> String? {
        guard isTrusted, let value = getenv(name) else { return nil }
        let text = String(cString: value)
        return text.isEmpty ? nil : text
    }
}
