/// The promises of `SpeechEngine` and of its `RecognitionSession`s.
public enum EngineClause: String, ConformanceClause {
    // MARK: The engine

    /// An unknown locale throws.
    case unsupportedLocaleThrows
    /// An option that needs what the engine lacks throws.
    case unsupportedOptionThrows
    /// An option that makes no sense throws.
    case senselessOptionThrows
    /// The locales are those that work.
    case localesAreTruthful
    /// The format is the one that sessions take.
    case formatIsTruthful
    /// The progress of preparing only grows.
    case prepareProgressOnlyGrows
    /// As many sessions as the engine says.
    case sessionsAtOnce
    /// What was asked for is there.
    case askedForIsGiven
    /// What was not asked for is not there.
    case notAskedForIsNotGiven
    /// A session leaves nothing behind for the next.
    case sessionsAreIndependent

    // MARK: Taking audio

    /// One input for a session.
    case startsOnce
    /// No input after the end.
    case startAfterEndThrows
    /// Samples are never reinterpreted.
    case wrongFormatThrows
    /// Audio comes in order.
    case disorderedAudioThrows
    /// Audio may have holes.
    case gapsAreTaken
    /// No audio is no error.
    case emptyInputIsNoError
    /// The input is left alone after the end.
    case inputIsLetGo

    // MARK: Results

    /// Finals don't overlap.
    case finalsNeverOverlap
    /// Finality is never taken back.
    case watermarkOnlyGrows
    /// Volatile results follow what is final.
    case volatilesFollowWatermark
    /// No volatile result stays behind.
    case volatilesSettle
    /// Times are those of the audio.
    case timesAreTheAudios
    /// Cutting changes nothing.
    case streamingEqualsBatch

    // MARK: Ends

    /// Finalizing does what it says.
    case finalizeIsTrue
    /// Finalizing waits for audio that is to come.
    case finalizeWaitsForAudio
    /// Finalizing is not the end.
    case finalizeLeavesSessionOpen
    /// Finalizing is bounded.
    case finalizeIsBounded
    /// Finishing makes all final.
    case finishMakesAllFinal
    /// Finishing again is harmless.
    case finishIsRepeatable
    /// Finishing before the start is harmless.
    case finishBeforeStart
    /// Finishing is bounded.
    case finishIsBounded
    /// A decoder that hangs is left behind.
    case stalledEngineIsLeft
    /// The deadline costs no words.
    case deadlineKeepsText
    /// Cancelling is immediate.
    case cancelEndsAtOnce
    /// Cancelling reaches those who wait.
    case cancelReachesWaiters
    /// An input's error reaches everyone.
    case inputErrorReachesEveryone
    /// The engine's own error reaches everyone.
    case engineErrorReachesEveryone
    /// A session that nobody holds ends.
    case letGoCancels

    /// The promise, in a sentence.
    public var statement: String {
        switch self {
        case .unsupportedLocaleThrows:
            "A locale that the engine has no model for throws unsupportedLocale; no other takes its place."
        case .unsupportedOptionThrows:
            "An option that needs a feature which the capabilities lack throws unsupportedOption."
        case .senselessOptionThrows: "An option whose value makes no sense throws invalidInput."
        case .localesAreTruthful: "supportedLocales has each locale that sessions are made for."
        case .formatIsTruthful: "audioFormat(for:) is a valid format, and the one that the session takes."
        case .prepareProgressOnlyGrows: "prepare(_:progress:) gives parts from 0 to 1 that never go back."
        case .sessionsAtOnce:
            "As many sessions as maximumSessions says can be open; one more throws alreadyRunning until one ends."
        case .askedForIsGiven: "What the options ask for is in the results."
        case .notAskedForIsNotGiven: "What the options don't ask for is not in the results."
        case .sessionsAreIndependent: "Sessions that were cancelled or failed change nothing for later ones."
        case .startsOnce: "A second start throws alreadyRunning and leaves the first one as it was."
        case .startAfterEndThrows: "A start after the end throws inputAfterEnd."
        case .wrongFormatThrows: "Audio in another format than the session's ends it with unsupportedFormat."
        case .disorderedAudioThrows:
            "Audio that lies before audio given already, or overlaps it, ends the session with disorderedAudio."
        case .gapsAreTaken: "Audio may have holes between its buffers; times go on being the buffers' own."
        case .emptyInputIsNoError: "Input without a frame gives no text and no error."
        case .inputIsLetGo: "After the end no more input is taken, and a pull under way is cancelled."
        case .finalsNeverOverlap: "The ranges of final results never overlap and never go back."
        case .watermarkOnlyGrows: "The time through which results are final only grows."
        case .volatilesFollowWatermark: "A volatile result lies at or after the time through which results are final."
        case .volatilesSettle: "Every volatile result is later replaced by a final one or revoked."
        case .timesAreTheAudios:
            "Ranges of results, and times through which they are final, lie within the audio that was given."
        case .streamingEqualsBatch: "How the audio is cut into buffers does not change the final text."
        case .finalizeIsTrue: "When finalize(through:) returns, the results say that everything up to there is final."
        case .finalizeWaitsForAudio: "finalize(through:) with a time ahead of the audio waits for it."
        case .finalizeLeavesSessionOpen: "After finalize(through:) the session goes on with what comes."
        case .finalizeIsBounded: "finalize(through:) comes back incomplete when the deadline runs out."
        case .finishMakesAllFinal: "finish() makes all input final and ends the results."
        case .finishIsRepeatable: "A second finish() gives the first one's answer."
        case .finishBeforeStart: "finish() before the start is complete at once and ends the results."
        case .finishIsBounded:
            "finish() comes back incomplete when the deadline runs out, also when the input never ends."
        case .stalledEngineIsLeft: "finish() comes back incomplete at the deadline although the engine never does."
        case .deadlineKeepsText: "When the deadline runs out, the text so far is made final and marked incomplete."
        case .cancelEndsAtOnce: "cancel() ends the session at once, from any state; the results end without an error."
        case .cancelReachesWaiters: "cancel() wakes each finish() and finalize(through:) with cancelled."
        case .inputErrorReachesEveryone: "An error of the input reaches every waiter and the results."
        case .engineErrorReachesEveryone:
            "An error of the engine reaches every waiter and the results, also when no input comes."
        case .letGoCancels: "A session that is let go of is cancelled: its results end and its input is let go."
        }
    }
}
