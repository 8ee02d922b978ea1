#if ModelCatalog || Remote
import CCurl

/// The parts of an address.
package struct WebAddress: Sendable, Hashable {
    package var host: String
    /// The port that the address names.
    package var port: Int?
    /// The path and query, beginning with a slash.
    package var path: String
    /// Whether a user name or a password is in the address.
    package var hasUser: Bool

    /// Returns an address for people: without a user name and a password.
    package static func withoutUser(_ address: String) -> String {
        guard let start = address.firstRange(of: "://")?.upperBound else { return address }
        let host = address[start...].prefix { !"/?#".contains($0) }
        guard let at = host.lastIndex(of: "@") else { return address }
        return String(address[..<start] + address[host.index(after: at)...])
    }

    /// Reads an address with any scheme; `nil` if it has another form or no host.
    package init?(_ text: String) {
        guard let parts = curl_url() else { return nil }
        defer { curl_url_cleanup(parts) }
        guard curl_url_set(parts, CURLUPART_URL, text, UInt32(CURLU_NON_SUPPORT_SCHEME)) == CURLUE_OK else {
            return nil
        }
        func part(_ name: CURLUPart) -> String? {
            var found: UnsafeMutablePointer<CChar>?
            guard curl_url_get(parts, name, &found, 0) == CURLUE_OK, let found else { return nil }
            defer { curl_free(found) }
            return String(cString: found)
        }
        guard let host = part(CURLUPART_HOST), !host.isEmpty else { return nil }
        self.host = host
        port = part(CURLUPART_PORT).flatMap { Int($0) }
        path = (part(CURLUPART_PATH) ?? "/") + (part(CURLUPART_QUERY).map { "?" + $0 } ?? "")
        hasUser = part(CURLUPART_USER) != nil || part(CURLUPART_PASSWORD) != nil
    }
}
#endif
