#if PocketSphinx
import DictationCore
import DictationEngines
import DictationTesting
import Foundation
import Synchronization
import Testing

@Suite(.serialized) struct SphinxDictationTests {
    let engine = Sphinx.engine

    @Test func aSentenceIsUnderstood() async throws {
        let text = try await engine.text(buffers(Speech.goForward.samples()), Sphinx.options())
        #expect(text == Speech.goForward.text)
    }

    @Test func textIsShownBeforeItIsFinal() async throws {
        let results = try await engine.results(
            buffers(Speech.dashwood.samples()), Sphinx.options { $0.volatileResults = true })
        let first = try #require(results.volatiles.first)
        #expect(!first.text.isEmpty)
        #expect(first.range.upperBound < .seconds(2))
        #expect(results.volatiles.count > 10)
        #expect(results.last?.finalizedThrough != nil)
    }

    // MARK: Times

    @Test func wordTimesAreRightAcrossAGapInTheAudio() async throws {
        let sentence = quiet(1) + (try Speech.goForward.samples()) + quiet(1)
        let alone = try await Sphinx.wordsAlone(.goForward)
        let later = Duration.seconds(3_600)
        let words = try await engine.results(
            buffers(sentence) + buffers(sentence, at: later), Sphinx.options { $0.wordTimes = true }
        ).words
        #expect(words.count == 2 * alone.count)
        for (word, reference) in zip(words.dropFirst(alone.count), alone) {
            let range = try #require(word.range)
            let expected = try #require(reference.range)
            #expect(Sphinx.isNear(range.lowerBound, expected.lowerBound + later), "\(word)")
        }
    }

    // MARK: Extras

    @Test func confidencesAreGivenWhereThereAreAny() async throws {
        let results = try await engine.results(
            buffers(Speech.unless.samples()), Sphinx.options { $0.wordConfidence = true })
        let confidences = results.words.map(\.confidence)
        #expect(!confidences.isEmpty)
        #expect(confidences.allSatisfy { $0.map { (0...1).contains($0) } ?? false })
        #expect(Set(confidences.compactMap { $0 }).count > 1)
        let without = try await engine.results(
            buffers(Speech.unless.samples()), Sphinx.options { $0.wordTimes = true })
        #expect(without.words.allSatisfy { $0.confidence == nil })
    }

    @Test func otherReadingsAreGiven() async throws {
        let results = try await engine.results(
            buffers(Speech.unless.samples()), Sphinx.options { $0.maximumAlternatives = 4 })
        let final = try #require(results.finals.first)
        #expect(final.alternatives.count == 4)
        #expect(Set(final.alternatives.map(\.text)).count == 4)
        #expect(!final.alternatives.contains { $0.text == final.text || $0.text.isEmpty })
    }

    @Test func silenceHasNoTextAndNoError() async throws {
        let results = try await engine.results(
            buffers(quiet(5)), Sphinx.options { $0.wordConfidence = true })
        #expect(results.heardText == "")
        #expect(results.finalizedThrough == .seconds(5))
    }

    @Test(arguments: [0, 1, 100, 400, 1_000, 4_000]) func veryShortAudioIsHarmless(count: Int) async throws {
        let samples = Array(try Speech.goForward.samples()[12_000..<(12_000 + count)])
        _ = try await engine.text(buffers(samples), Sphinx.options { $0.volatileResults = true })
    }

    /// The input ends only after the silence is final.
    @Test(.timeLimit(.minutes(2))) func silenceIsFinalWhileNobodySpeaks() async throws {
        let session = try await engine.makeSession(Sphinx.options())
        let isFinal = Watched(false)
        try session.start(AudioInput(buffers(quiet(10)), waitingAt: .seconds(9), for: isFinal))
        async let completion = session.finish()
        for try await update in session.results {
            if let end = update.finalizedThrough, end >= .seconds(7) { isFinal.change { $0 = true } }
        }
        _ = try await completion
    }

    // MARK: Recordings

    @Test func aCancelledTranscriptionEnds() async throws {
        let samples = try Speech.all.flatMap { try quiet(0.7) + $0.samples() }
        let work = Task { () -> DictationError? in
            do throws(DictationError) {
                try await Sphinx.engine.transcribe(
                    AudioInput(buffers(samples)), options: Sphinx.options(), workers: 2, into: ResultSink { _ in })
                return nil
            } catch { return error }
        }
        work.cancel()
        #expect(await work.value?.code == .cancelled)
    }

    // MARK: Errors

    @Test func aLocaleWithoutAModelIsRefused() async throws {
        await #expect { try await engine.makeSession(Sphinx.options { $0.locale = "de-DE" }) } throws: {
            ($0 as? DictationError)?.code == .unsupportedLocale
        }
    }
}
#endif
