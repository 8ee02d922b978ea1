import DictationCore

/// A line from a client, after its greeting.
struct WireRequest: Hashable {
    enum Kind: Hashable {
        case intent(DictationIntent)
        case hold(profile: String?)
        /// Ends the hold of this connection.
        case release
        /// Asks for the status, and for each change of it.
        case follow
        /// Reads the settings again.
        case reload
    }

    /// The client's number for the request. The answers have the same.
    var id: Int
    var kind: Kind
}

extension WireRequest: Codable {
    private enum CodingKeys: CodingKey { case id, intent, profile }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        id = try container.decode(Int.self, forKey: .id)
        let profile = try container.decodeIfPresent(String.self, forKey: .profile)
        switch try container.decode(String.self, forKey: .intent) {
        case "start": kind = .intent(.start(profile: profile))
        case "stop": kind = .intent(.stop)
        case "toggle": kind = .intent(.toggle(profile: profile))
        case "cancel": kind = .intent(.cancel)
        case "pause": kind = .intent(.pause)
        case "resume": kind = .intent(.resume)
        case "last": kind = .intent(.last)
        case "status": kind = .intent(.status)
        case "hold": kind = .hold(profile: profile)
        case "release": kind = .release
        case "follow": kind = .follow
        case "reload": kind = .reload
        default:
            throw DecodingError.dataCorruptedError(
                forKey: .intent, in: container, debugDescription: "an intent that this version does not know")
        }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(id, forKey: .id)
        let (name, profile) = words
        try container.encode(name, forKey: .intent)
        try container.encodeIfPresent(profile, forKey: .profile)
    }

    private var words: (name: String, profile: String?) {
        switch kind {
        case .intent(.start(let profile)): ("start", profile)
        case .intent(.stop): ("stop", nil)
        case .intent(.toggle(let profile)): ("toggle", profile)
        case .intent(.cancel): ("cancel", nil)
        case .intent(.pause): ("pause", nil)
        case .intent(.resume): ("resume", nil)
        case .intent(.last): ("last", nil)
        case .intent(.status): ("status", nil)
        case .hold(let profile): ("hold", profile)
        case .release: ("release", nil)
        case .follow: ("follow", nil)
        case .reload: ("reload", nil)
        }
    }
}
