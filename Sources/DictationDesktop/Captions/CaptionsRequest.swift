#if Captions
import DictationHTTP

/// What a browser asks of the captions server, and what it gets.
struct CaptionsRequest {
    enum Answer: Hashable {
        case page
        case events
        /// Refused, with a status of HTTP.
        case refused(UInt32)
    }

    var method: String
    var path: String
    /// The headers of these names; `nil` if the request has none.
    var host: String?
    var origin: String?

    /// Decides on a request.
    ///
    /// A page elsewhere can't read the answers without our permission, which no answer has. It also does not know the
    /// token.
    func answer(port: UInt16, token: String) -> Answer {
        if let status = LocalNames.refusal(host: host, origin: origin, port: port) { return .refused(status) }
        guard method == "GET" || method == "HEAD" else { return .refused(405) }
        for (place, answer) in [("/", Answer.page), ("/events", .events)] where isEqualSecret(path, "/" + token + place)
        {
            return answer
        }
        return .refused(404)
    }
}
#endif
