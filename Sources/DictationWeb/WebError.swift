#if ModelCatalog || Remote
import CCurl

/// The reason why a transfer or a connection failed.
package struct WebError: Error, Sendable {
    package enum Kind: Sendable {
        /// There was no connection, so the server has not seen the request.
        case unreachable
        /// The server's certificate is not trusted.
        case untrusted
        /// The address has another form than an address has.
        case malformed
        /// The address, or one that it redirects to, has a scheme that is not allowed.
        case forbidden
        case tooManyRedirects
        case cancelled
        case interrupted
    }

    package var kind: Kind
    /// The code of libcurl.
    package var code: Int
    package var text: String

    /// The error when libcurl has no memory left.
    package static let unavailable = WebError(CURLE_FAILED_INIT, "libcurl can't start")

    init(_ code: CURLcode, _ text: String = "") {
        kind = Self.kind(of: code)
        self.code = Int(code.rawValue)
        self.text = text.isEmpty ? String(cString: curl_easy_strerror(code)) : text
    }

    private static func kind(of code: CURLcode) -> Kind {
        switch code {
        case CURLE_COULDNT_CONNECT, CURLE_COULDNT_RESOLVE_HOST: .unreachable
        case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CACERT_BADFILE, CURLE_SSL_ISSUER_ERROR: .untrusted
        case CURLE_URL_MALFORMAT: .malformed
        case CURLE_UNSUPPORTED_PROTOCOL: .forbidden
        case CURLE_TOO_MANY_REDIRECTS: .tooManyRedirects
        case CURLE_ABORTED_BY_CALLBACK: .cancelled
        default: .interrupted
        }
    }
}
#endif
