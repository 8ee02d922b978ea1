import DictationCore

/// Decides what a session whose engine works in a helper does next: a value without a helper and without a clock.
///
/// Whoever carries out the steps does one at a time, and tells what came of it.
struct HelperMachine: Sendable {
    /// What a call of the session waits for.
    enum Goal: Sendable, Equatable {
        /// The engine has taken the audio.
        case heard
        /// All of it is final.
        case final
        /// The recording is transcribed.
        case ended
    }

    enum Step: Sendable {
        /// Open a session in a helper.
        case connect(Terms)
        /// Do this before anything else.
        case pass(RememberedSpeech.Step)
        /// Reach the goal; everything before it is done.
        case settle
        case done
    }

    /// How to open a session.
    struct Terms: Sendable, Equatable {
        /// In a helper that has no other session, so that its death proves something.
        var isAlone: Bool
        /// Piece after piece, and no work on later audio, so that little is left out if no helper survives it.
        var isInStep: Bool
        /// The time through which text is final already.
        var known: Duration?
    }

    private(set) var record: ReplayRecord
    private var blame = HelperBlame()
    private var isConnected = false
    private var isSettled = false

    /// - Parameter memory: How much of the speech before a pause another engine has to hear again.
    init(remembering memory: Duration) { record = ReplayRecord(remembering: memory) }

    /// Adds audio after all other audio, in pieces of at most `size` frames.
    mutating func add(_ buffer: AudioBuffer, size: Int) { record.append(buffer, size: size) }

    /// Returns the next step toward a goal.
    mutating func next(toward goal: Goal) -> Step {
        guard isConnected else { return .connect(terms) }
        if let step = record.recall() ?? record.next().map({ .hear($0) }) { return .pass(step) }
        guard goal != .heard, !isSettled else {
            if isSettled, goal == .final { record.noteFinalization() }
            isSettled = false
            return .done
        }
        return .settle
    }

    private var terms: Terms {
        Terms(
            isAlone: blame.needsProof, isInStep: blame.isSuspicious,
            known: record.isRecalling ? record.watermark : nil)
    }

    /// A helper has opened the session.
    mutating func connected() { isConnected = true }

    /// The goal is reached.
    mutating func settled() { isSettled = true }

    /// Returns an update for the reader; `nil` for one that says nothing new.
    mutating func admit(_ update: SpeechUpdate) -> SpeechUpdate? {
        if update.result != nil { blame.noteResult() }
        return record.admit(update)
    }

    /// A helper has died. Leaves out audio that none survives.
    ///
    /// - Parameter place: The end of the audio that the engine took; `nil` if that is not known.
    /// - Returns: What the reader gets to know, and whether the session goes on.
    mutating func died(_ death: HelperDeath, place: Duration?) -> (updates: [SpeechUpdate], goesOn: Bool) {
        (isConnected, isSettled) = (false, false)
        let verdict = blame.died(
            death, watermark: record.watermark, place: place, hadAudio: record.hasSent)
        let revoked = record.rewind()
        var interruption = SpeechUpdate.EngineInterruption(cause: .lostHelper(death))
        if verdict == .leaveOut { interruption.lost = record.giveUp() }
        return ([revoked, .interrupted(interruption)].compactMap(\.self), verdict != .giveUp)
    }
}
