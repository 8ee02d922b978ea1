/// A request to a language model.
struct ChatRequest: Encodable {
    struct Message: Encodable {
        var role: String
        var content: String
    }
    var model: String?
    var messages: [Message]
    var stream = false
    var temperature = 0.0
}

/// The answer of a language model.
struct ChatAnswer: Decodable {
    struct Choice: Decodable {
        enum CodingKeys: String, CodingKey {
            case message
            case finishReason = "finish_reason"
        }
        var message: Message
        var finishReason: String?
    }
    struct Message: Decodable { var content: String? }
    var choices: [Choice]
}

/// The reason why a language model does not answer.
struct ChatFailure: Decodable {
    struct Reason: Decodable { var message: String }
    var error: Reason
}
