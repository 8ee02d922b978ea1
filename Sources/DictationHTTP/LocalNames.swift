#if Captions || Server
/// Tells programs on this machine from pages in their browsers, for a server of this machine alone.
///
/// A page elsewhere could find the port, and make a browser send requests there. It could choose a name for this machine,
/// which has another `Host`, and could open websockets, which have an `Origin`.
package enum LocalNames {
    /// Returns the status of HTTP with which a request is refused; `nil` if it comes from a program on this machine.
    ///
    /// - Parameter port: The only port that `Host` may name; `nil` permits any, because a load balancer on this machine has
    ///   another one.
    package static func refusal(host: String?, origin: String?, port: UInt16? = nil) -> UInt32? {
        guard let host = host?.lowercased(),
            let name = ["127.0.0.1", "localhost", "[::1]"].first(where: { host == $0 || host.hasPrefix($0 + ":") })
        else { return 421 }
        let rest = host.utf8.dropFirst(name.utf8.count)
        if let port {
            guard rest.elementsEqual(":\(port)".utf8) else { return 421 }
        } else if !rest.isEmpty {
            let digits = rest.dropFirst()
            guard (1...5).contains(digits.count), digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return 421 }
        }
        guard let origin = origin?.lowercased() else { return nil }
        return origin == "http://" + host || origin == "https://" + host ? nil : 403
    }
}
#endif
