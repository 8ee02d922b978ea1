import DictationCore
import DictationTesting
import Testing

/// An accumulator keeps its promises whatever an engine sends.
@Suite struct SurfaceAccumulatorTests {
    static let seeds = 1...60 as ClosedRange<UInt64>

    @Test(arguments: seeds) func anyUpdatesKeepTheOrderAndTheText(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        for _ in 0..<40 {
            var text = TranscriptAccumulator()
            var finals: [String] = []
            for step in 0..<12 {
                let update = SpeechUpdate.hostile("\(step)", &random)
                let before = text
                text.apply(update)
                if let result = update.finalResult, result.hasText { finals.append(result.text) }
                #expect(Self.problems(before, update, text) == [], "seed \(seed), \(update)")
            }
            #expect(text.finalResults.map(\.text) == finals, "seed \(seed)")
            let tail = text.volatileTail.map(\.text)
            let complete = text.isComplete
            text.finalizeAsIs()
            #expect(text.finalResults.map(\.text) == finals + tail, "seed \(seed)")
            #expect(text.volatileTail.isEmpty && text.isComplete == (complete && tail.isEmpty), "seed \(seed)")
            #expect(text.finalResults.suffix(tail.count).allSatisfy { !$0.isComplete }, "seed \(seed)")
        }
    }

    /// Of results that wait for a slow reader, only the newest volatile text is kept. What they add up to stays the same.
    @Test(arguments: seeds) func aSlowReaderOfResultsEndsWithTheSameText(seed: UInt64) async throws {
        var random = SplitMix64(seed: seed)
        for _ in 0..<20 {
            let (results, continuation) = RecognitionResults.makeStream()
            var expected = TranscriptAccumulator()
            for step in 0..<12 {
                let update = SpeechUpdate.hostile("\(step)", &random)
                expected.apply(update)
                continuation.yield(update)
            }
            continuation.finish()
            var text = TranscriptAccumulator()
            for try await update in results {
                if let result = update.result { #expect(result.hasText, "seed \(seed)") }
                text.apply(update)
            }
            #expect(text == expected, "seed \(seed)")
        }
    }

    @Test func aRangeWithoutVolatileTextIsRevokedWithoutEffect() {
        var text = TranscriptAccumulator()
        text.apply(.final(.spoken("a", 0, 1)))
        text.apply(.volatile(.spoken("b", 2, 3)))
        let before = text
        for range in [(0, 1), (1, 2), (3, 9), (-5, 0), (1, 1), (2, 2)] {
            text.apply(.revoked(.seconds(range.0)..<Duration.seconds(range.1)))
            #expect(text == before, "\(range)")
        }
    }

    /// A final result whose range is empty overlaps nothing, and nothing before it changes any more.
    @Test func aFinalResultWithoutLengthReplacesTheTextAroundIt() {
        var text = TranscriptAccumulator()
        text.apply(.volatile(.spoken("a", 0, 4)))
        text.apply(.volatile(.spoken("b", 4, 5)))
        text.apply(.final(.spoken("c", 2, 2)))
        #expect(text.finalResults.map(\.text) == ["c"] && text.volatileTail.map(\.text) == ["b"])
    }

    @Test func silenceIsNeverIncomplete() {
        var silence = SpeechResult.spoken(" \n", 0, 1)
        silence.isComplete = false
        var text = TranscriptAccumulator()
        text.apply(.final(silence))
        #expect(text.isComplete && text.finalizedThrough == .seconds(1))
    }

    @Test func timeThatGoesBackStays() {
        var text = TranscriptAccumulator()
        text.apply(.finalized(through: .seconds(5)))
        for time in [Duration.seconds(4), .zero, .seconds(-1), .seconds(Int64.min)] {
            text.apply(.finalized(through: time))
            text.apply(.final(SpeechResult(range: min(time, .zero)..<max(time, .zero), text: " ")))
            #expect(text.finalizedThrough == .seconds(5))
        }
    }

    /// After the end of time nothing can be said later, and still no text is lost.
    @Test func textAfterTheEndOfTimeIsKept() {
        var text = TranscriptAccumulator()
        text.apply(.finalized(through: Duration(attoseconds: .max)))
        for number in 0..<3 { text.apply(.final(.spoken("\(number)", number, number + 1))) }
        #expect(text.finalResults.map(\.text) == ["0", "1", "2"])
        #expect(text.finalizedThrough == Duration(attoseconds: .max))
    }

    @Test func oneIncompleteResultMakesTheTextIncomplete() {
        var text = TranscriptAccumulator()
        var early = SpeechResult.spoken("a", 0, 1)
        early.isComplete = false
        text.apply(.volatile(early))
        #expect(text.isComplete)
        text.apply(.final(early))
        text.apply(.final(.spoken("b", 1, 2)))
        #expect(!text.isComplete)
    }

    /// The promises that one update broke.
    private static func problems(
        _ before: TranscriptAccumulator, _ update: SpeechUpdate, _ after: TranscriptAccumulator
    ) -> [String] {
        var problems: [String] = []
        func expect(_ isKept: Bool, _ promise: String) { if !isKept { problems.append(promise) } }
        expect((after.finalResults + after.volatileTail).areInOrder, "ranges are in order")
        expect(after.finalResults.starts(with: before.finalResults), "final text stays")
        expect(after.finalizedThrough >= before.finalizedThrough, "finalizedThrough only grows")
        expect(after.finalResults.allSatisfy { $0.range.upperBound <= after.finalizedThrough }, "finalizedThrough")
        expect((after.finalResults + after.volatileTail).allHaveText, "silence is no result")
        for result in after.finalResults + after.volatileTail {
            for word in result.words.compactMap(\.range) {
                expect(word.lowerBound >= result.range.lowerBound, "words begin within their result")
            }
        }
        if let through = update.finalizedThrough {
            expect(after.finalizedThrough == max(before.finalizedThrough, through), "final through \(through)")
        } else {
            expect(after.finalizedThrough == before.finalizedThrough, "only final results move the time")
            expect(after.finalResults == before.finalResults, "volatile text is not final")
        }
        switch update {
        case .volatile(let result), .final(let result):
            // Silence moves the time and revokes nothing by itself.
            guard result.hasText || update.finalResult == nil else { break }
            let left = before.volatileTail.filter { $0.range.overlaps(result.range) }.map(\.text)
            expect(after.volatileTail.allSatisfy { !left.contains($0.text) }, "overlapped volatile text is replaced")
        case .revoked(let range):
            let kept = before.volatileTail.filter { !$0.range.overlaps(range) && $0.range != range }
            expect(kept.allSatisfy(after.volatileTail.contains), "only the range is revoked")
            expect(after.volatileTail.allSatisfy { !$0.range.overlaps(range) }, "the range is revoked")
        default: break
        }
        return problems
    }
}

extension SpeechResult {
    static func spoken(_ text: String, _ start: Int, _ end: Int) -> SpeechResult {
        SpeechResult(range: .seconds(start)..<Duration.seconds(end), text: text)
    }

