import DictationCore

/// Checks the promises that show in a session's results alone.
struct ResultRules {
    /// The end of the audio that the session was given.
    let audioEnd: Duration
    /// The largest error of a time through rounding.
    let slack: Duration

    func judge(_ log: ResultReader.Log, in findings: Findings<EngineConformance.Clause>) {
        var watermark: Duration = .zero
        for update in log.elements {
            if let time = update.finalizedThrough {
                findings.expect(
                    .watermarkOnlyGrows, time >= watermark, "results final through \(watermark) or later",
                    saw: Self.describe(update))
            }
            switch update {
            case .volatile(let result):
                findings.expect(
                    .volatilesFollowWatermark, result.range.lowerBound >= watermark && !result.range.isEmpty,
                    "a volatile result with a range at or after \(watermark)", saw: Self.describe(update))
            case .final(let result):
                findings.expect(
                    .finalsNeverOverlap, result.range.lowerBound >= watermark,
                    "a final range at or after \(watermark)", saw: Self.describe(update))
            case .revoked, .finalized, .interrupted, .voice, .turnEnded: break
            }
            let end = update.result?.range.upperBound ?? update.finalizedThrough ?? Self.timeOfSound(in: update)
            findings.expect(
                .timesAreTheAudios,
                (update.result?.range.lowerBound ?? .zero) >= .zero && (end ?? .zero) <= audioEnd + slack,
                "times within the audio, which ends at \(audioEnd)", saw: Self.describe(update))
            watermark = max(watermark, update.finalizedThrough ?? .zero)
        }
        guard log.end != nil else { return }
        let left = log.volatiles
        findings.expect(
            .volatilesSettle, left.isEmpty, "no volatile results after the end of the results",
            saw: left.map { Self.describe(.volatile($0)) }.joined(separator: ", "))
    }

    /// The time of an update that changes no text.
    private static func timeOfSound(in update: SpeechUpdate) -> Duration? {
        switch update {
        case .voice(let voice): voice.through
        case .turnEnded(let time): time
        case .volatile, .final, .revoked, .finalized, .interrupted: nil
        }
    }

    static func describe(_ update: SpeechUpdate) -> String {
        switch update {
        case .volatile(let result): "volatile “\(result.text)” at \(result.range)"
        case .final(let result): "final “\(result.text)” at \(result.range)"
        case .revoked(let range): "revoked \(range)"
        case .finalized(let time): "finalized through \(time)"
        case .interrupted(let interruption): "interrupted: \(interruption.cause)"
        case .voice(let voice): "voice heard through \(voice.through)"
        case .turnEnded(let time): "turn ended at \(time)"
        }
    }
}
