#if Captions || Server
/// What a server serves.
package protocol HTTPSite: Sendable {
    /// Decides on a request when its headers are there. The server's thread calls this, so it must not wait.
    func plan(for request: HTTPRequest) -> HTTPPlan
}

/// What happens with a request.
package enum HTTPPlan: Sendable {
    case answer(HTTPResponse)
    /// Reads a form, then answers.
    case read(any HTTPFormReader)
}

/// Reads the fields of one form while they arrive.
package protocol HTTPFormReader: AnyObject, Sendable {
    /// Takes a part of a field. The server's thread calls this.
    ///
    /// - Parameters:
    ///   - name: The field.
    ///   - fileName: The name of the file in it; `nil` for a plain field.
    ///   - bytes: The part, for the time of the call.
    ///   - isFirst: Whether the field begins here.
    /// - Returns: `false` to refuse the rest of the form. The client is answered after it.
    func take(_ bytes: UnsafeRawBufferPointer, of name: String, fileName: String?, isFirst: Bool) -> Bool
    /// The most bytes of the rest of a form that was refused. They are read and forgotten, because only a client that has
    /// sent its whole request is sure to hear the answer. After more of them the connection ends.
    var restLimit: Int { get }
    /// Answers a request whose body is no form. The server's thread calls this.
    func answerToOtherBody() -> HTTPResponse
    /// Answers when all of the form is there. The task is cancelled when the client leaves.
    ///
    /// - Parameter isWhole: Whether the form could be read to its end.
    func answer(isWhole: Bool) async -> HTTPResponse
    /// Says that the request is over, in whatever way.
    func end()
}
#endif
