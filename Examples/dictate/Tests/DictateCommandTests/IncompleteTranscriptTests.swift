import DictationCore
import Testing

@testable import DictateCommand

struct IncompleteTranscriptTests {
    private func gap(_ cause: AudioGap.Cause, from start: Double = 1, _ seconds: Double) -> AudioGap {
        AudioGap(range: .seconds(start)..<(.seconds(start + seconds)), frameCount: 0, cause: cause)
    }

    @Test func aSlowEngineIsNamedWithTheLengthThatItMissedAndWithAdvice() throws {
        let gaps = [gap(.engineBehind, 42), gap(.unplugged, from: 50, 5), gap(.engineBehind, from: 60, 0.4)]
        let complaint = try #require(Transcript(gaps: gaps, isComplete: false).complaint)
        #expect(complaint.contains("The engine was too slow and missed 42 s of audio."), "\(complaint)")
        #expect(complaint.contains("--engine") && complaint.contains("--priority speed"), "\(complaint)")
    }

    @Test(arguments: [
        ([AudioGap.Cause.overrun], "0.4 s of audio were lost, so words may be missing."),
        ([.engineFailed, .notKept], "0.8 s of audio were lost, so words may be missing."),
        ([.engineBehind, .overrun], "missed 0.4 s of audio; 0.4 s more were lost for other reasons."),
        ([], "The engine did not finish in time"),
    ])
    func theLengthOfEachLossIsGiven(_ causes: [AudioGap.Cause], _ expected: String) throws {
        let gaps = causes.enumerated().map { gap($1, from: Double($0), 0.4) }
        let complaint = try #require(Transcript(gaps: gaps, isComplete: false).complaint)
        #expect(complaint.contains(expected), "\(complaint)")
    }

    @Test func anAbsentMicrophoneIsToldOfThoughAllItsAudioBecameText() {
        let complaint = Transcript(gaps: [gap(.unplugged, 3), gap(.suspended, from: 5, 0.5)]).complaint
        #expect(complaint == "The microphone was away for 3.5 s, so words may be missing.")
    }

    @Test func aCompleteTranscriptHasNothingToComplainAbout() { #expect(Transcript().complaint == nil) }
}
