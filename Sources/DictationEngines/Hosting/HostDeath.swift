import DictationCore
import DictationPlatform

/// Why a helper no longer works.
struct HostDeath: Error, Equatable {
    enum Cause: Equatable {
        /// It ended: with an exit code, or with the negative number of a signal. `nil` is unknown.
        case ended(Int32?)
        /// It did not answer, or its engine did not advance, within the limit.
        case hung
        /// It used more memory than the limit.
        case tooLarge
        /// It sent something that no helper sends.
        case garbage
        /// Nobody needs it any more.
        case unneeded
    }

    var cause: Cause
    /// The end of its output.
    var said = ""

    /// What happened, as the end of a sentence.
    var reason: String {
        switch cause {
        case .ended(let status?) where status < 0: "signal \(-status) ended it"
        case .ended(let status?): "it ended with code \(status)"
        case .ended(nil): "it ended"
        case .hung: "it hung"
        case .tooLarge: "it used more memory than its limit"
        case .garbage: "it sent an invalid message"
        case .unneeded: "it was released"
        }
    }

    /// The cause and the most telling line of the output.
    var underlying: DictationError.Underlying {
        let code: Int32 = if case .ended(let status?) = cause { status } else { 0 }
        return HelperProcess.underlying(code, said, domain: "dictation-helper")
    }
}

/// Why a request to a helper has no answer.
enum HostFailure: Error {
    case died(HostDeath)
    case failed(DictationError)
    case cancelled
}
