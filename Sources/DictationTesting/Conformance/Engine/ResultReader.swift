import DictationCore

typealias ResultReader = StreamReader<RecognitionResults>

extension ResultReader {
    /// Reads what there is by now, and no more.
    func readWaiting() async {
        for _ in 0..<stream.waiting {
            var iterator = stream.makeAsyncIterator()
            guard let result = try? await iterator.next() else { return }
            log.change { $0.elements.append(result) }
        }
    }
}

extension ResultReader.Log {
    var watermark: Duration { elements.map(\.finalizedThrough).max() ?? .zero }
    var finals: [SpeechResult] { elements.filter(\.isFinal) }
    /// The final text, one space between words.
    var text: String { Self.text(of: finals) }

    /// The volatile results that are not replaced or revoked yet.
    var volatiles: [SpeechResult] {
        elements.reduce(into: []) { volatiles, result in
            volatiles.removeAll { $0.range.overlaps(result.range) || $0.range == result.range }
            if result.status == .volatile { volatiles.append(result) }
        }
    }

    static func text(of results: [SpeechResult]) -> String {
        results.flatMap { $0.text.split(whereSeparator: \.isWhitespace) }.joined(separator: " ")
    }
}
