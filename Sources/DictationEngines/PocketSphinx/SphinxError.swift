#if PocketSphinx
import DictationCore

/// Errors for PocketSphinx's return codes. 0 or more means success and -1 means failure, without a reason.
extension DictationError {
    /// Returns the error for a call that failed.
    ///
    /// - Parameters:
    ///   - call: The name of the C function.
    ///   - code: The code that it returned.
    ///   - doing: What the call was for, such as "decoding".
    static func sphinx(_ call: String, code: Int32, while doing: String) -> DictationError {
        DictationError(
            .engineFailed, "PocketSphinx failed while \(doing).",
            recovery:
                "Start a new session; if it happens again, check the model with PocketSphinxModel.validate().",
            underlying: Underlying(domain: "PocketSphinx", code: Int(code), message: call))
    }
}

extension Int32 {
    /// Throws when this return code of a call means failure.
    func checked(_ call: String, while doing: String) throws(DictationError) {
        if self < 0 { throw .sphinx(call, code: self, while: doing) }
    }
}
#endif
