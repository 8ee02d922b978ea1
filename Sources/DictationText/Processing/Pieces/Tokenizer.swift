import DictationCore

/// Cuts the text of results into pieces, and gives each piece the time of the engine's word.
enum Tokenizer {
    /// Marks that are pieces of their own at the beginning and the end of a word. A mark inside a word belongs to it.
    private static let marks = Set(".,;:!?…\"“”„‘’'«»‹›()[]{}¿¡—–。，、！？：；「」『』（）《》".unicodeScalars.map(\.value))

    /// Returns the pieces of a text, without times.
    static func texts(of text: some StringProtocol) -> [(text: String, isSpaced: Bool)] {
        cuts(of: text, at: []).map { (String(text[$0.range]), $0.isSpaced) }
    }

    /// Returns the pieces of a result.
    ///
    /// - Parameters:
    ///   - isSpaced: Whether a space separates the result from the one before.
    ///   - source: The number of the result.
    static func pieces(of result: SpeechResult, isSpaced: Bool, source: Int) -> [TextPiece] {
        let text = result.text
        let words = places(of: result.words, in: text)
        var next = 0
        var pieces: [TextPiece] = []
        var isTimed: [Bool] = []
        for cut in cuts(of: text, at: words.map(\.range.lowerBound)) {
            let isBreak = text[cut.range].first?.isNewline == true
            var piece = TextPiece(
                isBreak ? layout(text[cut.range]) : String(text[cut.range]),
                isSpaced: pieces.isEmpty ? isSpaced : cut.isSpaced, range: result.range)
            piece.source = source
            while next < words.count, words[next].range.upperBound <= cut.range.lowerBound { next += 1 }
            var time: Range<Duration>?
            var index = next
            while index < words.count, words[index].range.lowerBound < cut.range.upperBound {
                let word = words[index].word
                if let range = word.range { time = time.map { $0.joined(with: range) } ?? range }
                piece.confidence = [piece.confidence, word.confidence].compactMap(\.self).min()
                index += 1
            }
            if let time { piece.range = time }
            pieces.append(piece)
            isTimed.append(time != nil)
        }
        spread(&pieces, isTimed, in: result.range)
        return pieces
    }

    /// Gives words without a time a share of the time between their neighbors, by the length of their text. A mark takes no
    /// time, so that a pause before or after it stays one. It belongs to the word that it joins.
    static func spread(_ pieces: inout [TextPiece], _ isTimed: [Bool], in range: Range<Duration>) {
        var first = 0
        while first < pieces.count {
            guard !isTimed[first] else {
                first += 1
                continue
            }
            let last = isTimed[first...].firstIndex(of: true) ?? pieces.count
            let start = first == 0 ? range.lowerBound : pieces[first - 1].range.upperBound
            let end = max(start, last == pieces.count ? range.upperBound : pieces[last].range.lowerBound)
            let isAll = first == 0 && last == pieces.count
            let hasWord = pieces[first..<last].contains(where: \.isWord)
            let lengths = pieces[first..<last].map { $0.isWord || isAll && !hasWord ? $0.text.utf8.count : 0 }
            let total = lengths.reduce(0, +)
            var (sum, time) = (0, start)
            for (index, length) in zip(first..<last, lengths) {
                // An opening mark before a word with a time joins that word.
                if total == 0, pieces[index].isSpaced, last < pieces.count { time = end }
                let lower = time
                sum += length
                if length > 0 {
                    let share = start + (end - start) * (Double(sum) / Double(total))
                    time = sum == total ? end : min(end, max(lower, share))
                }
                pieces[index].range = lower..<time
            }
            first = last
        }
    }

    /// Returns `"\n"` for one line end and `"\n\n"` for several.
    private static func layout(_ space: Substring) -> String { space.count(where: \.isNewline) > 1 ? "\n\n" : "\n" }

    /// Returns the places of an engine's words in the text. A word that the text does not contain is skipped.
    private static func places(
        of words: [SpeechResult.Word], in text: String
    ) -> [(range: Range<String.Index>, word: SpeechResult.Word)] {
        var places: [(range: Range<String.Index>, word: SpeechResult.Word)] = []
        var rest = text[...]
        for word in words {
            let wanted = word.text.drop(while: \.isWhitespace)
            guard !wanted.isEmpty, let place = rest.range(ofNear: wanted) else { continue }
            places.append((place, word))
            rest = text[place.upperBound...]
        }
        return places
    }

    /// Cuts a text at white space, around marks, and at the given places.
    private static func cuts<Text: StringProtocol>(
        of text: Text, at places: [String.Index]
    ) -> [(range: Range<String.Index>, isSpaced: Bool)] {
        var cuts: [(range: Range<String.Index>, isSpaced: Bool)] = []
        var place = 0
        var index = text.startIndex
        var isSpaced = false
        while index < text.endIndex {
            let start = index
            if text[index].isWhitespace {
                var hasBreak = false
                while index < text.endIndex, text[index].isWhitespace {
                    hasBreak = hasBreak || text[index].isNewline
                    text.formIndex(after: &index)
                }
                isSpaced = !hasBreak
                if hasBreak, let first = text[start..<index].firstIndex(where: \.isNewline) {
                    cuts.append((first..<index, false))
                }
                continue
            }
            while index < text.endIndex, !text[index].isWhitespace { text.formIndex(after: &index) }
            var inner = start..<index
            while let first = text[inner].first, first.isMark { inner = text.index(after: inner.lowerBound)..<index }
            while let last = text[inner].last, last.isMark {
                inner = inner.lowerBound..<text.index(before: inner.upperBound)
            }
            if inner.isEmpty { inner = start..<start }
            if start < inner.lowerBound {
                cuts.append((start..<inner.lowerBound, isSpaced))
                isSpaced = false
            }
            while place < places.count, places[place] <= inner.lowerBound { place += 1 }
            var lower = inner.lowerBound
            while place < places.count, places[place] < inner.upperBound {
                cuts.append((lower..<places[place], isSpaced))
                (lower, isSpaced) = (places[place], false)
                place += 1
            }
            if lower < inner.upperBound {
                cuts.append((lower..<inner.upperBound, isSpaced))
                isSpaced = false
            }
            if inner.upperBound < index {
                cuts.append((inner.upperBound..<index, isSpaced))
                isSpaced = false
            }
        }
        return cuts
    }

    fileprivate static func isMark(_ scalar: Unicode.Scalar) -> Bool { marks.contains(scalar.value) }
}

extension Character {
    fileprivate var isMark: Bool {
        guard let scalar = unicodeScalars.first else { return false }
        if scalar.value < 0x80, scalar.properties.isAlphabetic { return false }
        return unicodeScalars.dropFirst().isEmpty && Tokenizer.isMark(scalar)
    }
}

extension Range<Duration> {
    fileprivate func joined(with other: Range<Duration>) -> Range<Duration> {
        Swift.min(lowerBound, other.lowerBound)..<Swift.max(upperBound, other.upperBound)
    }
}

extension Substring {
    /// The greatest number of characters between two words of an engine.
    private static var reach: Int { 64 }

    /// Returns the first place of a word near the beginning, or `nil` if it is not there.
    fileprivate func range(ofNear word: Substring) -> Range<Index>? {
        for start in indices.prefix(Self.reach) {
            var end = start
            var rest = word[...]
            while end < endIndex, let first = rest.first, self[end] == first {
                formIndex(after: &end)
                rest.removeFirst()
            }
            if rest.isEmpty { return start..<end }
        }
        return nil
    }
}
