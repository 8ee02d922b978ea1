package import DictationCore

/// A line from a service, after its greeting.
package struct WireReply: Hashable {
    package enum Content: Hashable {
        case answer(DictationAnswer)
        /// The take of a hold is recorded.
        case holding(TakeID)
        case failure(DictationError)
        /// Asks the holder of a take whether it is still there.
        case ping
        /// Asks a keyboard for something in its fields.
        case order(FieldOrder)
    }

    /// The number of the request; `nil` for an error that belongs to none.
    package var id: Int?
    package var content: Content

    package init(id: Int? = nil, content: Content) {
        (self.id, self.content) = (id, content)
    }
}

extension WireReply: Codable {
    private enum CodingKeys: CodingKey { case id, answer, take, error, text, field }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        id = try container.decodeIfPresent(Int.self, forKey: .id)
        content =
            switch try container.decode(String.self, forKey: .answer) {
            case "holding": .holding(try container.decode(TakeID.self, forKey: .take))
            case "ping": .ping
            case "error": .failure(try container.decode(DictationError.self, forKey: .error))
            case "write": .order(.write(try OrderedText(from: decoder)))
            case "show":
                .order(
                    .show(
                        try container.decode(String.self, forKey: .text),
                        in: try container.decodeIfPresent(String.self, forKey: .field)))
            default: .answer(try DictationAnswer(from: decoder))
            }
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encodeIfPresent(id, forKey: .id)
        switch content {
        case .answer(let answer): try answer.encode(to: encoder)
        case .holding(let take):
            try container.encode("holding", forKey: .answer)
            try container.encode(take, forKey: .take)
        case .failure(let error):
            try container.encode("error", forKey: .answer)
            try container.encode(error, forKey: .error)
        case .ping: try container.encode("ping", forKey: .answer)
        case .order(.write(let text)):
            try container.encode("write", forKey: .answer)
            try text.encode(to: encoder)
        case .order(.show(let text, let field)):
            try container.encode("show", forKey: .answer)
            try container.encode(text, forKey: .text)
            try container.encodeIfPresent(field, forKey: .field)
        }
    }
}
