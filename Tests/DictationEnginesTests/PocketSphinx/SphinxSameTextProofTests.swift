#if PocketSphinx
import DictationCore
import DictationEngines
import Synchronization
import Testing

/// The same text however the audio comes. These tests decode much speech, so they are not part of everyday runs.
@Suite(.serialized) struct SphinxSameTextProofTests {
    let engine = Sphinx.engine

    @Test(arguments: [true, false]) func howTheAudioIsCutMakesNoDifference(isLive: Bool) async throws {
        // The first sentence is long enough to be decoded again in its middle.
        let samples = try Speech.dashwood.samples() + quiet(1) + Speech.cards[3].samples()
        let options = Sphinx.options {
            $0.volatileResults = isLive
            $0.wordTimes = true
        }
        let expected = try await engine.results(buffers(samples), options).finals
        #expect(expected.count > 1)
        for length in [1, 1_037, 1_000_000] {
            #expect(try await engine.results(buffers(samples, of: length), options).finals == expected, "\(length)")
        }
    }

    @Test(arguments: [1, 3]) func anyNumberOfWorkersGivesTheSameText(workers: Int) async throws {
        let samples = try ([Speech.goForward] + Speech.cards).flatMap { try quiet(0.7) + $0.samples() }
        var options = Sphinx.options()
        options.wordTimes = true
        let expected = try await engine.results(buffers(samples), options).finals
        let found = Mutex<[SpeechUpdate]>([])
        try await engine.transcribe(
            AudioInput(buffers(samples)), options: options, workers: workers,
            into: ResultSink { update in found.withLock { $0.append(update) } })
        let results = found.withLock { $0 }
        #expect(results.finals.map(\.text) == expected.map(\.text))
        #expect(results.finals.map(\.words) == expected.map(\.words))
        let progress = results.compactMap(\.finalizedThrough)
        #expect(progress == progress.sorted())
        #expect(progress.last == AudioFormat.speech.duration(ofFrames: Int64(samples.count)))
    }
}
#endif
