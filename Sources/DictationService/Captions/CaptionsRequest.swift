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
    /// A page elsewhere could find the port, and make a browser send requests there. It can't read the answers without
    /// our permission, which no answer has. It also does not know the token. Another name for this machine, which such a
    /// page could choose, has another `Host`.
    func answer(port: UInt16, token: String) -> Answer {
        let hosts = ["127.0.0.1:\(port)", "localhost:\(port)"]
        guard let host, hosts.contains(host.lowercased()) else { return .refused(421) }
        if let origin, origin.lowercased() != "http://" + host.lowercased() { return .refused(403) }
        guard method == "GET" || method == "HEAD" else { return .refused(405) }
        for (place, answer) in [("/", Answer.page), ("/events", .events)] where isEqualSecret(path, "/" + token + place)
        {
            return answer
        }
        return .refused(404)
    }
}
#endif
