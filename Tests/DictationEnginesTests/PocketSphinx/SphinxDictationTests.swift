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

    @Test func theEngineKeepsTheContract() async throws {
        let audio = buffers(try Speech.ill.samples() + quiet(1))
        let report = try await EngineConformance(
            engine, audio: audio, options: Sphinx.options { $0.volatileResults = true }, responseTimeout: .seconds(60)
        ).run()
        #expect(report.conforms, "\(report)")
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

    @Test func aSessionStartsAfreshWhateverWasHeardBefore() async throws {
        let audio = buffers(try Speech.unless.samples())
        let options = Sphinx.options { $0.volatileResults = true }
        let engine = PocketSphinxEngine(retention: .processLifetime)
        let first = try await engine.results(audio, options)
        for other in Speech.cards.prefix(2) { _ = try await engine.text(buffers(other.samples()), options) }
        #expect(try await engine.results(audio, options).finals == first.finals)
    }

    // MARK: Times

    /// The times of the words of a sentence, alone.
    private func timesAlone(_ speech: Speech) async throws -> [SpeechResult.Word] {
        try await engine.results(
            buffers(quiet(1) + speech.samples() + quiet(1)), Sphinx.options { $0.wordTimes = true }
        ).words
    }

    private func isNear(_ a: Duration, _ b: Duration) -> Bool { abs((a - b) / .milliseconds(1)) <= 50 }

    @Test(arguments: [2.0, 20.0]) func wordTimesAreRightAcrossPauses(pause: Double) async throws {
        let sentence = quiet(1) + (try Speech.goForward.samples()) + quiet(1)
        let alone = try await timesAlone(.goForward)
        let twice = try await engine.results(
            buffers(sentence + quiet(pause) + sentence), Sphinx.options { $0.wordTimes = true }
        ).words
        let offset = AudioFormat.speech.duration(ofFrames: Int64(sentence.count + quiet(pause).count))
        #expect(twice.map(\.text) == alone.map(\.text) + alone.map(\.text))
        for (word, reference) in zip(twice.dropFirst(alone.count), alone) {
            let range = try #require(word.range)
            let expected = try #require(reference.range)
            #expect(isNear(range.lowerBound, expected.lowerBound + offset), "\(word)")
            #expect(isNear(range.upperBound, expected.upperBound + offset), "\(word)")
        }
    }

    @Test func wordTimesAreRightAcrossAGapInTheAudio() async throws {
        let sentence = quiet(1) + (try Speech.goForward.samples()) + quiet(1)
        let alone = try await timesAlone(.goForward)
        let later = Duration.seconds(3_600)
        let words = try await engine.results(
            buffers(sentence) + buffers(sentence, at: later), Sphinx.options { $0.wordTimes = true }
        ).words
        #expect(words.count == 2 * alone.count)
        for (word, reference) in zip(words.dropFirst(alone.count), alone) {
            let range = try #require(word.range)
            let expected = try #require(reference.range)
            #expect(isNear(range.lowerBound, expected.lowerBound + later), "\(word)")
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

    @Test func silenceIsFinalWhileNobodySpeaks() async throws {
        let session = try await engine.makeSession(Sphinx.options())
        try session.start(AudioInput(buffers(quiet(10))))
        var seen: [Duration] = []
        async let completion = session.finish()
        for try await update in session.results { update.finalizedThrough.map { seen.append($0) } }
        _ = try await completion
        #expect(seen.count >= 8)
    }

    @Test func aLongStretchIsCutBetweenWords() async throws {
        // Three sentences without the pauses between them make one that is longer than an utterance may be.
        let parts = [Speech.dashwood, .married, .unless, .dashwood]
        let joined = try parts.flatMap { try $0.loudSamples() }
        #expect(joined.count > 16 * 16_000)
        let finals = try await engine.results(buffers(joined), Sphinx.options { $0.wordTimes = true }).finals
        #expect(finals.count > 1)
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
