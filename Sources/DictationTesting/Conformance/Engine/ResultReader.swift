import DictationCore

typealias ResultReader = StreamReader<RecognitionResults>

extension ResultReader {
    /// Reads the results that are waiting now, and no later ones.
    func readWaiting() async {
        for _ in 0..<stream.waiting {
            var iterator = stream.makeAsyncIterator()
            guard let update = try? await iterator.next() else { return }
            log.change { $0.elements.append(update) }
        }
    }
}

extension ResultReader.Log {
    var watermark: Duration { elements.compactMap(\.finalizedThrough).max() ?? .zero }
    var finals: [SpeechResult] { elements.compactMap(\.finalResult) }
    /// The final text, with one space between words.
    var text: String { Self.text(of: finals) }

    /// The volatile results that are neither replaced nor revoked.
    var volatiles: [SpeechResult] {
        elements.reduce(into: []) { volatiles, update in
            switch update {
            case .volatile(let result):
                volatiles.removeAll { $0.range.overlaps(result.range) || $0.range == result.range }
                volatiles.append(result)
            case .final(let result): volatiles.removeAll { $0.range.overlaps(result.range) }
            case .revoked(let range): volatiles.removeAll { $0.range.overlaps(range) }
            case .finalized, .interrupted, .voice, .turnEnded: break
            }
        }
    }

    static func text(of results: [SpeechResult]) -> String {
        results.flatMap { $0.text.split(whereSeparator: \.isWhitespace) }.joined(separator: " ")
    }
}
