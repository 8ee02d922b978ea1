package import DictationCore

/// The reason why a piece of audio ends.
package enum PieceEnding: Sendable, Hashable {
    /// A long pause.
    case pause
    /// The greatest length, so the sentence probably goes on in the next piece.
    case length
    /// The end of the audio, or a gap.
    case end
}

/// Joins the results of pieces to one text, in the order of the pieces.
///
/// A final result is one or more whole sentences. Where a piece ends without a long pause, the beginning of its last
/// sentence waits for the rest, which is in the next piece. In a recording no sentence spans more than the longest pause. In
/// live speech a long pause makes any text final, because a user waits for it.
package struct PieceJoiner: Sendable {
    private let isLive: Bool
    /// The results of pieces that are not final yet.
    private var parts: [SpeechResult] = []
    private var ending = PieceEnding.end
    /// The final text before the parts.
    private var previous = ""

    /// The longest pause inside a sentence of a recording. In a call, the other speaker's turn may be in a longer one.
    static let longestPause = Duration.seconds(5)
    /// The greatest number of pieces in a sentence. A model that never writes a full stop must not stop the results.
    private static let mostParts = 4

    package init(isLive: Bool) { self.isLive = isLive }

    /// The result that waits for the rest of its sentence; `nil` if there is none.
    package var waiting: SpeechResult? { Self.joined(parts[...]) }

    /// Returns the waiting text together with the result of a piece that is not complete yet.
    package func preview(_ result: SpeechResult?, overlapStart: Duration?) -> SpeechResult? {
        var preview = self
        preview.append(result, overlapStart)
        return preview.waiting
    }

    /// Adds the result of the next piece and returns the results that it made final.
    ///
    /// - Parameters:
    ///   - result: The result; `nil` for a piece without speech. Its range begins after the overlap.
    ///   - overlapStart: The beginning of the piece's audio if the previous piece has that too. The result has the words
    ///     in it.
    ///   - ending: The reason why the piece ends.
    package mutating func add(
        _ result: SpeechResult?, overlapStart: Duration?, _ ending: PieceEnding
    ) -> [SpeechResult] {
        let ended = finish(before: result)
        append(result, overlapStart)
        self.ending = ending
        isWaiting = result != nil && isUnfinished
        return ended + (isWaiting ? finishSentences() : finish())
    }

    /// Makes the waiting text final if a pause follows that no sentence spans.
    private mutating func finish(before result: SpeechResult?) -> [SpeechResult] {
        guard !isLive, let last = parts.last, let result,
            result.range.lowerBound - last.range.upperBound > Self.longestPause
        else { return [] }
        defer { previous = "" }
        return finish()
    }

    /// Whether the last piece may end inside a sentence, so that its end is not final.
    package private(set) var isWaiting = false

    private var isUnfinished: Bool {
        switch ending {
        case .length: true
        case .pause: !isLive && parts.last.map { !TextSeam.endsSentence($0.text) } == true
        case .end: false
        }
    }

    /// Makes all text final, at the end of the audio.
    package mutating func flush() -> [SpeechUpdate] {
        ending = .end
        return finish().map { .final($0) }
    }

    private mutating func append(_ result: SpeechResult?, _ overlapStart: Duration?) {
        guard var result, !result.text.isEmpty else { return }
        let before = parts.last?.text ?? (ending == .end ? "" : previous)
        let seam =
            overlapSeam(result, from: overlapStart)
            ?? TextSeam(pauseBetween: before, and: result.text, names: names(before, result.text))
        if !parts.isEmpty { parts[parts.count - 1].change(to: seam.first, keeping: .beginning) }
        result.change(to: seam.second, keeping: .end)
        parts.append(result)
        parts.removeAll { $0.text.isEmpty }
    }

    private func overlapSeam(_ result: SpeechResult, from start: Duration?) -> TextSeam? {
        guard let last = parts.last, let start, case let speech = last.range.upperBound - start, speech > .zero else {
            return nil
        }
        let lengths = [last, result].map { $0.range.upperBound - $0.range.lowerBound }
        return TextSeam(
            overlapOf: last.text, and: result.text,
            shares: (speech / max(speech, lengths[0]), speech / (speech + lengths[1])))
    }

    private func names(_ texts: String...) -> Set<String> {
        (texts + [previous]).reduce(into: []) { $0.formUnion(TextSeam.names(in: $1)) }
    }

    // MARK: Final results

    /// Makes the sentences final that end before the last part.
    private mutating func finishSentences() -> [SpeechResult] {
        guard parts.count > 1 else { return [] }
        for index in parts.indices.dropLast().reversed() {
            guard let count = TextSeam.lengthOfSentences(in: parts[index].text) else { continue }
            let rest = parts[index].split(afterWords: count)
            defer { parts = (rest.map { [$0] } ?? []) + parts[(index + 1)...] }
            return take(parts[...index])
        }
        guard parts.count > Self.mostParts else { return [] }
        defer { parts.removeFirst(parts.count - 1) }
        return take(parts.dropLast())
    }

    private mutating func finish() -> [SpeechResult] {
        defer { parts = [] }
        return take(parts[...])
    }

    private mutating func take(_ parts: ArraySlice<SpeechResult>) -> [SpeechResult] {
        guard let result = Self.joined(parts) else { return [] }
        previous = result.text
        return [result]
    }

    /// Returns some results as one; `nil` for none.
    static func joined(_ parts: ArraySlice<SpeechResult>) -> SpeechResult? {
        guard var result = parts.first, let last = parts.last, parts.count > 1 else { return parts.first }
        let start = result.range.lowerBound
        result.range = start..<max(start, last.range.upperBound)
        result.text = parts.map(\.text).joinedAsWritten
        result.words = parts.flatMap(\.words)
        // The alternatives of several results can't be combined.
        result.alternatives = []
        result.isComplete = parts.allSatisfy(\.isComplete)
        result.isDoubtful = parts.contains(where: \.isDoubtful)
        result.endsInSpeech = last.endsInSpeech
        return result
    }
}

