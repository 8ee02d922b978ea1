import DictationCore

/// A line from a client, after its greeting.
package struct WireRequest: Hashable {
    package enum Kind: Hashable {
        case intent(DictationIntent)
        /// A client that answers pings is asked whether it is still there.
        case hold(profile: String?, answersPings: Bool = false)
        /// Answers a ping, and gets no answer.
        case pong
        /// Ends the hold of this connection.
        case release
        /// Asks for the status, and for each change of it.
        case follow
        /// Reads the settings again.
        case reload
        /// Offers the fields of a keyboard. Each thing to do in them is an answer.
        case offerFields
        /// Tells something of those fields, and gets no answer.
        case report(FieldReport)
        /// Asks whether a keyboard is connected.
        case keyboard
    }

    /// The client's number for the request. The answers have the same.
    package var id: Int
    package var kind: Kind

    package init(id: Int, kind: Kind) {
        (self.id, self.kind) = (id, kind)
    }
}

extension WireRequest: Codable {
    private enum CodingKeys: CodingKey { case id, intent, profile, answersPings, field, number }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        id = try container.decode(Int.self, forKey: .id)
        let profile = try container.decodeIfPresent(String.self, forKey: .profile)
        let intent = try container.decode(String.self, forKey: .intent)
        let ofKeyboards: Kind? =
            switch intent {
            case "offerFields": .offerFields
            case "keyboard": .keyboard
            case "focus": .report(.focus(try container.decodeIfPresent(String.self, forKey: .field)))
            case "outcome":
                .report(
                    .outcome(
                        number: try container.decode(Int.self, forKey: .number), try TextDelivery.Outcome(from: decoder)
                    ))
            default: nil
            }
        guard let kind = ofKeyboards ?? Kind(intent: intent, profile: profile) else {
            throw DecodingError.dataCorruptedError(
                forKey: .intent, in: container, debugDescription: "an intent that this version does not know")
        }
        self.kind = kind
        if case .hold = kind {
            let answersPings = try container.decodeIfPresent(Bool.self, forKey: .answersPings)
            self.kind = .hold(profile: profile, answersPings: answersPings ?? false)
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(id, forKey: .id)
        let (name, profile) = words
        try container.encode(name, forKey: .intent)
        try container.encodeIfPresent(profile, forKey: .profile)
        switch kind {
        case .hold(_, answersPings: true): try container.encode(true, forKey: .answersPings)
        case .report(.focus(let field)): try container.encodeIfPresent(field, forKey: .field)
        case .report(.outcome(let number, let outcome)):
            try container.encode(number, forKey: .number)
            try outcome.encode(to: encoder)
        default: break
        }
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
        case .intent(.insertLast): ("insertLast", nil)
        case .intent(.status): ("status", nil)
        case .hold(let profile, _): ("hold", profile)
        case .pong: ("pong", nil)
        case .release: ("release", nil)
        case .follow: ("follow", nil)
        case .reload: ("reload", nil)
        case .offerFields: ("offerFields", nil)
        case .report(.focus): ("focus", nil)
        case .report(.outcome): ("outcome", nil)
        case .keyboard: ("keyboard", nil)
        }
    }
}

extension WireRequest.Kind {
    /// The requests by name. Both listeners carry them out.
    package static let named: KeyValuePairs<String, @Sendable (_ profile: String?) -> WireRequest.Kind> = [
        "start": { .intent(.start(profile: $0)) },
        "stop": { _ in .intent(.stop) },
        "toggle": { .intent(.toggle(profile: $0)) },
        "cancel": { _ in .intent(.cancel) },
        "pause": { _ in .intent(.pause) },
        "resume": { _ in .intent(.resume) },
        "last": { _ in .intent(.last) },
        "insertLast": { _ in .intent(.insertLast) },
        "status": { _ in .intent(.status) },
        "hold": { .hold(profile: $0) },
        "pong": { _ in .pong },
        "release": { _ in .release },
        "follow": { _ in .follow },
        "reload": { _ in .reload },
    ]

    /// Returns the request that has a name; `nil` for a name that this version does not know.
    package init?(intent: String, profile: String?) {
        guard let make = Self.named.first(where: { $0.key == intent })?.value else { return nil }
        self = make(profile)
    }

    /// Whether the request only ends a take. It is carried out however many clients there are.
    package var endsTake: Bool { self == .intent(.stop) || self == .intent(.cancel) }
}
