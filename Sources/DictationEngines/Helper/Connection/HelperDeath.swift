import DictationCore
import DictationSystem

/// Why a helper no longer works.
struct HelperDeath: Error, Equatable {
    enum Cause: Equatable {
        /// It ended: with an exit code, or with the negative number of a signal. `nil` is unknown.
        case ended(Int32?)
        /// It did not answer, or its engine did not advance, within the limit.
        case hung
        /// It used more memory than the limit.
        case tooLarge
        /// Its library failed while it decoded audio, and went on without the text.
        case failedDecoding
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
        case .failedDecoding: "its library failed while it decoded audio"
        case .garbage: "it sent an invalid message"
        case .unneeded: "it was released"
        }
    }

    /// The cause and the most telling line of the output.
    var underlying: DictationError.Underlying {
        let code: Int32 = if case .ended(let status?) = cause { status } else { 0 }
        // The output may come from the model's maker, so no decision depends on it.
        let lines = said.split(whereSeparator: \.isNewline).map { $0.trimmingPrefix { $0 == " " } }
        let telling = lines.last { $0.contains("what()") } ?? lines.last { !$0.isEmpty }
        return .init(
            domain: "dictation-helper", code: Int(abs(code)), message: telling.map { String($0.prefix(500)) })
    }
}

extension HelperDeath {
    /// Whether the program was no helper of this version at all.
    var isNoHelper: Bool {
        // The exit codes of a program that misses a library, and of a helper that does not understand the messages.
        cause == .ended(127) || cause == .ended(HelperRole.misuse)
    }
}

/// Why a request to a helper has no answer.
enum HelperFailure: Error {
    case died(HelperDeath)
    case failed(DictationError)
    case cancelled
}
