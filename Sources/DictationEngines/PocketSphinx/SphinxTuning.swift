import DictationCore

/// The numbers that the engine was tuned with; `Docs/pocketsphinx.md` has the measurements behind them.
enum SphinxTuning {
    /// For how many frames the model's own mean counts.
    static let initialMeanWeight = 20.0
    /// For how many frames all that was heard before counts.
    static let heardWeight = 200.0
    /// How many frames the front end may give out late, when speech begins.
    static let framesBeforeSpeech: Int64 = 25
    /// Audio that is missing for longer ends an utterance.
    static let longestHole = Duration.milliseconds(200)
    /// After so many frames a live utterance is decoded anew, with a mean that is known better.
    static let restart = 400
    /// How many frames the live decoder is fed at once.
    static let block = 10

    /// How much of the language model contextual strings are.
    static let contextualWeight = 0.1
    /// How many powers of ten each phone of a keyphrase takes off its threshold at full sensitivity.
    static let sensitivityScale = 5.0

    /// PocketSphinx's settings where only certain words can be said.
    static func closedSettings(needsLattice: Bool) -> [SphinxSetting] {
        [SphinxSetting("-bestpath", needsLattice ? "yes" : "no")]
    }

    /// PocketSphinx's settings for a priority.
    static func settings(
        _ priority: RecognitionOptions.Priority, isLive: Bool, needsLattice: Bool
    ) -> [SphinxSetting] {
        // The lattice is searched in a moment when an utterance ends; the second pass through the words takes seconds.
        let hasSecondPass = !isLive && priority != .speed
        let searchesLattice = needsLattice || hasSecondPass || priority == .accuracy
        let passes = [
            SphinxSetting("-fwdflat", hasSecondPass ? "yes" : "no"),
            SphinxSetting("-bestpath", searchesLattice ? "yes" : "no"),
        ]
        switch priority {
        case .speed: return passes + [SphinxSetting("-maxhmmpf", "3000")]
        case .balanced:
            return passes + [
                SphinxSetting("-maxhmmpf", "3000"), SphinxSetting("-fillprob", "1e-4"),
                SphinxSetting("-pl_weight", "5"),
            ]
        case .accuracy:
            return passes + [
                SphinxSetting("-lw", "5"), SphinxSetting("-fwdflatlw", "7"), SphinxSetting("-bestpathlw", "8"),
                SphinxSetting("-maxhmmpf", "5000"), SphinxSetting("-fillprob", "1e-4"), SphinxSetting("-wip", "0.9"),
            ]
        }
    }
}
