/// The quality of resampling. Better quality costs more time.
public enum ResamplingQuality: String, Sendable, Hashable, CaseIterable, Codable {
    /// The slowest quality, for music and measurements.
    case best
    /// A quality that is hard to distinguish from ``best``.
    case medium
    /// A quality that is good enough for speech, and several times as fast as ``best``.
    case fast
}
