import DictationCore
import DictationHTTP
import DictationMessages
import DictationText

/// Why a request is refused: for the client, and as a status of HTTP.
struct ServerRefusal: Error, Sendable, Hashable {
    var status: UInt32
    var error: OpenAIError
    /// When to try again, in seconds.
    var retryAfter: Int?
    /// The error in full, for the log; `nil` if the client gets all of it.
    private var cause: String?

    /// What the log says.
    var logged: String { cause ?? error.message }

    init(_ status: UInt32, _ message: String, type: String, code: String? = nil, param: String? = nil) {
        self.status = status
        error = OpenAIError(message: message.visible.cut(to: 1_000), type: type, param: param, code: code)
    }

    /// For the log: the client ended its connection before its form was whole.
    static let leaving = ServerRefusal(
        499, "The client left in the middle of its form.", type: "invalid_request_error")
    /// For the log: this server stopped before the form was whole.
    static let endedByServer = ServerRefusal(
        503, "The server stopped in the middle of the form.", type: "server_error")

    static func invalid(_ message: String, param: String? = nil) -> ServerRefusal {
        ServerRefusal(400, message, type: "invalid_request_error", param: param)
    }

    static func unknownModel(_ name: String, of models: [ServedModel]) -> ServerRefusal {
        ServerRefusal(
            404, "There is no model “\(name)”. Choose from: \(models.map(\.name).joined(separator: ", ")).",
            type: "invalid_request_error", code: "model_not_found", param: "model")
    }

    static func busy(_ refusal: FairQueue.Refusal) -> ServerRefusal {
        var busy =
            switch refusal {
            case .clientLimit:
                ServerRefusal(
                    429, "You have too many requests at once. Wait until one of them has ended.",
                    type: "rate_limit_error", code: "rate_limit_exceeded")
            case .full:
                ServerRefusal(
                    503, "The server has too many requests at once. Try again, or add a server.",
                    type: "server_error", code: "server_busy")
            }
        busy.retryAfter = 1
        return busy
    }

    static func busy(_ refusal: ClientPlaces.Refusal) -> ServerRefusal {
        switch refusal {
        case .clientLimit: busy(FairQueue.Refusal.clientLimit)
        case .full: busy(FairQueue.Refusal.full)
        }
    }

    static var stopping: ServerRefusal {
        var stopping = ServerRefusal(503, "The server is stopping.", type: "server_error", code: "server_stopping")
        stopping.retryAfter = 1
        return stopping
    }

    /// There was no room for a large message of a live stream.
    static var noRoom: ServerRefusal {
        var full = ServerRefusal(
            503, "The server has too many large messages at once. Send messages of up to 64 KiB, or try again.",
            type: "server_error", code: "server_busy")
        full.retryAfter = 1
        return full
    }

    /// A large message of a live stream did not arrive in time.
    static var slowMessage: ServerRefusal {
        ServerRefusal(
            408, "A large message took too long to arrive. Send messages of up to 64 KiB.",
            type: "invalid_request_error", code: "message_timeout")
    }

    static var tooLarge: ServerRefusal {
        ServerRefusal(
            413, "The recording is too large for this server.", type: "invalid_request_error", code: "file_too_large",
            param: "file")
    }

    /// Says what the client can mend. What it can't, such as a damaged model, is only in the server's log.
    ///
    /// - Parameters:
    ///   - error: The error.
    ///   - path: The path of the uploaded file, which means nothing to the client.
    ///   - name: The client's name for that file.
    init(_ error: DictationError, hiding path: String? = nil, as name: String = "") {
        let client: Set<DictationError.Code> = [
            .unsupportedOption, .unsupportedLocale, .unsupportedFormat, .invalidInput, .disorderedAudio,
            .fileUnreadable, .inputFailed,
        ]
        if client.contains(error.code) {
            var text = [error.message, error.recovery].compactMap(\.self).joined(separator: " ")
            if let path { text = text.replacing(path, with: name) }
            self = .invalid(text)
        } else if error.code == .alreadyRunning {
            self = .busy(FairQueue.Refusal.full)
        } else {
            self.init(500, "The engine failed.", type: "server_error", code: error.code.rawValue)
            cause = error.description
        }
    }

    /// The JSON for the client.
    var json: String { JSONWriter.encode(OpenAIFailure(error: error)) }
}

extension String {
    /// The text, or its beginning with an ellipsis. Any number of accents may follow a letter, so scalars count.
    func cut(to limit: Int) -> String {
        let head = unicodeScalars.prefix(limit)
        return head.endIndex == unicodeScalars.endIndex ? self : String(String.UnicodeScalarView(head)) + "…"
    }
}
