/// An error as the OpenAI interface writes it. Some servers write only a text.
package struct OpenAIError: Sendable, Hashable {
    package var message: String
    package var type: String?
    package var param: String?
    package var code: String?

    package init(message: String, type: String? = nil, param: String? = nil, code: String? = nil) {
        (self.message, self.type, self.param, self.code) = (message, type, param, code)
    }
}

/// The answer to a request that failed: `{"error": …}`.
package struct OpenAIFailure: Sendable, Hashable, Codable {
    package var error: OpenAIError

    package init(error: OpenAIError) { self.error = error }
}

/// The answer of a server made with FastAPI: `{"detail": …}`, with a text, an error or a list of wrong fields.
package struct FastAPIFailure: Decodable {
    private struct Field: Decodable {
        var message: String
        /// The names of the field and of what it is in, and places in lists.
        var place: [String]

        private enum CodingKeys: String, CodingKey {
            case message = "msg"
            case place = "loc"
        }

        init(from decoder: any Decoder) throws {
            let values = try decoder.container(keyedBy: CodingKeys.self)
            message = try values.decode(String.self, forKey: .message)
            place = (try? values.decode([String].self, forKey: .place)) ?? []
        }
    }

    package var message: String

    private enum CodingKeys: String, CodingKey { case detail }

    package init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        if let fields = try? values.decode([Field].self, forKey: .detail) {
            message = fields.map { field in field.place.last.map { "\($0): \(field.message)" } ?? field.message }
                .joined(separator: "; ")
        } else if let failure = try? values.decode(OpenAIFailure.self, forKey: .detail) {
            message = failure.error.message
        } else {
            message = try values.decode(OpenAIError.self, forKey: .detail).message
        }
    }
}

extension OpenAIError: Codable {
    private enum CodingKeys: String, CodingKey { case message, type, param, code }

    package init(from decoder: any Decoder) throws {
        if let text = try? decoder.singleValueContainer().decode(String.self) {
            self.init(message: text)
            return
        }
        let values = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            message: try values.decode(String.self, forKey: .message),
            type: try? values.decodeIfPresent(String.self, forKey: .type),
            param: try? values.decodeIfPresent(String.self, forKey: .param),
            // Some servers write a number.
            code: (try? values.decodeIfPresent(String.self, forKey: .code))
                ?? (try? values.decodeIfPresent(Int.self, forKey: .code)).map { String($0) })
    }

    /// Writes all four members, because readers of the original expect them.
    package func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(message, forKey: .message)
        try values.encode(type, forKey: .type)
        try values.encode(param, forKey: .param)
        try values.encode(code, forKey: .code)
    }
}
