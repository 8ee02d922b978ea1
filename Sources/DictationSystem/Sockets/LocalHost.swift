import CSystem

/// Names of this machine.
package enum LocalHost {
    /// Whether a host, as it stands in an address, is this machine and nothing else. Looks up no name.
    package static func `is`(_ host: some StringProtocol) -> Bool {
        let name = host.hasPrefix("[") ? String(host.dropFirst().prefix { $0 != "]" }) : String(host)
        return name.lowercased() == "localhost" || dictation_is_loopback(name) != 0
    }
}
