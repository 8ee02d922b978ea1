import DictationCore
import Testing

@testable import DictationEngines

@Suite struct SherpaPhraseTests {
    /// What the sentencepiece library makes of them with the same file.
    @Test(arguments: [
        ("light up", "▁ L IGHT ▁UP"), ("HELLO", "▁HE LL O"), ("  the   public ", "▁THE ▁PUBLIC"),
        ("lovely child", "▁LOVE LY ▁CHI L D"), ("Gutenberg", "▁GU T EN BER G"),
        ("it’s forever", "▁IT ' S ▁FOR E VER"),
        ("antidisestablishmentarianism", "▁AN TI DI S EST A B L ISH MENT AR IAN IS M"), ("zxqj", "▁ Z X Q J"),
    ])
    func phrasesAreCutIntoTheLikeliestPieces(_ phrase: String, _ pieces: String) throws {
        let model = try SherpaOnnxEngine.Model(folder: SherpaFixtures.modelFolder())
        #expect(model.pieces?.encode(phrase)?.joined(separator: " ") == pieces)
    }

    @Test func aWeightOfNoneChangesNothing() async throws {
        let samples = try SherpaFixtures.samples("lj-LJ001-0010").buffers()
        let engine = try SherpaFixtures.engine()
        var options = RecognitionOptions.fileTranscription()
        let without = try await engine.text(samples, options)
        options.contextualStrings = [RecognitionOptions.ContextualString("letterpress", weight: 0)]
        #expect(try await engine.text(samples, options) == without)
    }

    @Test(arguments: ["漢字", "C3PO", "a/b", ":2.0", "", "   ", "naïve"])
    func aContextualStringThatCannotBeSpelledThrows(_ text: String) async throws {
        let engine = try SherpaFixtures.engine()
        var options = RecognitionOptions.liveDictation()
        options.contextualStrings = ["fine", RecognitionOptions.ContextualString(text)]
        await #expect { try await engine.makeSession(options) } throws: {
            ($0 as? DictationError)?.code == .invalidInput
        }
    }

    @Test func weightsAndPronunciationsThatMakeNoSenseThrow() async throws {
        let engine = try SherpaFixtures.engine()
        for string in [
            RecognitionOptions.ContextualString("fine", weight: -1),
            RecognitionOptions.ContextualString("fine", weight: .nan),
            RecognitionOptions.ContextualString("fine", weight: .infinity),
            RecognitionOptions.ContextualString("fine", pronunciation: "F AY N"),
        ] {
            let options = RecognitionOptions(contextualStrings: [string])
            await #expect(throws: DictationError.self) { try await engine.makeSession(options) }
        }
    }

    @Test func severalKeyphrasesAreSpottedWhereTheyAreSaid() async throws {
        let engine = try SherpaFixtures.engine()
        let phrases = ["light up", "lovely child", "hello computer", "forever"]
        let options = RecognitionOptions.wakeWords(phrases.map { RecognitionTask.Keyphrase($0, sensitivity: 0.8) })
        let pause = Array(repeating: Int16(0), count: 16_000)
        let samples = try SherpaFixtures.samples("ls-kws0") + pause + SherpaFixtures.samples("ls-kws1") + pause
        let twice = try (samples + SherpaFixtures.samples("ls-kws0")).buffers()
        let results = try await engine.results(twice, options)
        let spotted = results.finals
        #expect(spotted.filter { $0.text == "light up" }.count == 2)
        #expect(spotted.filter { $0.text == "lovely child" }.count == 1)
        #expect(!spotted.contains { $0.text == "hello computer" })
        // The recording says "would light up here" at about 3 s, and the second time 25.3 s later.
        let lights = spotted.filter { $0.text == "light up" }.map(\.range.lowerBound)
        let apart = try #require(lights.last) - (try #require(lights.first))
        let expected = AudioFormat.speech.duration(ofFrames: Int64(samples.count))
        #expect(abs((apart - expected) / .seconds(1)) < 0.15)
        #expect((Duration.seconds(2)..<Duration.seconds(4)).contains(try #require(lights.first)))
        #expect(results.finalizedThrough == twice.last?.end)
    }

    @Test func aRecordingIsSearchedForKeyphrasesWithAnyNumberOfWorkers() async throws {
        let engine = try SherpaFixtures.engine()
        let buffers = try SherpaFixtures.samples("ls-kws0").buffers()
        let options = RecognitionOptions.wakeWords([RecognitionTask.Keyphrase("light up", sensitivity: 0.8)])
        for workers in [1, 3] {
            let spotted = Watched<[String]>([])
            let sink = ResultSink { update in
                if let result = update.finalResult { spotted.change { $0.append(result.text) } }
            }
            try await engine.transcribe(AudioInput(buffers), options: options, workers: workers, into: sink)
            #expect(spotted.value == ["light up"])
        }
    }

    @Test func aThresholdDecidesHowReadilyAPhraseIsTaken() async throws {
        let engine = try SherpaFixtures.engine()
        let samples = try SherpaFixtures.samples("ls-kws0").buffers()
        var counts: [Int] = []
        for sensitivity in [0, 0.5, 1] {
            let options = RecognitionOptions.wakeWords([RecognitionTask.Keyphrase("light up", sensitivity: sensitivity)]
            )
            counts.append(try await engine.results(samples, options).finals.count)
        }
        #expect(counts == counts.sorted())
        #expect(counts.first == 0)
        #expect(counts.last == 1)
    }

    @Test(arguments: [[], ["漢字"], ["fine", "R2D2"], [""]])
    func keyphrasesThatCannotBeSpelledThrow(_ phrases: [String]) async throws {
        let engine = try SherpaFixtures.engine()
        let options = RecognitionOptions.wakeWords(phrases.map { RecognitionTask.Keyphrase($0) })
        await #expect { try await engine.makeSession(options) } throws: {
            ($0 as? DictationError)?.code == .invalidInput
        }
        let wild = RecognitionOptions.wakeWords([RecognitionTask.Keyphrase("fine", sensitivity: .nan)])
        await #expect(throws: DictationError.self) { try await engine.makeSession(wild) }
    }
}

extension SherpaPhraseTests {
    /// What takes too long for everyday runs.
    @Suite struct ProofTests {
        /// Which words are missed depends on the processor, so the strings are the words that this one misses. Without
        /// them none of the words comes out; with them more than half do, and a third is enough here.
        @Test func contextualStringsBringOutWhatWasSaid() async throws {
            let engine = try SherpaFixtures.engine()
            var options = RecognitionOptions.fileTranscription(), missedCount = 0, foundCount = 0
            for recording in try SherpaFixtures.recordings() where ["read", "noisy"].contains(recording.kind) {
                let audio = try SherpaFixtures.samples(recording.name).buffers()
                options.contextualStrings = []
                let without = try await engine.text(audio, options)
                let missed = Set(WordErrorCount.words(recording.transcript)).subtracting(WordErrorCount.words(without))
                options.contextualStrings = missed.sorted().map { RecognitionOptions.ContextualString($0, weight: 2) }
                let with = try await engine.text(audio, options)
                missedCount += missed.count
                foundCount += missed.intersection(WordErrorCount.words(with)).count
            }
            print("\(foundCount) of \(missedCount) missed words come out as contextual strings")
            #expect(missedCount > 0)
            #expect(foundCount * 3 >= missedCount)
        }
    }
}
