public import DictationCore
import DictationSystem

extension SecretText {
    /// Reads a secret, such as the token of a server. A program may take half a minute.
    ///
    /// - Throws: `invalidInput` if there is no secret; the error of a file that can't be read.
    public init(from source: SecretText.Source) throws(DictationError) { self = try source.read() }
}

extension SecretText.Source {
    /// A sentence about a file that other users of this machine can read; `nil` for any other source.
    public var warning: String? { exposure }
}
