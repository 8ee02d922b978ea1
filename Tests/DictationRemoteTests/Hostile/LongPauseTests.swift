#if Remote
import DictationCore
import TestSupport
import Testing

@testable import DictationRemote

/// Live audio with long pauses, as silence and as gaps.
@Suite(.timeLimit(.minutes(4))) struct LongPauseTests {
    @Test(arguments: RemoteKind.allCases) func minutesOfSilenceAndHoursWithoutAudio(_ kind: RemoteKind) async throws {
        let server = try kind.startServer()
        var buffers = CodedSpeech.buffers(words: 1..<4)
        for second in 2..<62 {
            buffers.append(AudioBuffer(silence: 16_000, format: .speech, start: .seconds(second)))
        }
        buffers += CodedSpeech.buffers(words: 4..<7, from: .seconds(100))
        buffers += CodedSpeech.buffers(words: 7..<9, from: .seconds(3 * 3_600))
        var options = kind.options
        options.wordTimes = kind == .sherpa || kind == .vosk
        let heard = await hear(buffers, with: try kind.engine(server.port), options)
        #expect(heard.text == CodedSpeech.text(1..<9) && heard.error == nil, "\(heard)")
        #expect(heard.brokenPromises(end: buffers.last?.end ?? .zero) == [])
        #expect(heard.finals.last?.range.lowerBound ?? .zero >= .seconds(3 * 3_600 - 3))
        guard options.wordTimes else { return }
        let starts = heard.finals.flatMap(\.words).map { $0.range?.lowerBound }
        #expect(starts == [0, 400, 800, 100_000, 100_400, 100_800, 10_800_000, 10_800_400].map { .milliseconds($0) })
    }
}
#endif
