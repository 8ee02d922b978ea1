/// Keeps results in order: final ranges never overlap, the watermark only grows, no volatile result is left behind.
struct ResultLedger {
    /// Nothing before this changes any more.
    private(set) var watermark: Duration = .zero
    /// The results that may still change, in order.
    private(set) var volatiles: [SpeechResult] = []
    /// Whether the reader sees volatile results.
    let showsVolatile: Bool

    /// Takes a decoder's result and gives those that the reader should see.
    mutating func admit(_ result: SpeechResult) -> [SpeechResult] {
        switch result.status {
        case .volatile where result.text.isEmpty, .revoked: revoke(result.range)
        case .volatile: replace(with: result)
        case .final: finalize(result)
        }
    }

    /// Makes what is volatile final, marked incomplete: the best there is when no more can come.
    mutating func promoteVolatiles() -> [SpeechResult] {
        volatiles.flatMap { volatile in
            var result = volatile
            result.status = .final
            result.isIncomplete = true
            return finalize(result)
        }
    }

    /// Takes back what is volatile.
    mutating func revokeVolatiles() -> [SpeechResult] { revoke(.zero..<Self.endOfTime) }

    private static let endOfTime = Duration.seconds(Int64.max / 2)

    private mutating func replace(with result: SpeechResult) -> [SpeechResult] {
        let result = cut(result)
        guard !result.range.isEmpty else { return [] }
        volatiles.removeAll { $0.range.overlaps(result.range) }
        let index = volatiles.firstIndex { $0.range.lowerBound > result.range.lowerBound } ?? volatiles.endIndex
        volatiles.insert(result, at: index)
        return showsVolatile ? [result] : []
    }

    private mutating func revoke(_ range: Range<Duration>) -> [SpeechResult] {
        let revoked = volatiles.filter { $0.range.overlaps(range) }
        guard let first = revoked.first, let last = revoked.last else { return [] }
        volatiles.removeAll { $0.range.overlaps(range) }
        let whole = first.range.lowerBound..<last.range.upperBound
        return showsVolatile ? [SpeechResult(.revoked, range: whole, text: "", finalizedThrough: watermark)] : []
    }

    private mutating func finalize(_ result: SpeechResult) -> [SpeechResult] {
        var result = cut(result)
        volatiles.removeAll { $0.range.overlaps(result.range) }
        let through = max(watermark, result.range.upperBound, result.finalizedThrough)
        let overtaken = revoke(.zero..<through)
        guard through > watermark || !result.text.isEmpty || !overtaken.isEmpty else { return [] }
        watermark = through
        result.finalizedThrough = through
        return overtaken + [result]
    }

    private func cut(_ result: SpeechResult) -> SpeechResult {
        var result = result
        let lower = max(watermark, result.range.lowerBound)
        result.range = lower..<max(lower, result.range.upperBound)
        if result.status != .final { result.finalizedThrough = watermark }
        return result
    }
}
