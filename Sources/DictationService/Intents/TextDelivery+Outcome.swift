extension TextDelivery {
    /// What became of a text at one destination.
    @nonexhaustive public enum Outcome: Sendable, Hashable {
        /// The whole text is there.
        case delivered
        /// Nothing that takes text has the focus. The next destination is tried.
        case noField
        /// The text must not go there: into a password, or into another window than the one where the take began. No other
        /// destination that follows the focus is tried.
        case refused(_ reason: String)
        /// The destination does not work here, or not now. The next one is tried.
        case unavailable(_ reason: String)
        /// A part of the text may be there. No other destination is tried, because the text would then be there twice.
        case incomplete(_ reason: String)

        /// Why the text is not there; `nil` for ``delivered`` and ``noField``.
        public var reason: String? {
            switch self {
            case .delivered, .noField: nil
            case .refused(let reason), .unavailable(let reason), .incomplete(let reason): reason
            }
        }
    }
}

extension TextDelivery.Outcome: Codable {
    private enum CodingKeys: CodingKey { case outcome, reason }

    /// Reads an outcome.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let reason = try container.decodeIfPresent(String.self, forKey: .reason) ?? ""
        guard let outcome = Self(name: try container.decode(String.self, forKey: .outcome), reason: reason) else {
            throw DecodingError.dataCorruptedError(
                forKey: .outcome, in: container, debugDescription: "an outcome that this version does not know")
        }
        self = outcome
    }

    /// Creates an outcome from its name in JSON; `nil` for an unknown one.
    init?(name: String, reason: String) {
        switch name {
        case "delivered": self = .delivered
        case "noField": self = .noField
        case "refused": self = .refused(reason)
        case "unavailable": self = .unavailable(reason)
        case "incomplete": self = .incomplete(reason)
        default: return nil
        }
    }

    /// Writes the outcome: `{"outcome":"refused","reason":"…"}`.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(name, forKey: .outcome)
        try container.encodeIfPresent(reason, forKey: .reason)
    }

    /// The name in JSON.
    var name: String {
        switch self {
        case .delivered: "delivered"
        case .noField: "noField"
        case .refused: "refused"
        case .unavailable: "unavailable"
        case .incomplete: "incomplete"
        }
    }
}
