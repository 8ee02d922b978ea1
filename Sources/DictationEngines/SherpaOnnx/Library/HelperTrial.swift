import DictationCore
import DictationSystem

/// Has a helper try what may end a process: load a library, and a model with it.
struct HelperTrial: Codable, Sendable {
    var library: Library
    /// What to try with the library; `nil` to try only whether it can be loaded.
    var work: Work?

    enum Work: Codable, Sendable {
        case model(Model)
        case detectors(folder: String)
    }

    /// The C library to load.
    struct Library: Codable, Sendable {
        var path: String
        /// The version that the file must have; `nil` for any that the engines support.
        var version: String?
    }

    struct Model: Codable, Sendable {
        var layout: ModelLayout
        var folder: String
        /// The model's files, in the order that the layout demands.
        var files: [String]
    }

    enum Outcome: Codable, Sendable, Equatable {
        case works
        case refused
        /// The library can't be loaded.
        case failed(DictationError)
    }

    /// The end of the helper.
    struct End {
        /// The helper's answer; `nil` unless it answered this request and then exited with 0.
        var outcome: Outcome?
        var death: HelperDeath

        /// Whether the time was over first.
        var isLate: Bool { death.cause == .hung }
    }

    private struct Progress {
        var answer: HelperAnswer?
        var death: HelperDeath?
    }

    /// Starts a helper, and blocks until it has ended or was killed because the time is over.
    func run(
        by program: String, within limit: Duration, version: Int = HelperCall.currentVersion
    ) throws(DictationError) -> End {
        var attempt = HelperAttempt(work: HelperJSON.text(self))
        attempt.version = version
        let progress = Monitor(Progress())
        let process = try HelperProcess.start(program, HelperProcess.Limits())
        process.whenEnded { death in progress.change { $0.death = death } }
        process.ask(.attempt(attempt)) { result in progress.change { $0.answer = try? result.get() } }
        if progress.first(within: limit, { $0.death }) == nil { process.kill(because: .hung) }
        return progress.first { progress in
            guard let death = progress.death else { return nil }
            // A program that ignores SIGCHLD gets no status. Then only the nonce counts.
            let isInOrder = death.cause == .ended(0) || death.cause == .ended(nil)
            guard case .attempted(attempt.nonce, let outcome)? = progress.answer, isInOrder else {
                return End(death: death)
            }
            return End(outcome: HelperJSON.value(outcome), death: death)
        } ?? End(death: HelperDeath(cause: .hung))
    }
}
