/// Keeps results in order: final ranges never overlap, the watermark only grows, and every volatile result is settled.
struct ResultLedger {
    /// The time through which results are final.
    private(set) var watermark: Duration = .zero
    /// The results that may still change, in order.
    private(set) var volatiles: [SpeechResult] = []
    /// Whether the reader sees volatile results.
    let showsVolatile: Bool

    /// Applies a decoder's update and returns the updates for the reader.
    mutating func admit(_ update: SpeechUpdate) -> [SpeechUpdate] {
        switch update.withoutEmptyText {
        case .volatile(let result): replace(with: result)
        case .final(let result): finalize(result)
        case .revoked(let range): revoke(range)
        case .finalized(let time): finalize(through: time)
        case .interrupted(let interruption): leaveOut(interruption)
        case .voice, .turnEnded: [update]
        }
    }

    /// Makes all volatile results final and marks them as incomplete, for the end of a session that was not done.
    mutating func promoteVolatiles() -> [SpeechUpdate] {
        volatiles.flatMap { volatile in
            var result = volatile
            result.isComplete = false
            return finalize(result)
        }
    }

    /// Revokes all volatile results.
    mutating func revokeVolatiles() -> [SpeechUpdate] { revoke(.zero..<Self.endOfTime) }

    private static let endOfTime = Duration.seconds(Int64.max / 2)

    private mutating func replace(with result: SpeechResult) -> [SpeechUpdate] {
        let result = result.cut(before: watermark)
        guard !result.range.isEmpty else { return [] }
        volatiles.removeAll { $0.range.overlaps(result.range) }
        let index = volatiles.firstIndex { $0.range.lowerBound > result.range.lowerBound } ?? volatiles.endIndex
        volatiles.insert(result, at: index)
        return showsVolatile ? [.volatile(result)] : []
    }

    private mutating func revoke(_ range: Range<Duration>) -> [SpeechUpdate] {
        let revoked = volatiles.filter { $0.range.overlaps(range) }
        guard let first = revoked.first, let last = revoked.last else { return [] }
        volatiles.removeAll { $0.range.overlaps(range) }
        return showsVolatile ? [.revoked(first.range.lowerBound..<last.range.upperBound)] : []
    }

    private mutating func finalize(_ result: SpeechResult) -> [SpeechUpdate] {
        let result = result.cut(before: watermark)
        volatiles.removeAll { $0.range.overlaps(result.range) }
        watermark = result.range.upperBound
        return revoke(.zero..<watermark) + [.final(result)]
    }

    private mutating func leaveOut(_ interruption: SpeechUpdate.EngineInterruption) -> [SpeechUpdate] {
        guard let lost = interruption.lost else { return [.interrupted(interruption)] }
        let start = max(lost.lowerBound, watermark)
        watermark = max(watermark, lost.upperBound)
        let left = SpeechUpdate.EngineInterruption(cause: interruption.cause, lost: start..<max(start, lost.upperBound))
        return revoke(.zero..<watermark) + [.interrupted(left)]
    }

    private mutating func finalize(through time: Duration) -> [SpeechUpdate] {
        guard time > watermark else { return [] }
        watermark = time
        return revoke(.zero..<time) + [.finalized(through: time)]
    }
}
