import DictationCore
import DictationTesting
import Synchronization
import Testing

@testable import DictationEngines

/// Looking again and again at speech with a model that hears a word in each half second, in virtual time.
struct LiveLooksTests {
    /// The number of samples that each look got, and how many looks ran at once.
    private struct Log: Sendable {
        var lengths: [Double] = []
        var running = 0
        var most = 0
    }

    private final class Listening: Sendable {
        let log = Mutex(Log())
        let shown = Mutex<[(at: Duration, text: String)]>([])
    }

    private func words(of piece: PauseCutter.Piece) -> String {
        guard let speech = piece.speech else { return "" }
        let start = piece.overlap > .zero ? piece.start : speech.lowerBound
        let first = Int((start / .milliseconds(500)).rounded(.up))
        let range = first..<max(first, Int(speech.upperBound / .milliseconds(500)))
        return range.map { "w\($0)" }.joined(separator: " ")
    }

    /// Plays audio at its own speed past a model that needs `cost` for a look. Returns what was shown, and the looks.
    private func look(
        at buffers: [AudioBuffer], cost: Duration = .milliseconds(50), _ rules: RecognitionOptions.Endpointing = .init()
    ) async throws -> (
        shown: [(at: Duration, text: String)], log: Log, ended: [(piece: PauseCutter.Piece, look: LiveLooks.Look?)]
    ) {
        try await VirtualTime.run { _ in
            let listening = Listening()
            let runtime = DictationRuntime.current
            let looks = LiveLooks(on: runtime) { piece throws(DictationError) in
                listening.log.withLock { log in
                    log.lengths.append(Double(piece.samples.count) / 16_000)
                    log.running += 1
                    log.most = max(log.most, log.running)
                }
                try? await runtime.sleep(cost)
                listening.log.withLock { $0.running -= 1 }
                return LiveLooks.Look(
                    audio: piece.samples, text: words(of: piece), result: piece.result(words(of: piece)))
            }
            let sink = ResultSink { update in
                guard let result = update.result else { return }
                listening.shown.withLock { $0.append((runtime.now(), result.text)) }
            }
            var cutter = PauseCutter(rules, overlap: .seconds(2))
            let joiner = PieceJoiner(isLive: true)
            var ended: [(piece: PauseCutter.Piece, look: LiveLooks.Look?)] = []
            for buffer in buffers {
                try await runtime.sleep(.milliseconds(100))
                let before = runtime.now()
                for piece in cutter.add(buffer) {
                    ended.append((piece, await looks.end(piece)))
                    listening.shown.withLock { $0.append((runtime.now(), "|")) }
                }
                looks.look(at: cutter, after: joiner, into: sink)
                #expect(runtime.now() == before || cost > .milliseconds(100), "a look held up the audio")
            }
            return (listening.shown.withLock { $0 }, listening.log.withLock { $0 }, ended)
        }
    }

    @Test func wordsAreShownSoonInOrderAndOneLookAtATime() async throws {
        let found = try await look(at: soundAndPauses([5, 2]).buffers(of: 1_600))
        #expect(found.log.most == 1)
        for word in 1..<9 {
            let first = try #require(found.shown.first { $0.text.split(separator: " ").contains("w\(word)") })
            #expect(first.at <= .milliseconds(500 * (word + 1) + 1_500), "w\(word) at \(first.at)")
        }
        let ended = try #require(found.ended.first)
        #expect(found.shown.last { $0.text != "|" }?.text == words(of: ended.piece))
    }

    /// Also in the 25th second of an utterance without a pause.
    @Test func aLongUtteranceIsLookedAtInParts() async throws {
        let found = try await look(at: soundAndPauses([29]).buffers(of: 1_600), cost: .milliseconds(200))
        #expect(found.log.lengths.allSatisfy { $0 < 8.5 }, "\(found.log.lengths)")
        for word in 40..<54 {
            let first = try #require(found.shown.first { $0.text.split(separator: " ").contains("w\(word)") })
            #expect(first.at <= .milliseconds(500 * (word + 1) + 2_500), "w\(word) at \(first.at)")
        }
        let text = try #require(found.shown.last { $0.text != "|" }?.text).split(separator: " ").map(String.init)
        let first = Int(try #require(text.first).dropFirst())
        #expect(text == text.indices.map { "w\((first ?? 0) + $0)" })
    }

    @Test func theLastLookHeardAllOfTheSpeech() async throws {
        let found = try await look(at: soundAndPauses([3, 3, 9, 3]).buffers(of: 1_600))
        let pauses = found.ended.filter { $0.piece.ending == .pause }
        #expect(!pauses.isEmpty)
        for (piece, look) in pauses { #expect((look?.text ?? "") == words(of: piece)) }
    }

    @Test func aLookAtAPieceThatEndedShowsNothing() async throws {
        // The look at 0.3 s of quiet is still under way when the pause ends the piece.
        let found = try await look(
            at: soundAndPauses([2, 1, 2, 1]).buffers(of: 1_600), cost: .seconds(2),
            .init(silenceAfterText: .milliseconds(500)))
        let ends = found.shown.indices.filter { found.shown[$0].text == "|" }
        for end in ends {
            #expect(found.shown[(end + 1)...].allSatisfy { !$0.text.hasPrefix("w0 ") }, "\(found.shown)")
        }
    }

    @Test func aSlowModelLooksRarely() async throws {
        let found = try await look(at: soundAndPauses([12]).buffers(of: 1_600), cost: .seconds(1))
        #expect(found.log.most == 1 && found.log.lengths.count <= 6, "\(found.log.lengths)")
    }

    @Test func wordsThatAreBeingSaidWait() {
        var steady = SteadyText()
        func count(_ text: String, isPause: Bool = false) -> Int {
            steady.count(of: text.writtenWords, isPause: isPause)
        }
        #expect(count("He") == 1)
        #expect(count("He hope.") == 1)
        #expect(count("He hoped there would") == 2)
        // Two looks agree on “would” and the words before it, however they are written.
        #expect(count("he hoped there would be stoop.") == 4)
        #expect(count("He hoped there would be stew.", isPause: true) == 6)
        #expect(count("今天天气") == 2)
        #expect(count("今天天气很好") == 4)
    }
}
