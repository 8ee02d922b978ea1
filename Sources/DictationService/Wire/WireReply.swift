import DictationCore

/// A line from a service, after its greeting.
struct WireReply: Hashable {
    enum Content: Hashable {
        case answer(DictationAnswer)
        /// The take of a hold is recorded.
        case holding(TakeID)
        case failure(DictationError)
    }

    /// The number of the request; `nil` for an error that belongs to none.
    var id: Int?
    var content: Content
}

extension WireReply: Codable {
    private enum CodingKeys: CodingKey { case id, answer, take, error }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        id = try container.decodeIfPresent(Int.self, forKey: .id)
        content =
            switch try container.decode(String.self, forKey: .answer) {
            case "holding": .holding(try container.decode(TakeID.self, forKey: .take))
            case "error": .failure(try container.decode(DictationError.self, forKey: .error))
            default: .answer(try DictationAnswer(from: decoder))
            }
    }

    func encode(to encoder: any Encoder) throws {
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
        }
    }
}