extension SpeechResult {
    fileprivate enum Side { case beginning, end }

    /// Changes the text to that of the words on one side of it, which may be written otherwise.
    fileprivate mutating func change(to text: String, keeping side: Side) {
        guard text != self.text else { return }
        let kept = text.writtenWords
        if words.count == self.text.writtenWords.count {
            let count = words.count - min(words.count, kept.count)
            words = Array(side == .beginning ? words.dropLast(count) : words.dropFirst(count))
            for (index, word) in zip(words.indices, kept) { words[index].text = String(word) }
        } else if side == .end {
            words.removeAll { $0.range.map { $0.lowerBound < range.lowerBound } == true }
        }
        self.text = text
        alternatives = []
    }

    /// Removes and returns the text after some words. Without word times, the letters tell how long each part took.
    fileprivate mutating func split(afterWords count: Int) -> SpeechResult? {
        let all = text.writtenWords
        guard count > 0, count < all.count else { return nil }
        let texts = (String(text[..<all[count - 1].endIndex]), String(text[all[count].startIndex...]))
        let share = Double(texts.0.count) / Double(max(1, text.count))
        let hasWords = words.count == all.count
        let known = hasWords ? words[count].range?.lowerBound : nil
        let time = known ?? range.lowerBound + (range.upperBound - range.lowerBound) * share
        var rest = self
        rest.range = min(time, range.upperBound)..<range.upperBound
        range = range.lowerBound..<max(range.lowerBound, rest.range.lowerBound)
        if hasWords {
            rest.words = Array(words[count...])
            words = Array(words[..<count])
        } else {
            // Each word is said before or after the sentence's end.
            rest.words.removeAll { $0.range.map { $0.lowerBound < time } == true }
            words.removeAll { $0.range.map { $0.lowerBound >= time } == true }
        }
        (text, rest.text) = texts
        (alternatives, rest.alternatives) = ([], [])
        endsInSpeech = false
        return rest
    }
}
