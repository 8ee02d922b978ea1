import DictationCore
import Synchronization
import Testing

@testable import DictationEngines

/// Recognizing pieces with a model that runs away, which a closure stands for.
struct PieceRecognitionTests {
    /// Sound from 2 s to the given time, in a piece that is 2 s longer.
    private func piece(until end: Double = 6, overlap: Double = 0) -> PauseCutter.Piece {
        let samples = (0..<Int((end + 2) * 16_000)).map {
            (2 * 16_000..<Int(end * 16_000)).contains($0) ? Float(0.5) : 0.01
        }
        return PauseCutter.Piece(
            samples: samples, start: .seconds(10), overlap: .seconds(overlap),
            speech: .seconds(12)..<Duration.seconds(10 + end), ending: .pause)
    }

    /// Returns the text of a piece and the samples that the model got, call by call.
    private func recognize(
        _ piece: PauseCutter.Piece, _ model: @escaping @Sendable (_ call: Int, _ samples: [Float]) -> String
    ) throws -> (text: String, calls: [[Float]]) {
        let calls = Mutex<[[Float]]>([])
        let recognition = PieceRecognition { samples throws(DictationError) in
            let call = calls.withLock { calls in
                calls.append(samples)
                return calls.count
            }
            return model(call, samples)
        }
        return (try recognition.text(of: piece), calls.withLock { $0 })
    }

    private let runaway = Array(repeating: "please call Stella", count: 40).joined(separator: " ")

    @Test func aTextThatCanBeTrueIsTakenAtOnce() throws {
        let heard = try recognize(piece()) { _, _ in "Please call Stella." }
        #expect(heard.text == "Please call Stella.")
        #expect(heard.calls.count == 1)
    }

    @Test func theModelGetsTheSpeechWithSilenceAndALittleBackground() throws {
        let samples = try #require(try recognize(piece()) { _, _ in "Please call Stella." }.calls.first)
        let speech = samples.enumerated().filter { $0.element == 0.5 }.map(\.offset)
        #expect(speech.count == 4 * 16_000)
        // 0.1 s of silence and 0.3 s of background before, 0.3 s of background and 0.7 s of silence after.
        #expect(speech.first == 6_400)
        #expect(samples.count == 6_400 + 4 * 16_000 + 16_000)
        #expect(samples.prefix(1_600).allSatisfy { $0 == 0 } && samples.suffix(11_200).allSatisfy { $0 == 0 })
    }

    @Test func theModelGetsAllOfAnOverlap() throws {
        let samples = try #require(try recognize(piece(overlap: 1.5)) { _, _ in "Please call Stella." }.calls.first)
        #expect(samples.count == 1_600 + Int(6.3 * 16_000) + 11_200)
    }

    @Test func aTextThatCannotBeTrueIsRecognizedAgainWithOtherSilence() throws {
        let heard = try recognize(piece()) { call, _ in call == 1 ? runaway : "Please call Stella." }
        #expect(heard.text == "Please call Stella.")
        #expect(heard.calls.count == 2)
        #expect(heard.calls[0].count != heard.calls[1].count)
    }

    @Test func whatRunsAwayAsAWholeIsRecognizedInHalves() throws {
        let heard = try recognize(piece(until: 10)) { call, samples in
            call <= 3 ? runaway : call == 4 ? "Please call Stella," : "Ask her to bring these things."
        }
        #expect(heard.text == "Please call Stella, ask her to bring these things.")
        #expect(heard.calls.count == 5)
    }

    @Test func whatRunsAwayInAnyCaseIsWrittenOnce() throws {
        #expect(
            try recognize(piece(until: 3)) { _, _ in "And then, " + runaway }.text == "And then, please call Stella")
        let long = try recognize(piece(until: 20)) { _, _ in runaway }
        #expect(long.text.split(separator: " ").count <= 12)
        #expect(long.calls.count <= 21)
    }

    @Test func whatRunsAwayInsideAWordIsRecognizedAgain() throws {
        let digits = "1-0-0-1 90210 " + String(repeating: "0-", count: 150)
        let again = try recognize(piece(until: 25)) { call, _ in call == 1 ? digits : "1-0-0-1." }
        #expect(again.text == "1-0-0-1." && again.calls.count == 2)
        let never = try recognize(piece(until: 25)) { _, _ in digits }
        #expect(never.text.count < 60, "\(never.text)")
    }

    @Test func speechWithoutTextIsRecognizedAgain() throws {
        #expect(
            try recognize(piece()) { call, _ in call == 1 ? "" : "Please call Stella." }.text == "Please call Stella.")
        let never = try recognize(piece()) { _, _ in "♪♪♪" }
        #expect(never.text.isEmpty && never.calls.count == 3)
    }

    @Test func theModelDoesNotGetSilence() throws {
        var silence = piece()
        silence.speech = nil
        let heard = try recognize(silence) { _, _ in "You" }
        #expect(heard.text.isEmpty && heard.calls.isEmpty)
    }

    @Test func notesOfMusicAreNoText() throws {
        #expect(try recognize(piece()) { _, _ in "He sang. ♪♪♪♪" }.text == "He sang.")
    }

    @Test func repetitionsComeOnce() {
        #expect("Types, or 42 lines, or 42 lines, Or 42 lines".withoutRepetitions == "Types, Or 42 lines")
        #expect("a b a b a b a b c".withoutRepetitions == "a b c")
        #expect("He said 0-0-0-0 and no-no-no.".withoutRepetitions == "He said 0 and no.")
        #expect("".withoutRepetitions == "")
        #expect("one two three".withoutRepetitions == "one two three")
    }
}
