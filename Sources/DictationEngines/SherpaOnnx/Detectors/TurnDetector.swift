import DictationCore

/// Hears whether a speaker finished a sentence or only pauses, with the network smart-turn.
struct TurnDetector: Sendable {
    private let network: OnnxNetwork
    private let features = LogMelFeatures()

    init(_ network: OnnxNetwork) { self.network = network }

    /// Returns the probability that the speaker finished, from the speech up to a short pause. Of long speech only the end
    /// counts.
    func probability(after samples: ArraySlice<Float>) throws(DictationError) -> Float {
        let last = samples.suffix(LogMelFeatures.sampleCount)
        let audio = [Float](repeating: 0, count: LogMelFeatures.sampleCount - last.count) + last
        let input = OnnxNetwork.Tensor(
            name: "input_features",
            shape: [1, Int64(LogMelFeatures.bandCount), Int64(LogMelFeatures.frameCount)],
            numbers: features.features(of: audio))
        var output = [OnnxNetwork.Tensor(name: "logits", shape: [1, 1], numbers: [0])]
        try network.run([input], into: &output)
        return output[0].numbers[0]
    }
}
