#if PocketSphinx
import DictationCore
import DictationTesting
import Foundation
import Synchronization
import Testing

@testable import DictationEngines

/// What takes much decoding to show, so it is not part of everyday runs.
@Suite(.serialized) struct SphinxDictationProofTests {
    let engine = Sphinx.engine

    @Test func theEngineKeepsTheContract() async throws {
        let audio = buffers(try Speech.ill.samples() + quiet(1))
        let report = try await EngineConformance(
            engine, audio: audio, options: Sphinx.options { $0.volatileResults = true }, responseTimeout: .seconds(60)
        ).run()
        #expect(report.conforms, "\(report)")
    }

    @Test func aSessionStartsAfreshWhateverWasHeardBefore() async throws {
        let audio = buffers(try Speech.unless.samples())
        let options = Sphinx.options { $0.volatileResults = true }
        let engine = PocketSphinxEngine(retention: .processLifetime)
        let first = try await engine.results(audio, options)
        for other in Speech.cards.prefix(2) { _ = try await engine.text(buffers(other.samples()), options) }
        #expect(try await engine.results(audio, options).finals == first.finals)
    }

    @Test(arguments: [2.0, 20.0]) func wordTimesAreRightAcrossPauses(pause: Double) async throws {
        let sentence = quiet(1) + (try Speech.goForward.samples()) + quiet(1)
        let alone = try await Sphinx.wordsAlone(.goForward)
        let twice = try await engine.results(
            buffers(sentence + quiet(pause) + sentence), Sphinx.options { $0.wordTimes = true }
        ).words
        let offset = AudioFormat.speech.duration(ofFrames: Int64(sentence.count + quiet(pause).count))
        #expect(twice.map(\.text) == alone.map(\.text) + alone.map(\.text))
        for (word, reference) in zip(twice.dropFirst(alone.count), alone) {
            let range = try #require(word.range)
            let expected = try #require(reference.range)
            #expect(Sphinx.isNear(range.lowerBound, expected.lowerBound + offset), "\(word)")
            #expect(Sphinx.isNear(range.upperBound, expected.upperBound + offset), "\(word)")
        }
    }

    @Test func liveSpeechWithoutPausesIsDecodedLittleMoreThanOnce() async throws {
        let parts = [Speech.dashwood, .married, .unless, .dashwood, .married, .unless]
        let joined = try parts.flatMap { try $0.loudSamples() }
        let options = Sphinx.options { $0.volatileResults = true }
        let plan = try SphinxPlan(options, model: Sphinx.model())
        var stream = try SphinxStream(plan, pool: SphinxPool(retention: .processLifetime))
        let found = Mutex<[SpeechResult]>([])
        let results = ResultSink { update in
            if let result = update.finalResult { found.withLock { $0.append(result) } }
        }
        for buffer in buffers(joined) { try await stream.decode(buffer, into: results) }
        try await stream.finalize(into: results)
        let finals = found.withLock(\.self)
        #expect(finals.count > 2 && finals.dropLast().allSatisfy { $0.endsInSpeech })
        let frames = joined.count / 160
        print("\(stream.decodedFrames) frames were decoded of \(frames)")
        #expect(stream.decodedFrames * 10 <= frames * 18)
        // No word is lost or doubled at the cuts.
        let whole = try await engine.text(buffers(joined), Sphinx.options())
        let said = parts.map(\.text).joined(separator: " ")
        let (errors, others) = (
            WordErrorCount(finals.map(\.text).joined(separator: " "), reference: said),
            WordErrorCount(whole, reference: said)
        )
        print("live: \(errors); as a recording: \(others)")
        #expect(errors.count <= others.count + 8)
    }

    @Test func aKeyphraseInLongSpeechIsFoundOnce() async throws {
        let talk = try [Speech.dashwood, .married, .unless].flatMap { try $0.loudSamples() }
        let phrase = try Speech.goForward.loudSamples()
        let options = Sphinx.options {
            $0.task = .keyphrases([RecognitionTask.Keyphrase("go forward", sensitivity: 0.5)])
        }
        for first in [0, 8, 11] {
            let samples = talk.prefix(first * 16_000) + phrase + talk.dropFirst(first * 16_000)
            #expect(samples.count > 16 * 16_000)
            let finals = try await engine.results(buffers(Array(samples) + quiet(1)), options).finals
            // Other words may sound like the phrase.
            let place = Duration.seconds(first)..<(.seconds(first) + .milliseconds(900))
            #expect(finals.count { $0.range.overlaps(place) } == 1, "\(finals)")
        }
    }

    @Test func aLongStretchIsCutBetweenWords() async throws {
        // Three sentences without the pauses between them make one that is longer than an utterance may be.
        let parts = [Speech.dashwood, .married, .unless, .dashwood]
        let joined = try parts.flatMap { try $0.loudSamples() }
        #expect(joined.count > 16 * 16_000)
        let finals = try await engine.results(buffers(joined), Sphinx.options { $0.wordTimes = true }).finals
        #expect(finals.count > 1)
        #expect(finals.dropLast().allSatisfy { $0.endsInSpeech } && finals.last?.endsInSpeech == false)
        for final in finals {
            #expect(final.range.upperBound - final.range.lowerBound <= .milliseconds(15_500))
        }
        // What is quiet is not the middle of a word.
        for final in finals.dropLast() {
            let cut = Int(AudioFormat.speech.frames(in: final.range.upperBound))
            let near = rms(joined[max(0, cut - 800)..<min(joined.count, cut + 800)])
            #expect(near < rms(joined[...]) / 2, "the cut at \(final.range.upperBound)")
        }
    }

    private func rms(_ samples: ArraySlice<Int16>) -> Double {
        (samples.reduce(0) { $0 + Double($1) * Double($1) } / Double(max(1, samples.count))).squareRoot()
    }
}
#endif
