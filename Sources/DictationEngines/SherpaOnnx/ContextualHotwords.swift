import DictationCore

/// Contextual strings in the form that the C library reads: each line has a phrase and its strength.
struct ContextualHotwords: Sendable {
    /// The lines; `nil` when no string has a strength above zero.
    let encoded: String?

    init(
        _ strings: [RecognitionOptions.ContextualString], _ pieces: PieceEncoder, strength: Float
    ) throws(DictationError) {
        var lines: [String] = []
        for string in strings {
            guard string.pronunciation == nil else {
                throw DictationError(
                    .unsupportedOption, "sherpa-onnx can't use the pronunciation of “\(string.text)”.",
                    recovery: "Leave it out; sherpa-onnx uses the spelling.")
            }
            guard pieces.encode(string.text) != nil else {
                throw DictationError(
                    .invalidInput, "The model can't spell the contextual string “\(string.text)”.",
                    recovery: "Write it in words, with only the letters of the model's language.")
            }
            guard (0...1_000).contains(string.weight) else {
                throw DictationError(
                    .invalidInput, "The weight of the contextual string “\(string.text)” is \(string.weight).",
                    recovery: "Use 0 to 1000; 1 is the configuration's contextualStrength.")
            }
            guard string.weight > 0, strength > 0 else { continue }
            let words = pieces.words(of: string.text).joined(separator: " ")
            lines.append("\(words) :\(Float(string.weight) * strength)")
        }
        encoded = lines.isEmpty ? nil : lines.joined(separator: "\n")
    }
}
