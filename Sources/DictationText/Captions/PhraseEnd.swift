import DictationCore

/// How well a text can be cut after a word. Knows no language: only punctuation, pauses, and that articles and prepositions
/// are short.
struct PhraseEnd: Sendable {
    /// Higher is better; 0 is a cut inside a phrase. A full caption is worth 1, so a half full caption that ends a sentence
    /// is better than a full one that doesn't.
    let quality: Double
    /// Whether a sentence ends.
    var isSentence: Bool { quality >= Self.sentence }

    private static let sentence = 0.6

    init(_ piece: TimedPiece, before next: TimedPiece) {
        let pause = piece.pause(before: next)
        let mark = Self.quality(after: piece.text)
        quality = pause < .milliseconds(250) ? mark : max(mark, min(0.5, pause / .seconds(1)))
    }

    private static func quality(after text: String) -> Double {
        let word = text.split(whereSeparator: \.isWhitespace).last ?? ""
        let bare = word.trimmingSuffix { "\"'”’»)]".contains($0) }
        let letters = bare.filter { $0.isLetter || $0.isNumber }
        guard let mark = bare.last else { return 0 }
        if mark == "." {
            // "Mr." and "J." end no sentence.
            let isAbbreviation = letters.count < 4 && letters.first?.isUppercase == true
            return isAbbreviation ? -0.15 : sentence
        }
        if "!?…。！？".contains(mark) { return sentence }
        if ",;:—–、，；：".contains(mark) { return 0.4 }
        return letters.count < 4 && letters.allSatisfy(\.isCased) ? -0.15 : 0
    }

    /// Returns two lines with the same text, cut where a phrase ends and so that the lines are about as long.
    static func balanced(_ lines: [String], columns: Int) -> [String] {
        let words = lines.flatMap { $0.split(separator: " ") }
        // Lines of Chinese end inside a text without spaces.
        guard lines.count == 2, !lines.joined().contains(where: { $0.displayWidth > 1 }) else { return lines }
        let whole = Double(lines[0].displayWidth + 1 + lines[1].displayWidth)
        var (best, highest) = (lines, -Double.infinity)
        for count in 1..<max(1, words.count) {
            let cut = [words[..<count].joined(separator: " "), words[count...].joined(separator: " ")]
            guard cut.allSatisfy({ $0.displayWidth <= columns }) else { continue }
            let difference = abs(Double(cut[0].displayWidth - cut[1].displayWidth)) / whole
            let score = quality(after: cut[0]) - difference
            if score > highest { (best, highest) = (cut, score) }
        }
        return best
    }
}

extension TimedPiece {
    /// Returns the time between this piece and the next one.
    func pause(before next: TimedPiece) -> Duration { next.range.lowerBound.onTimeline - range.upperBound.onTimeline }
}

extension Substring {
    fileprivate func trimmingSuffix(while isTrimmed: (Character) -> Bool) -> Substring {
        var text = self
        while let last = text.last, isTrimmed(last) { text.removeLast() }
        return text
    }
}
