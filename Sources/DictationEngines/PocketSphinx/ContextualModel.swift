import DictationSystem

/// A small language model in ARPA format that holds only a few phrases. Mixed with the large model, it makes them
/// likelier.
enum ContextualModel {
    /// Returns the model's text, or `nil` when no phrase has words and a weight above zero.
    static func text(_ phrases: [(words: [String], weight: Double)]) -> String? {
        let phrases = phrases.filter { $0.weight > 0 && !$0.words.isEmpty }
        guard !phrases.isEmpty else { return nil }
        var singles: [String: Double] = [:]
        var pairs: [String: [String: Double]] = [:]
        for (words, weight) in phrases {
            for word in words { singles[word, default: 0] += weight / Double(words.count) }
            for (first, second) in zip(words, words.dropFirst()) {
                pairs[first, default: [:]][second, default: 0] += weight
            }
        }
        let total = singles.values.reduce(0, +)
        var unigrams = ["-99\t<s>\t0", "-2\t</s>"]
        for word in singles.keys.sorted() {
            let share = 0.98 * (singles[word] ?? 0) / total
            // After the first word of a phrase, the next word of the phrase is the likeliest.
            unigrams.append("\(number(share))\t\(word)\t\(number(pairs[word] == nil ? 1 : 0.1))")
        }
        var bigrams: [String] = []
        for first in pairs.keys.sorted() {
            let seconds = pairs[first] ?? [:]
            let sum = seconds.values.reduce(0, +)
            for second in seconds.keys.sorted() {
                bigrams.append("\(number(0.9 * (seconds[second] ?? 0) / sum))\t\(first) \(second)")
            }
        }
        // PocketSphinx needs at least one pair.
        if bigrams.isEmpty { bigrams = ["\(number(0.5))\t<s> \(singles.keys.sorted()[0])"] }
        return """
            \\data\\
            ngram 1=\(unigrams.count)
            ngram 2=\(bigrams.count)

            \\1-grams:
            \(unigrams.joined(separator: "\n"))

            \\2-grams:
            \(bigrams.joined(separator: "\n"))

            \\end\\

            """
    }

    private static func number(_ probability: Double) -> String { "\(max(-90, log10(probability)))" }
}
