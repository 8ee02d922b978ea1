#if PocketSphinx
import DictationCore

/// What PocketSphinx's return codes mean. It says little more than "no": 0 or more is good, -1 is bad.
extension DictationError {
    /// The error for a call that returned a bad code.
    static func sphinx(_ call: String, code: Int32, while doing: String) -> DictationError {
        DictationError(
            .engineFailed, "PocketSphinx failed while \(doing).",
            recovery:
                "Start a new session; if it happens again, check the model with PocketSphinxModel.validate().",
            underlying: Underlying(domain: "PocketSphinx", code: Int(code), message: call))
    }
}

extension Int32 {
    /// Throws when the code of a call is a bad one.
    func checked(_ call: String, while doing: String) throws(DictationError) {
        if self < 0 { throw .sphinx(call, code: self, while: doing) }
    }
}
#endif
