import DictationCore

/// The reason why a server did not do its work.
struct RemoteFailure: Error, Sendable {
    var error: DictationError
    /// Whether the same request may work later, or on another server.
    var isTemporary = true
    /// The time that the server asks to wait.
    var retryAfter: Duration?

    /// The greatest number of bytes of the text that a server may send for a stretch of audio.
    static let textLimit = 1 << 18

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
        let details = details.isEmpty ? "" : " (\(details.shortened))"
        switch status {
        case 401, 403:
            return refused(server, "it does not accept the token\(details)", recovery: "Give the server's token.")
        case 408, 425, 429, 500...599:
            var failure = lost(server, "it answers with the status \(status)\(details)")
            failure.retryAfter = headers["retry-after"].flatMap { Int($0) }.map { .seconds(max(0, min(3_600, $0))) }
            return failure
        case 300..<400:
            let target = headers["location"].map { " to “\($0.shortened)”" } ?? ""
            return refused(server, "it redirects\(target)", recovery: "Give the address that it redirects to.")
        default:
            return refused(
                server, "it answers with the status \(status)\(details)", recovery: "Check the address and the options."
            )
        }
    }
}

extension String {
    /// The beginning of a text that a server sent. Any number of accents may follow a letter, so letters don't count.
    var shortened: String { String(String.UnicodeScalarView(unicodeScalars.prefix(300))) }
}

extension SecretText {
    /// Returns the error without the secret, which a server may have sent back.
    func hidden(in error: DictationError) -> DictationError {
        // Nobody guesses a longer secret from the letters that are hidden.
        guard value.utf8.count >= 4 else { return error }
        func hide(_ text: String) -> String { text.replacing(value, with: "\(self)") }
        var error = error
        error.message = hide(error.message)
        error.recovery = error.recovery.map(hide)
        if let said = error.underlying?.message { error.underlying?.message = hide(said) }
        return error
    }
}

extension RemoteServer {
    /// Returns the error without the token.
    func cleaned(_ error: DictationError) -> DictationError { token?.hidden(in: error) ?? error }
}
