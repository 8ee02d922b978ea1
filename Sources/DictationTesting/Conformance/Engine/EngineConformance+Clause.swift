extension EngineConformance {
    /// The promises of `SpeechEngine` and `RecognitionSession`.
    public enum Clause: String, ConformanceClause {
        // MARK: The engine

        /// An unsupported locale throws.
        case unsupportedLocaleThrows
        /// An option that needs a missing feature throws.
        case unsupportedOptionThrows
        /// An option with an invalid value throws.
        case senselessOptionThrows
        /// The supported locales work.
        case localesAreTruthful
        /// Sessions take the reported format.
        case formatIsTruthful
        /// The progress of `prepare(_:progress:)` never decreases.
        case prepareProgressOnlyGrows
        /// The engine can have `maximumSessions` sessions.
        case sessionsAtOnce
        /// Results contain what the options ask for.
        case askedForIsGiven
        /// Results contain nothing that the options don't ask for.
        case notAskedForIsNotGiven
        /// Sessions do not affect later sessions.
        case sessionsAreIndependent

        // MARK: Taking audio

        /// A session has one input.
        case startsOnce
        /// A session takes no input after its end.
        case startAfterEndThrows
        /// Audio in another format is an error.
        case wrongFormatThrows
        /// Audio out of order is an error.
        case disorderedAudioThrows
        /// Audio may have gaps.
        case gapsAreTaken
        /// An input without audio is no error.
        case emptyInputIsNoError
        /// The session releases its input at its end.
        case inputIsLetGo

        // MARK: Results

        /// Final results don't overlap.
        case finalsNeverOverlap
        /// Final results stay final.
        case watermarkOnlyGrows
        /// Volatile results follow the final results.
        case volatilesFollowWatermark
        /// Every volatile result is replaced or revoked.
        case volatilesSettle
        /// Times lie within the audio.
        case timesAreTheAudios
        /// The sizes of buffers make no difference.
        case streamingEqualsBatch

        // MARK: Ends

        /// `finalize(through:)` makes results final.
        case finalizeIsTrue
        /// `finalize(through:)` waits for future audio.
        case finalizeWaitsForAudio
        /// `finalize(through:)` does not end the session.
        case finalizeLeavesSessionOpen
        /// `finalize(through:)` has a deadline.
        case finalizeIsBounded
        /// `finish()` makes everything final.
        case finishMakesAllFinal
        /// `finish()` can be called again.
        case finishIsRepeatable
        /// `finish()` can be called before the start.
        case finishBeforeStart
        /// `finish()` has a deadline.
        case finishIsBounded
        /// `finish()` returns although the engine is stuck.
        case stalledEngineIsLeft
        /// The deadline loses no text.
        case deadlineKeepsText
        /// `cancel()` ends the session at once.
        case cancelEndsAtOnce
        /// `cancel()` ends waiting calls.
        case cancelReachesWaiters
        /// An error of the input ends the session.
        case inputErrorReachesEveryone
        /// An error of the engine ends the session.
        case engineErrorReachesEveryone
        /// A released session is cancelled.
        case letGoCancels

        /// The promise in one sentence.
        public var statement: String {
            switch self {
            case .unsupportedLocaleThrows:
                "For a locale without a model, the engine throws unsupportedLocale and uses no other locale."
            case .unsupportedOptionThrows: "An option that needs a missing feature throws unsupportedOption."
            case .senselessOptionThrows: "An option with an invalid value throws invalidInput."
            case .localesAreTruthful: "supportedLocales contains the locales that the engine makes sessions for."
            case .formatIsTruthful: "audioFormat(for:) returns a valid format, and the session takes that format."
            case .prepareProgressOnlyGrows: "prepare(_:progress:) reports fractions from 0 to 1 that never decrease."
            case .sessionsAtOnce:
                "maximumSessions sessions can be open at once, and one more throws alreadyRunning until a session ends."
            case .askedForIsGiven: "The results contain what the options ask for."
            case .notAskedForIsNotGiven: "The results contain nothing that the options don't ask for."
            case .sessionsAreIndependent: "A cancelled or failed session does not affect later sessions."
            case .startsOnce: "A second start throws alreadyRunning and does not affect the first."
            case .startAfterEndThrows: "A start after the session's end throws inputAfterEnd."
            case .wrongFormatThrows:
                "Audio in another format than the session's ends the session with unsupportedFormat."
            case .disorderedAudioThrows:
                "Audio that begins before the end of earlier audio ends the session with disorderedAudio."
            case .gapsAreTaken: "Audio may have gaps between buffers, and results keep the times of the buffers."
            case .emptyInputIsNoError: "An input without frames produces neither text nor an error."
            case .inputIsLetGo: "After its end, a session takes no more input and cancels a pull that is waiting."
            case .finalsNeverOverlap: "The ranges of final results never overlap and never go back in time."
            case .watermarkOnlyGrows: "The time through which results are final never decreases."
            case .volatilesFollowWatermark:
                "A volatile result begins at or after the time through which results are final."
            case .volatilesSettle: "Every volatile result is later revoked or replaced by a final result."
            case .timesAreTheAudios: "All times in the results lie within the session's audio."
            case .streamingEqualsBatch: "The final text does not depend on how the audio is cut into buffers."
            case .finalizeIsTrue:
                "When finalize(through:) returns, the results have reported that everything up to its time is final."
            case .finalizeWaitsForAudio: "finalize(through:) with a time after the audio so far waits for more audio."
            case .finalizeLeavesSessionOpen: "After finalize(through:) the session goes on with later audio."
            case .finalizeIsBounded: "finalize(through:) returns incomplete at the deadline."
            case .finishMakesAllFinal: "finish() makes all input final and ends the results."
            case .finishIsRepeatable: "A second finish() returns the same outcome as the first."
            case .finishBeforeStart: "finish() before the start returns complete at once and ends the results."
            case .finishIsBounded: "finish() returns incomplete at the deadline, even when the input never ends."
            case .stalledEngineIsLeft: "finish() returns incomplete at the deadline, even when the engine is stuck."
            case .deadlineKeepsText: "At the deadline, the text so far becomes final and is marked incomplete."
            case .cancelEndsAtOnce:
                "cancel() ends the session at once in any state, and the results end without an error."
            case .cancelReachesWaiters: "cancel() makes each waiting finish() and finalize(through:) throw cancelled."
            case .inputErrorReachesEveryone: "An error of the input ends the results and reaches every waiting call."
            case .engineErrorReachesEveryone:
                "An error of the engine ends the results and reaches every waiting call, even when no input arrives."
            case .letGoCancels: "Releasing a session cancels it, so its results end and it takes no more input."
            }
        }
    }
}
