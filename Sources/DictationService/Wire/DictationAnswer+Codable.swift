package import DictationCore

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
        try container.encode(name, forKey: .answer)
        switch self {
        case .text(let text): try text.encode(to: encoder)
        case .status(let status): try container.encode(status, forKey: .status)
        default: try container.encodeIfPresent(take, forKey: .take)
        }
    }

    /// The answer's name on both listeners.
    package var name: String {
        switch self {
        case .recording: "recording"
        case .paused: "paused"
        case .text: "text"
        case .endedByAnother: "endedByAnother"
        case .cancelled: "cancelled"
        case .nothing: "nothing"
        case .status: "status"
        }
    }

    /// The take that the answer is about.
    package var take: TakeID? {
        switch self {
        case .recording(let take), .paused(let take), .endedByAnother(let take), .cancelled(let take): take
        case .text(let text): text.take
        case .nothing, .status: nil
        }
    }
}
