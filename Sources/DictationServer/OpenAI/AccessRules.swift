#if Server
import DictationCore
import DictationHTTP

/// Who may use a server.
///
/// With a token, who knows it. Without one, programs on this machine, but not pages in their browsers: a page elsewhere
/// could choose a name for this machine, which has another `Host`, and could open websockets, which have an `Origin`.
struct AccessRules: Sendable {
    let token: SecretText?

    func refusal(of request: HTTPRequest) -> ServerRefusal? {
        if let token {
            let sent = request.headers["authorization"] ?? ""
            let isKnown =
                sent.lowercased().hasPrefix("bearer ")
                && isEqualSecret(String(sent.dropFirst("bearer ".count)), token.value)
            return isKnown
                ? nil
                : ServerRefusal(
                    401, "The token is missing or wrong.", type: "invalid_request_error", code: "invalid_api_key")
        }
        switch LocalNames.refusal(host: request.headers["host"], origin: request.headers["origin"]) {
        case nil: return nil
        case 403: return ServerRefusal(403, "Pages elsewhere may not use this server.", type: "invalid_request_error")
        case .some: return ServerRefusal(421, "This server has another name.", type: "invalid_request_error")
        }
    }
}
#endif
