import DictationCore

/// The numbers that the engine was tuned with; `Docs/pocketsphinx.md` has the measurements behind them.
enum SphinxTuning {
    /// The weight of the model's own mean, in frames.
    static let initialMeanWeight = 20.0
    /// The greatest weight of all earlier speech in the mean, in frames.
    static let heardWeight = 200.0
    /// The greatest number of earlier frames that the front end returns when speech begins.
    static let framesBeforeSpeech: Int64 = 25
    /// The longest gap in the audio that does not end an utterance.
    static let longestHole = Duration.milliseconds(200)
    /// The length, in frames, at which a live utterance is decoded again, with a better mean.
    static let restart = 400
    /// The least number of frames that the live decoder gets at once.
    static let block = 10

    /// The share of contextual strings in the mixed language model.
    static let contextualWeight = 0.1
    /// The powers of ten by which each phone of a keyphrase lowers its threshold at full sensitivity.
    static let sensitivityScale = 5.0

    /// Returns PocketSphinx's settings for tasks with a fixed set of phrases: grammars, keyphrases and alignment.
    static func closedSettings(needsLattice: Bool) -> [SphinxSetting] {
        [SphinxSetting("-bestpath", needsLattice ? "yes" : "no")]
    }

    /// Returns PocketSphinx's settings for dictation with a priority.
    static func settings(
        _ priority: RecognitionOptions.Priority, isLive: Bool, needsLattice: Bool
    ) -> [SphinxSetting] {
        // At the end of an utterance, searching the lattice takes a moment; the second pass takes seconds.
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
