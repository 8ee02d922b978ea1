import DictationCore

/// The promises that can be judged by looking at a session's results alone.
struct ResultRules {
    /// Where the audio ends that the session was given.
    let audioEnd: Duration
    /// Times may be off by this much, for rounding.
    let slack: Duration

    func judge(_ log: ResultReader.Log, in findings: Findings<EngineClause>) {
        var watermark: Duration = .zero
        var lastFinal: Range<Duration>?
        for result in log.elements {
            findings.expect(
                .watermarkOnlyGrows, result.finalizedThrough >= watermark,
                "finalizedThrough at or after \(watermark)", saw: Self.describe(result))
            if result.status == .volatile {
                findings.expect(
                    .volatilesFollowWatermark,
                    result.range.lowerBound >= max(watermark, result.finalizedThrough) && !result.range.isEmpty,
                    "a volatile result with a range at or after \(max(watermark, result.finalizedThrough))",
                    saw: Self.describe(result))
            }
            if result.isFinal {
                let bound = max(lastFinal?.upperBound ?? .zero, watermark)
                findings.expect(
                    .finalsNeverOverlap, result.range.lowerBound >= bound,
                    "a final range at or after \(bound)", saw: Self.describe(result))
                findings.expect(
                    .watermarkCoversFinals, result.finalizedThrough >= result.range.upperBound,
                    "finalizedThrough at or after the range of the final result", saw: Self.describe(result))
                lastFinal = result.range
            }
            findings.expect(
                .timesAreTheAudios,
                result.range.lowerBound >= .zero && result.finalizedThrough <= audioEnd + slack
                    && (result.status == .revoked || result.range.upperBound <= audioEnd + slack),
                "times within the audio, which ends at \(audioEnd)", saw: Self.describe(result))
            watermark = max(watermark, result.finalizedThrough)
        }
        guard log.end != nil else { return }
        let left = log.volatiles
        findings.expect(
            .volatilesSettle, left.isEmpty, "no volatile result when the results have ended",
            saw: left.map(Self.describe).joined(separator: ", "))
    }

    static func describe(_ result: SpeechResult) -> String {
        "\(result.status.rawValue) '\(result.text)' at \(result.range), final through \(result.finalizedThrough)"
    }
}
