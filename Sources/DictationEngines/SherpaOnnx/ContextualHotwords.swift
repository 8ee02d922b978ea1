#if SherpaOnnx
import DictationCore

/// Contextual strings in the form that the C library takes: a phrase and its strength on each line.
struct ContextualHotwords: Sendable {
    /// `nil` when nothing is to be preferred.
    let encoded: String?

    init(
        _ strings: [ContextualString], _ pieces: PieceEncoder, strength: Float
    ) throws(DictationError) {
        var lines: [String] = []
        for string in strings {
            guard string.pronunciation == nil else {
                throw DictationError(
                    .unsupportedOption, "The pronunciation of '\(string.text)' can't be taken into account.",
                    recovery: "Leave it out: sherpa-onnx goes by the spelling.")
            }
            guard pieces.encode(string.text) != nil else {
                throw DictationError(
                    .invalidInput, "The model can't spell the contextual string '\(string.text)'.",
                    recovery: "Write it in words, with the letters of the model's language alone.")
            }
            guard (0...1_000).contains(string.weight) else {
                throw DictationError(
                    .invalidInput, "The weight of the contextual string '\(string.text)' is \(string.weight).",
                    recovery: "Use 0 to 1000; 1 is the engine's own strength.")
            }
            guard string.weight > 0, strength > 0 else { continue }
            let words = pieces.words(of: string.text).joined(separator: " ")
            lines.append("\(words) :\(Float(string.weight) * strength)")
        }
        encoded = lines.isEmpty ? nil : lines.joined(separator: "\n")
    }
}
#endif
