import DictationCore

extension Heard {
    /// The promises of a session's results that these break, in words; the audio ends at `end`.
    func brokenPromises(end: Duration) -> [String] {
        var broken: [String] = []
        var watermark = Duration.zero
        func expect(_ holds: Bool, _ promise: String, _ update: SpeechUpdate) {
            if !holds { broken.append("\(promise): \(update)") }
        }
        for update in updates {
            if let time = update.finalizedThrough {
                expect(time >= watermark, "The watermark only grows", update)
                expect(time <= end, "Times are those of the audio", update)
            }
            if let result = update.result {
                expect(result.range.lowerBound >= watermark, "A result is after the watermark", update)
                expect(result.range.upperBound <= end, "Times are those of the audio", update)
                var last = Duration.zero
                for word in result.words {
                    if let range = word.range {
                        expect(range.lowerBound >= last, "Words are in order", update)
                        expect(range.upperBound <= end, "Words are in the audio", update)
                        last = range.lowerBound
                    }
                    expect(word.confidence.map { (0...1).contains($0) } ?? true, "Confidence is up to 1", update)
                }
            }
            watermark = max(watermark, update.finalizedThrough ?? .zero)
        }
        return broken
    }
}
