#if Server
import DictationHTTP

/// Who may use a server.
///
/// With a token, who knows it. Without one, programs on this machine, but not pages in their browsers: a page elsewhere
/// could choose a name for this machine, which has another `Host`, and could open websockets, which have an `Origin`.
struct AccessRules: Sendable {
    let token: Secret?

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
        // A load balancer on this machine has another port.
        let hosts = ["127.0.0.1", "localhost", "[::1]"]
        guard let host = request.headers["host"]?.lowercased(),
            hosts.contains(where: { host == $0 || host.hasPrefix($0 + ":") })
        else {
            return ServerRefusal(421, "This server has another name.", type: "invalid_request_error")
        }
        if let origin = request.headers["origin"]?.lowercased(), origin != "http://" + host, origin != "https://" + host
        {
            return ServerRefusal(403, "Pages elsewhere may not use this server.", type: "invalid_request_error")
        }
        return nil
    }
}
#endif