    /// Whether the result is more than silence.
    var hasText: Bool { text.contains { !$0.isWhitespace } }
}

extension [SpeechResult] {
    var allHaveText: Bool { allSatisfy(\.hasText) }

    /// Whether no result begins before the end of the one before it.
    var areInOrder: Bool { zip(self, dropFirst()).allSatisfy { $0.range.upperBound <= $1.range.lowerBound } }
}

extension SpeechUpdate {
    private static let times: [Duration] =
        [Duration(attoseconds: .min), .seconds(Int64.min), .seconds(-2), .zero, .nanoseconds(1)]
        + (1...8).map { .seconds($0) } + [.seconds(Int64.max), Duration(attoseconds: .max)]

    /// Any update at all: silence, ranges that overlap or go back, times that no recording has.
    static func hostile(_ text: String, _ random: inout SplitMix64) -> SpeechUpdate {
        let near = times.dropFirst(3).dropLast(2)
        func time() -> Duration {
            (Int.random(in: 0..<9, using: &random) == 0 ? times[...] : near).randomElement(using: &random) ?? .zero
        }
        let (one, other) = (time(), time())
        let range = min(one, other)..<max(one, other)
        let said = Int.random(in: 0..<5, using: &random) == 0 ? ["", " ", "\n\t"].randomElement(using: &random) : text
        var result = SpeechResult(range: range, text: said ?? text, words: [.init(text, range: range), .init(text)])
        result.isComplete = Bool.random(using: &random)
        return switch Int.random(in: 0..<8, using: &random) {
        case 0...2: .volatile(result)
        case 3...5: .final(result)
        case 6: .revoked(range)
        default: .finalized(through: one)
        }
    }
}
