import DictationCore
import Testing

@testable import DictateCommand

struct IncompleteTranscriptTests {
    private func transcript(_ causes: AudioGap.Cause...) -> Transcript {
        let gaps = causes.map { AudioGap(range: .seconds(1)..<(.seconds(2)), frameCount: 16_000, cause: $0) }
        return Transcript(gaps: gaps, isComplete: false)
    }

    @Test(arguments: [
        Transcript(isComplete: false),
        .init(gaps: [.init(range: .zero..<(.seconds(1)), frameCount: 1, cause: .engineBehind)]),
    ])
    func aSlowEngineComesWithAdvice(_ transcript: Transcript) throws {
        let complaint = try #require(transcript.complaint)
        #expect(complaint.contains("--engine") && !complaint.contains("--priority"), "\(complaint)")
    }

    @Test func anotherLossHasNoAdviceThatWouldNotHelp() throws {
        let complaint = try #require(transcript(.engineFailed, .unplugged).complaint)
        #expect(!complaint.contains("--priority"), "\(complaint)")
    }

    @Test func aCompleteTranscriptHasNothingToComplainAbout() { #expect(Transcript().complaint == nil) }
}
