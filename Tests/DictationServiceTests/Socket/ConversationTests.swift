import DictationCore
import DictationTesting
import Foundation
import TestSupport
import Testing

@testable import DictationService

@Suite struct ConversationTests {
    private static let hello = #"{"hello":"dictation","version":1}"# + "\n"

    private func steps(_ text: String, pieces: Int = .max) -> [Conversation.Step] {
        var conversation = Conversation()
        var steps: [Conversation.Step] = []
        let bytes = Array(text.utf8)
        for start in stride(from: 0, to: bytes.count, by: min(pieces, max(1, bytes.count))) {
            conversation.receive(bytes[start..<min(bytes.count, start + min(pieces, bytes.count))])
            while let step = conversation.next() { steps.append(step) }
        }
        return steps
    }

    @Test(arguments: [1, 2, 7, Int.max]) func requestsAreReadHoweverTheyAreCut(pieces: Int) {
        let text =
            Self.hello + #"{"id":1,"intent":"start","profile":"letters"}"# + "\r\n\n"
            + #"{"intent":"hold","id":2,"more":[1,{}]}"# + "\n" + #"{"id":3,"intent":"follow"}"# + "\n" + #"{"id":4"#
        #expect(
            steps(text, pieces: pieces) == [
                .request(WireRequest(id: 1, kind: .intent(.start(profile: "letters")))),
                .request(WireRequest(id: 2, kind: .hold(profile: nil))),
                .request(WireRequest(id: 3, kind: .follow)),
            ])
    }

    @Test func everyRequestSurvivesItsLine() throws {
        let intents: [DictationIntent] = [
            .start(), .start(profile: "a \" b"), .stop, .toggle(), .toggle(profile: "ü"), .cancel, .pause, .resume,
            .last, .insertLast, .status,
        ]
        let kinds: [WireRequest.Kind] =
            intents.map { .intent($0) } + [
                .hold(profile: nil), .hold(profile: "x"), .hold(profile: nil, answersPings: true), .pong, .release,
                .follow, .reload, .offerFields, .keyboard, .report(.focus(nil)), .report(.focus("a \n b")),
                .report(.outcome(number: 7, .delivered)), .report(.outcome(number: 7, .refused("“No.”"))),
            ]
        for (id, kind) in kinds.enumerated() {
            let line = WireLine.bytes(WireRequest(id: id, kind: kind))
            #expect(try WireLine.value(WireRequest.self, in: line) == WireRequest(id: id, kind: kind))
            #expect(line.count(where: { $0 == UInt8(ascii: "\n") }) == 1)
        }
    }

    @Test func everyReplySurvivesItsLine() throws {
        let take = TakeID(number: 3)
        let result = SpeechResult(range: .zero..<(.seconds(1)), text: "two\nlines \u{2028} “quoted”")
        let text = DictatedText(
            take: take, transcript: Transcript(segments: [result], duration: .seconds(1), locale: "de-DE", take: take))
        let failed = DictatedText(
            take: take,
            transcript: Transcript(error: DictationError(.deviceLost, "Gone."), isComplete: false, take: take))
        let answers: [DictationAnswer] = [
            .recording(take), .paused(take), .text(text), .text(failed), .endedByAnother(take), .cancelled(take),
            .nothing, .status(ServiceStatus(engine: "e")),
        ]
        let contents: [WireReply.Content] =
            answers.map { .answer($0) } + [
                .holding(take), .ping, .failure(DictationError(.invalidInput, "No.", recovery: "So.")),
                .order(.show("two\nlines", in: nil)), .order(.show("", in: "b")),
                .order(.write(OrderedText(number: 5, text: "“two”\nlines", take: take, field: "b"))),
                .order(.write(OrderedText(number: 5, text: "x"))),
            ]
        for content in contents {
            let line = WireLine.bytes(WireReply(id: 9, content: content))
            #expect(try WireLine.value(WireReply.self, in: line) == WireReply(id: 9, content: content))
            #expect(line.count(where: { $0 == UInt8(ascii: "\n") }) == 1)
        }
    }

    @Test(
        arguments: [
            "", "{}", "[]", "null", "1", "\"\"", #"{"id":1}"#, #"{"intent":"stop"}"#, #"{"id":"1","intent":"stop"}"#,
            #"{"id":1,"intent":"sing"}"#, #"{"id":1.5,"intent":"stop"}"#, #"{"id":1,"intent":"start","profile":7}"#,
            #"{"id":99999999999999999999,"intent":"stop"}"#, "{", "\u{0}", String(repeating: "[", count: 60_000),
        ]) func aLineThatIsNoRequestIsRefusedAndTheNextOneIsRead(line: String)
    {
        let found = steps(Self.hello + line + "\n" + #"{"id":1,"intent":"stop"}"# + "\n")
        #expect(found.last == .request(WireRequest(id: 1, kind: .intent(.stop))))
        guard !line.isEmpty else { return }
        guard case .refuse(let error) = found.first else {
            Issue.record("\(found)")
            return
        }
        #expect(error.code == .invalidInput && error.recovery != nil)
    }

    @Test(
        arguments: [
            (#"{"hello":"dictation","version":2}"#, "version 2"), (#"{"hello":"other","version":1}"#, "greeting"),
            (#"{"id":1,"intent":"stop"}"#, "greeting"), ("GET / HTTP/1.1", "greeting"), ("\u{FF}", "greeting"),
        ]) func whoDoesNotGreetIsSentAway(line: String, word: String)
    {
        let found = steps(line + "\n" + Self.hello)
        guard found.count == 1, case .refuseAndClose(let error) = found[0] else {
            Issue.record("\(found)")
            return
        }
        #expect(error.message.contains(word) && error.recovery?.contains("1") == true)
    }

    @Test func aLineThatIsTooLongEndsTheConversation() {
        var conversation = Conversation()
        conversation.receive(Array(Self.hello.utf8))
        let block = [UInt8](repeating: UInt8(ascii: "x"), count: 1 << 16)
        #expect(conversation.next() == nil)
        conversation.receive(block)
        #expect(conversation.next() == nil, "The line has 65,536 bytes, and may end here.")
        conversation.receive([UInt8(ascii: "x")])
        guard case .refuseAndClose(let error)? = conversation.next() else {
            Issue.record("It was not refused.")
            return
        }
        #expect(error.message.contains("65536"))
        conversation.receive(block)
        #expect(conversation.isOver && conversation.next() == nil)
    }

    @Test func theLongestLineIsRead() {
        let start = #"{"id":1,"intent":"start","profile":""#
        let profile = String(repeating: "p", count: Conversation.lineLimit - start.utf8.count - 2)
        let found = steps(Self.hello + start + profile + "\"}\n", pieces: 10_000)
        #expect(found == [.request(WireRequest(id: 1, kind: .intent(.start(profile: profile))))])
    }

    @Test func anythingIsReadOrRefused() { LineFuzz(seed: 1).run(3_000) }
}

@Suite struct ConversationProofTests {
    @Test(.ownThread) func aMillionMessagesAreReadOrRefused() { LineFuzz(seed: 2).run(1_000_000) }
}

/// Changes messages at random, and cuts them anywhere.
private struct LineFuzz {
    let seed: UInt64
    private static let seeds = [
        #"{"hello":"dictation","version":1}"#, #"{"id":1,"intent":"start"}"#, #"{"id":2,"intent":"stop"}"#,
        #"{"id":3,"intent":"toggle","profile":"ü\n\u0000"}"#, #"{"id":4,"intent":"hold"}"#, "[[[[{}]]]]", "\"",
        #"{"id":-9223372036854775808,"intent":"status"}"#, #"{"id":1e400,"intent":"last"}"#,
    ].map { Array($0.utf8) }

    func run(_ count: Int) {
        var random = SplitMix64(seed: seed)
        var conversation = Conversation()
        var (requests, refusals, ends) = (0, 0, 0)
        for _ in 0..<count {
            if conversation.isOver || Int.random(in: 0..<50, using: &random) == 0 {
                if conversation.isOver { ends += 1 }
                conversation = Conversation()
                if Int.random(in: 0..<4, using: &random) != 0 { conversation.receive(Self.seeds[0] + [10]) }
            }
            var line = Self.seeds.randomElement(using: &random) ?? []
            for _ in 0..<Int.random(in: 0...3, using: &random) where !line.isEmpty {
                let place = Int.random(in: line.indices, using: &random)
                switch Int.random(in: 0..<4, using: &random) {
                case 0: line[place] = UInt8.random(in: .min ... .max, using: &random)
                case 1: line.remove(at: place)
                case 2: line.insert(UInt8.random(in: .min ... .max, using: &random), at: place)
                default: line.removeSubrange(place...)
                }
            }
            line.append(UInt8(ascii: "\n"))
            let cut = Int.random(in: line.startIndex...line.endIndex, using: &random)
            for piece in [line[..<cut], line[cut...]] {
                conversation.receive(piece)
                while let step = conversation.next() {
                    switch step {
                    case .request: requests += 1
                    case .refuse(let error), .refuseAndClose(let error):
                        refusals += 1
                        if error.recovery == nil || error.code == .engineFailed {
                            Issue.record("a bad error: \(error)")
                        }
                    }
                }
            }
        }
        #expect(requests > count / 20 && refusals > count / 20 && ends > 0)
    }
}
