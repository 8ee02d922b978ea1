import DictationCore

/// The reason why a server did not do its work.
struct RemoteFailure: Error, Sendable {
    var error: DictationError
    /// Whether the same request may work later, or on another server.
    var isTemporary = true
    /// The time that the server asks to wait.
    var retryAfter: Duration?

    /// A connection that could not be made or that broke off.
    static func lost(_ server: String, _ reason: String) -> RemoteFailure {
        RemoteFailure(
            error: DictationError(
                .serverUnavailable, "The connection to “\(server)” failed: \(reason).",
                recovery: "Check that the server runs and can be reached."))
    }

    /// An answer that no such server sends.
    static func nonsense(_ server: String, _ reason: String) -> RemoteFailure {
        RemoteFailure(
            error: DictationError(
                .serverAnswerInvalid, "The server at “\(server)” sent \(reason).",
                recovery: "Check the address and the kind of the server."))
    }

    /// A request that the server refuses, now and later.
    static func refused(_ server: String, _ reason: String, recovery: String) -> RemoteFailure {
        RemoteFailure(
            error: DictationError(
                .serverRefused, "The server at “\(server)” refuses the request: \(reason).", recovery: recovery),
            isTemporary: false)
    }

    /// An HTTP status other than success.
    ///
    /// - Parameters:
    ///   - status: The status.
    ///   - server: The server's address, for the message.
    ///   - headers: The answer's headers; the names are in lower case.
    ///   - details: What the server says about it.
    static func status(
        _ status: Int, from server: String, headers: [String: String] = [:], details: String = ""
    ) -> RemoteFailure {
        let details = details.isEmpty ? "" : " (\(details.prefix(300)))"
        switch status {
        case 401, 403:
            return refused(server, "it does not accept the token\(details)", recovery: "Give the server's token.")
        case 408, 425, 429, 500...599:
            var failure = lost(server, "it answers with the status \(status)\(details)")
            failure.retryAfter = headers["retry-after"].flatMap { Int($0) }.map { .seconds(max(0, min(3_600, $0))) }
            return failure
        case 300..<400:
            let target = headers["location"].map { " to “\($0.prefix(200))”" } ?? ""
            return refused(server, "it redirects\(target)", recovery: "Give the address that it redirects to.")
        default:
            return refused(
                server, "it answers with the status \(status)\(details)", recovery: "Check the address and the options."
            )
        }
    }
}
