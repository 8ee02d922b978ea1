import DictationSystem

/// An address on the web.
struct HTTPAddress {
    var isEncrypted: Bool
    var isOnThisMachine: Bool

    init?(_ text: String) {
        guard text.utf8.allSatisfy({ (0x21..<0x7F).contains($0) && $0 != UInt8(ascii: "\"") }),
            let end = text.firstRange(of: "://")
        else { return nil }
        let scheme = text[..<end.lowerBound].lowercased()
        guard scheme == "http" || scheme == "https" else { return nil }
        isEncrypted = scheme == "https"
        let authority = text[end.upperBound...].prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        guard !authority.isEmpty, !authority.contains("@") else { return nil }
        isOnThisMachine = LocalHost.is(authority.hasPrefix("[") ? authority : authority.prefix { $0 != ":" })
    }
}
