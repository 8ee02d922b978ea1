import DictationCore
import DictationSystem

/// Decides what to do after a helper has died: replace it, leave audio out, or give up.
///
/// Audio is left out only if it is to blame: if three helpers in a row ended by themselves and none got further than the
/// one before. A helper that another program killed says nothing about the audio. Text that becomes final clears all
/// suspicion.
struct HelperBlame: Sendable {
    /// What to do after a death.
    enum Verdict: Sendable, Equatable {
        /// Start another helper and give it the audio that is not final.
        case replace
        /// Leave out the audio that the helper had, and start another one.
        case leaveOut
        /// End the session with an error: neither another helper nor less audio helps.
        case giveUp
    }

    /// The number of helpers that may end at the same place.
    static let attempts = 3
    /// The number of helpers that may end at different places before any text becomes final.
    private static let most = 10
    /// The number of helpers that other programs may kill before any text becomes final.
    private static let mostKills = 20
    /// The number of stretches to leave out before the engine is to blame and not the audio.
    private static let patience = 2

    /// The number of deaths at the place of the last one.
    private var crashes = 0
    private var allCrashes = 0
    private var kills = 0
    private var lastPlace: Duration?
    private var watermark: Duration = .zero
    /// The number of stretches that were left out since the last result.
    private var lostStretches = 0

    /// Whether a helper died since the last progress.
    var isSuspicious: Bool { allCrashes + kills > 0 }

    /// Whether the next death decides. The audio of another session may have ended the helpers before. If one dies that
    /// has only this session, it was this audio.
    var needsProof: Bool { crashes >= Self.attempts - 1 || allCrashes >= Self.most - 1 }

    /// Notes a result, which shows that the engine works.
    mutating func noteResult() { lostStretches = 0 }

    /// Notes a death.
    ///
    /// - Parameters:
    ///   - death: The cause.
    ///   - watermark: The time through which text is final.
    ///   - place: The end of the audio that the engine took; `nil` if that is not known.
    ///   - hadAudio: Whether the helper had audio.
    mutating func died(
        _ death: HelperDeath, watermark: Duration = .zero, place: Duration? = nil, hadAudio: Bool = false
    ) -> Verdict {
        if watermark > self.watermark {
            (crashes, allCrashes, kills, lastPlace) = (0, 0, 0, nil)
            self.watermark = watermark
        }
        guard !death.isKillByAnother else {
            kills += 1
            return kills < Self.mostKills ? .replace : .giveUp
        }
        allCrashes += 1
        if let place, let lastPlace, place > lastPlace { crashes = 0 }
        crashes += 1
        lastPlace = place ?? lastPlace
        guard crashes >= Self.attempts || allCrashes >= Self.most else { return .replace }
        // Helpers that die without audio, or with any audio, don't die of the audio.
        guard hadAudio, lostStretches < Self.patience else { return .giveUp }
        lostStretches += 1
        (crashes, allCrashes, lastPlace) = (0, 0, nil)
        return .leaveOut
    }
}

extension HelperDeath {
    /// Whether another program, the system's administrator or a lack of memory ended the helper.
    var isKillByAnother: Bool {
        guard case .ended(let status?) = cause else { return false }
        if [SIGKILL, SIGTERM, SIGINT, SIGHUP, SIGQUIT].contains(-status) { return true }
        // A C++ library that gets no memory aborts.
        return status == -SIGABRT && said.contains("std::bad_alloc")
    }
}
