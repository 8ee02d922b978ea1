import DictationCore
import Testing

@testable import DictationEngines

struct HelperUpdateTests {
    private static let range = Duration.milliseconds(-5)..<Duration.seconds(4) + .nanoseconds(1)
    private static let full = SpeechResult(
        range: range, text: "Grüße\u{0}日本 😀",
        words: [
            .init("Grüße", range: .zero..<Duration(attoseconds: 7), confidence: 0.25), .init("", range: nil),
            .init("😀"),
        ],
        alternatives: [.init("greetings", confidence: 0), .init("")], isComplete: false, isDoubtful: true,
        endsInSpeech: true, speaker: "left")

    @Test(arguments: [
        SpeechUpdate.volatile(full), .final(full), .final(SpeechResult(range: .zero..<(.zero), text: "")),
        .revoked(range), .finalized(through: .seconds(1 << 40)), .turnEnded(at: .seconds(3)),
        .voice(SpeechUpdate.Voice(through: .seconds(3), speech: nil)),
        .voice(SpeechUpdate.Voice(through: .seconds(3), speech: range)),
    ])
    func anUpdateArrivesAsItWas(update: SpeechUpdate) throws {
        let bytes = try #require(HelperUpdate.encode(update))
        #expect(HelperUpdate.decode(bytes) == update)
        for count in 0..<bytes.count { #expect(HelperUpdate.decode(Array(bytes.prefix(count))) == nil) }
        #expect(HelperUpdate.decode(bytes + [0]) == nil)
    }

    @Test func onlyAProgramReportsAnInterruption() {
        let cause = DictationError(.engineFailed, "The helper died.")
        #expect(HelperUpdate.encode(.interrupted(SpeechUpdate.EngineInterruption(cause: cause))) == nil)
    }

    @Test func wrongBytesAreNoUpdate() throws {
        let revoked = try #require(HelperUpdate.encode(.revoked(.zero..<(.seconds(1)))))
        // An unknown kind, a range that ends before it begins, and text that is not UTF-8.
        #expect(HelperUpdate.decode([9] + revoked.dropFirst()) == nil)
        #expect(HelperUpdate.decode([revoked[0]] + revoked[17...] + revoked[1..<17]) == nil)
        let named = try #require(HelperUpdate.encode(.final(SpeechResult(range: .zero..<(.zero), text: "a"))))
        let letter = try #require(named.firstIndex(of: UInt8(ascii: "a")))
        var broken = named
        broken[letter] = 0xFF
        #expect(HelperUpdate.decode(broken) == nil)
    }
}
