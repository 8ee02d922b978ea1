import DictationCore

/// How a cutter of audio knows what is speech and where a turn ends.
package struct Hearing: Sendable {
    /// Hears what is speech; `nil` if loudness decides.
    var voice: VoiceDetector?
    /// The pause after which a turn is over even if its last sentence is not finished; `nil` for that of the session's rules.
    var longestPause: Duration?
    /// Returns whether a turn ends in the short pause after some speech; `nil` if only the length of a pause decides.
    var endsTurn: (@Sendable (ArraySlice<Float>) -> Bool)?

    /// Loudness and a pause of a fixed length.
    package static let loudness = Hearing()
}
