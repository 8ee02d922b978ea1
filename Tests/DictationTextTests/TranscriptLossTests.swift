import DictationCore
import DictationText
import Testing

struct TranscriptLossTests {
    private func gap(_ cause: AudioGap.Cause, from start: Double = 1, _ seconds: Double) -> AudioGap {
        AudioGap(range: .seconds(start)..<(.seconds(start + seconds)), frameCount: 0, cause: cause)
    }

    @Test func eachLossHasItsTimeAndItsCause() {
        let gaps = [gap(.unplugged, from: 61.5, 5), gap(.engineFailed, from: 3, 0.4)]
        #expect(
            Transcript(gaps: gaps, isComplete: false).loss
                == "Audio without text: 0:03.0–0:03.4 (the engine failed), 1:01.5–1:06.5 (the microphone was disconnected)."
        )
    }

    @Test func gapsThatTouchAreOneLoss() {
        let gaps = [gap(.engineFailed, 2), gap(.engineFailed, from: 3, 1), gap(.overrun, from: 4, 1)]
        #expect(
            Transcript(gaps: gaps, isComplete: false).loss
                == "Audio without text: 0:01.0–0:04.0 (the engine failed), "
                + "0:04.0–0:05.0 (the program was too slow to record it).")
    }

    @Test func manyLossesAreCounted() throws {
        let loss = try #require(Transcript(gaps: (0..<9).map { gap(.stalled, from: Double($0) * 2, 0.5) }).loss)
        #expect(loss.hasSuffix(", and 4 more, 2.0 s together."), "\(loss)")
    }

    @Test func aTextThatTheEngineDidNotFinishIsIncomplete() {
        #expect(
            Transcript(isComplete: false).loss == "The engine did not finish all audio, so words may be missing.")
    }

    @Test func anErrorIsNotRepeatedAndACompleteTextHasNoLoss() {
        #expect(Transcript(error: DictationError(.engineFailed, "It broke."), isComplete: false).loss == nil)
        #expect(Transcript().loss == nil)
    }
}
