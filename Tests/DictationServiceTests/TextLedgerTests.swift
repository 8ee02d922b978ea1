import DictationCore
import DictationTesting
import Testing

@testable import DictationService

@Suite struct TextLedgerTests {
    private let one = TakeID(number: 1)
    private let two = TakeID(number: 2)

    private func text(_ take: TakeID) -> DictationAnswer {
        .text(DictatedText(take: take, transcript: Transcript(take: take)))
    }

    @Test func theStopperGetsTheTextWhenItComes() {
        var ledger = TextLedger()
        ledger.begin(one)
        #expect(ledger.claim(one, for: 7, because: .endedTake) == .waits)
        #expect(ledger.claim(one, for: 8, because: .asked) == .belongsToAnother)
        #expect(ledger.end(one, with: text(one)) == 7)
        #expect(ledger.count == 0 && ledger.claimEnded() == nil)
    }

    @Test func aTextIsThereBeforeItIsAskedFor() {
        var ledger = TextLedger()
        ledger.begin(one)
        #expect(ledger.end(one, with: text(one)) == nil)
        #expect(ledger.claim(one, for: 7, because: .endedTake) == .given(text(one)))
        #expect(ledger.count == 0)
    }

    @Test func aTextMayComeBeforeItsBeginningIsNoted() {
        var ledger = TextLedger()
        #expect(ledger.end(one, with: text(one)) == nil)
        #expect(ledger.claimEnded() == nil, "Nobody intended this take yet.")
        ledger.begin(one)
        #expect(ledger.claimEnded() == text(one))
    }

    @Test func aSecondStopGetsTheTextThatTheFirstLeft() {
        var ledger = TextLedger()
        ledger.begin(one)
        #expect(ledger.claim(one, for: 7, because: .endedTake) == .waits)
        ledger.leave(7)
        #expect(ledger.claim(one, for: 8, because: .asked) == .waits)
        #expect(ledger.end(one, with: text(one)) == 8)
    }

    @Test func aTextThatNobodyWaitsForIsNotStored() {
        var ledger = TextLedger()
        ledger.begin(one)
        #expect(ledger.claim(one, for: 7, because: .endedTake) == .waits)
        ledger.leave(7)
        #expect(ledger.end(one, with: text(one)) == nil)
        #expect(ledger.count == 0)
    }

    @Test func aHeldTakeIsItsHoldersUnlessAnotherEndsIt() {
        var ledger = TextLedger()
        ledger.begin(one, isHeld: true)
        #expect(ledger.claim(one, for: 7, because: .asked) == .belongsToAnother)
        #expect(ledger.claim(one, for: 8, because: .endedTake) == .waits)
        #expect(ledger.claim(one, for: 9, because: .held) == .belongsToAnother)
        #expect(ledger.end(one, with: text(one)) == 8)
        #expect(ledger.claim(one, for: 9, because: .held) == .belongsToAnother)
    }

    @Test func aHoldersTextOutlivesLaterTakes() {
        var ledger = TextLedger()
        ledger.begin(one, isHeld: true)
        #expect(ledger.end(one, with: text(one)) == nil)
        ledger.begin(two)
        #expect(ledger.claimEnded() == nil)
        #expect(ledger.claim(one, for: 7, because: .held) == .given(text(one)))
    }

    @Test(arguments: [true, false]) func aDroppedHoldLeavesNothingToGive(endsFirst: Bool) {
        var ledger = TextLedger()
        ledger.begin(one, isHeld: true)
        if endsFirst { #expect(ledger.end(one, with: text(one)) == nil) }
        ledger.drop(one)
        if !endsFirst { #expect(ledger.end(one, with: text(one)) == nil) }
        #expect(ledger.count == 0 && ledger.claimEnded() == nil)
    }

    @Test func aRetryDoesNotReplaceATextThatWaitsForItsStop() {
        var ledger = TextLedger()
        ledger.begin(one)
        #expect(ledger.end(one, with: text(one)) == nil)
        #expect(ledger.end(two, with: text(two)) == nil)
        #expect(ledger.claimEnded() == text(one))
    }

    /// Whatever happens, a text has at most one owner, and the ledger stays small.
    @Test func noTextIsGivenTwice() {
        for seed in UInt64(1)...500 {
            var random = SplitMix64(seed: seed)
            var ledger = TextLedger()
            var given: [TakeID: Int] = [:]
            var waiting: [TextLedger.Caller: TakeID] = [:]
            var ended: Set<TakeID> = []
            var caller: TextLedger.Caller = 0
            func take() -> TakeID { TakeID(number: Int.random(in: 1...6, using: &random)) }
            func give(_ answer: DictationAnswer) { if let text = answer.text { given[text.take, default: 0] += 1 } }
            for _ in 0..<40 {
                let id = take()
                switch Int.random(in: 0..<6, using: &random) {
                case 0 where !ended.contains(id): ledger.begin(id, isHeld: Bool.random(using: &random))
                case 1, 2:
                    caller += 1
                    let reasons: [TextLedger.Reason] = [.endedTake, .asked, .held]
                    guard let reason = reasons.randomElement(using: &random) else { break }
                    if ended.contains(id), reason == .endedTake { break }
                    switch ledger.claim(id, for: caller, because: reason) {
                    case .waits: waiting[caller] = id
                    case .given(let answer): give(answer)
                    case .belongsToAnother, .nothing: break
                    }
                case 3: if let answer = ledger.claimEnded() { give(answer) }
                case 4 where ended.insert(id).inserted:
                    if let caller = ledger.end(id, with: text(id)) {
                        #expect(waiting.removeValue(forKey: caller) == id)
                        given[id, default: 0] += 1
                    }
                default:
                    guard let (caller, _) = waiting.randomElement(using: &random) else { break }
                    waiting[caller] = nil
                    ledger.leave(caller)
                }
            }
            #expect(given.values.allSatisfy { $0 == 1 }, "seed \(seed)")
            #expect(ledger.count <= 6, "seed \(seed)")
        }
    }
}
