public import DictationCore
import DictationSystem

extension Secret {
    /// Reads a secret, such as the token of a server. A program may take half a minute.
    ///
    /// - Throws: `invalidInput` if there is no secret; the error of a file that can't be read.
    public init(from source: SecretSource) throws(DictationError) { self = try source.read() }
}

extension SecretSource {
    /// A sentence about a file that other users of this machine can read; `nil` for any other source.
    public var warning: String? { exposure }
}
