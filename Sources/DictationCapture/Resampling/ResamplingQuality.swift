/// How much care a resampler takes.
public enum ResamplingQuality: String, Sendable, Hashable, CaseIterable, Codable {
    /// For music and measurements; the slowest.
    case best
    /// Hardly to be told from the best.
    case medium
    /// Good enough for speech, several times as fast as the best.
    case fast
}
