import DictationCore

/// The JSON of an answer, as it goes through the socket: `{"answer":"recording","take":1}`.
extension DictationAnswer: Codable {
    private enum CodingKeys: CodingKey { case answer, take, status }

    /// Reads an answer.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        func take() throws -> TakeID { try container.decode(TakeID.self, forKey: .take) }
        self =
            switch try container.decode(String.self, forKey: .answer) {
            case "recording": .recording(try take())
            case "paused": .paused(try take())
            case "text": .text(try DictatedText(from: decoder))
            case "endedByAnother": .endedByAnother(try take())
            case "cancelled": .cancelled(try take())
            case "nothing": .nothing
            case "status": .status(try container.decode(ServiceStatus.self, forKey: .status))
            default:
                throw DecodingError.dataCorruptedError(
                    forKey: .answer, in: container, debugDescription: "an answer that this version does not know")
            }
    }

    /// Writes the answer. A text and a status are written with all that belongs to them.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        func encode(_ name: String, _ take: TakeID? = nil) throws {
            try container.encode(name, forKey: .answer)
            try container.encodeIfPresent(take, forKey: .take)
        }
        switch self {
        case .recording(let take): try encode("recording", take)
        case .paused(let take): try encode("paused", take)
        case .text(let text):
            try encode("text")
            try text.encode(to: encoder)
        case .endedByAnother(let take): try encode("endedByAnother", take)
        case .cancelled(let take): try encode("cancelled", take)
        case .nothing: try encode("nothing")
        case .status(let status):
            try encode("status")
            try container.encode(status, forKey: .status)
        }
    }
}
