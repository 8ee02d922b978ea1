#if SherpaOnnx
    import DictationCore
    import DictationEngines
    import DictationTesting
    import Testing

    @Suite struct SherpaDictationTests {
        @Test(arguments: [("greedy_search", RecognitionOptions.Priority.speed), ("modified_beam_search", .accuracy)])
        func theTextIsThatOfTheCAPI(_ method: String, _ priority: RecognitionOptions.Priority) async throws {
            let engine = try SherpaFixtures.engine(SherpaFixtures.plain)
            var options = RecognitionOptions.fileTranscription()
            options.priority = priority
            for recording in try SherpaFixtures.recordings() where recording.kind != "long" {
                let samples = try SherpaFixtures.samples(recording.name)
                let text = try await engine.text(samples.buffers(), options)
                #expect(try text == SherpaReference.text(samples, method: method), "\(recording.name)")
                #expect(!text.isEmpty)
            }
        }

        @Test(arguments: [1, 37, 160, 5_119, 1_000_000], [false, true])
        func howAudioIsCutDoesNotChangeTheText(_ frames: Int, _ isLive: Bool) async throws {
            let engine = try SherpaFixtures.engine()
            var samples = try SherpaFixtures.samples("mfa-ipa_us_2")
            if isLive { samples += Array(repeating: 0, count: 32_000) + samples }
            let options: RecognitionOptions = isLive ? .liveDictation() : .fileTranscription()
            let cut = try await engine.results(samples.buffers(of: frames), options).filter(\.isFinal)
            let whole = try await engine.results(samples.buffers(), options).filter(\.isFinal)
            #expect(cut == whole)
            #expect(whole.contains { !$0.text.isEmpty })
        }

        @Test func aPauseMakesTextFinalWhileMoreIsSaid() async throws {
            let engine = try SherpaFixtures.engine()
            let jfk = try SherpaFixtures.samples("jfk")
            let pause = Array(repeating: Int16(0), count: 32_000)
            let results = try await engine.results((jfk + pause + jfk).buffers(), .liveDictation())
            let finals = results.filter { $0.isFinal && !$0.text.isEmpty }
            #expect(finals.count >= 2)
            let second = try #require(finals.first { $0.range.lowerBound > .seconds(12) })
            #expect(second.range.lowerBound > .seconds(13))
            for result in results where !result.isFinal {
                #expect(result.status != .volatile || result.range.lowerBound >= result.finalizedThrough)
            }
        }

        @Test func volatileTextNeverShowsHalfAWordAndMostlyGrows() async throws {
            let engine = try SherpaFixtures.engine()
            var shown = 0
            var broken = 0
            for name in ["jfk", "ls-kws0", "lj-LJ001-0001", "lj-LJ001-0003", "ls-kws1"] {
                var options = RecognitionOptions.liveDictation()
                options.priority = .speed
                let results = try await engine.results(SherpaFixtures.samples(name).buffers(), options)
                let words = Set(
                    results.filter(\.isFinal).flatMap { $0.text.lowercased().split(separator: " ").map(String.init) })
                for result in results where result.status == .volatile {
                    let last = try #require(result.text.lowercased().split(separator: " ").last.map(String.init))
                    shown += 1
                    if !words.contains(last) { broken += 1 }
                }
            }
            #expect(shown > 50)
            #expect(broken * 100 <= shown, "\(broken) of \(shown) volatile texts ended in half a word")
        }

        @Test func wordsHaveTimesAndConfidence() async throws {
            let engine = try SherpaFixtures.engine()
            var options = RecognitionOptions.timedTranscription()
            options.wordConfidence = true
            let samples = try SherpaFixtures.samples("jfk")
            let results = try await engine.results(samples.buffers(), options)
            let final = try #require(results.first { !$0.text.isEmpty })
            #expect(final.words.map(\.text).joined(separator: " ") == final.text)
            var last = Duration.zero
            for word in final.words {
                let range = try #require(word.range)
                #expect(range.lowerBound >= last && !range.isEmpty)
                last = range.upperBound
                let confidence = try #require(word.confidence)
                #expect((0...1).contains(confidence))
            }
            // He says "ask not" after 3.2 s and the second "ask" after 8 s.
            let asks = final.words.filter { $0.text.hasPrefix("ask") }.compactMap { $0.range?.lowerBound }
            #expect(asks.count == 2)
            #expect(asks.first.map { ($0 - .seconds(3.5)) < .milliseconds(500) } == true)
            #expect(asks.last.map { ($0 - .seconds(8.3)) < .milliseconds(500) } == true)
        }

        @Test(arguments: [
            (SherpaOnnxConfiguration.TextCase.sentence, "And so my"), (.lower, "and so my"), (.asModel, "AND SO MY"),
        ])
        func textIsInTheCaseAskedFor(_ textCase: SherpaOnnxConfiguration.TextCase, _ beginning: String) async throws {
            var configuration = SherpaOnnxConfiguration()
            configuration.textCase = textCase
            let engine = try SherpaFixtures.engine(configuration)
            let text = try await engine.text(SherpaFixtures.samples("jfk").buffers(), .fileTranscription())
            #expect(text.hasPrefix(beginning))
        }

        @Test func aCutOffEndStillGivesTheLastWord() async throws {
            let engine = try SherpaFixtures.engine()
            let samples = try SherpaFixtures.samples("jfk").prefix(168_500)
            let text = try await engine.text(Array(samples).buffers(), .fileTranscription())
            #expect(text.hasSuffix("country"))
        }

        @Test func timesGoOnAcrossGaps() async throws {
            let engine = try SherpaFixtures.engine()
            let samples = try SherpaFixtures.samples("mfa-ipa_us_2")
            for gap in [Duration.milliseconds(400), .seconds(600)] {
                let start = AudioFormat.speech.duration(ofFrames: Int64(samples.count)) + gap
                let buffers = samples.buffers() + samples.buffers(from: start)
                let results = try await engine.results(buffers, .timedTranscription())
                let words = results.flatMap(\.words)
                let second = words.compactMap { $0.range?.lowerBound }.filter { $0 >= start - .milliseconds(100) }
                #expect(second.count >= words.count / 2 - 1)
                #expect(results.last?.finalizedThrough == buffers.last?.end)
            }
        }

        @Test func makingEverythingFinalLetsMoreBeSaid() async throws {
            let engine = try SherpaFixtures.engine()
            let samples = try SherpaFixtures.samples("jfk")
            let session = try await engine.makeSession(.fileTranscription())
            try session.start(AudioInput(samples.buffers()))
            #expect(try await session.finalize(through: .seconds(3)) == .complete)
            #expect(try await session.finish() == .complete)
            var texts: [String] = []
            for try await result in session.results where !result.text.isEmpty {
                texts.append(result.text.lowercased())
            }
            #expect(texts.count >= 2)
            #expect(texts.joined(separator: " ").contains("fellow american"))
            #expect(texts.joined(separator: " ").hasSuffix("for your country"))
        }

        @Test func whatItCannotDoIsRefused() async throws {
            let engine = try SherpaFixtures.engine()
            var options = RecognitionOptions(maximumAlternatives: 3)
            await #expect(throws: DictationError.self) { try await engine.makeSession(options) }
            options = RecognitionOptions(locale: "de-DE")
            await #expect { try await engine.makeSession(options) } throws: {
                ($0 as? DictationError)?.code == .unsupportedLocale
            }
            options = .commands(Grammar(jsgf: "#JSGF V1.0; grammar g; public <a> = yes;"))
            await #expect { try await engine.makeSession(options) } throws: {
                ($0 as? DictationError)?.code == .unsupportedOption
            }
        }

        @Test(arguments: [0, 3, 30, 300], [RecognitionOptions.Priority.balanced, .accuracy])
        func silenceAndSteadyNoiseGiveNoText(
            _ amplitude: Int16, _ priority: RecognitionOptions.Priority
        ) async throws {
            let engine = try SherpaFixtures.engine()
            var random = SplitMix64(seed: 7)
            let noise = (0..<160_000).map { _ in Int16.random(in: -amplitude...amplitude, using: &random) }
            var options = RecognitionOptions.liveDictation()
            options.priority = priority
            let results = try await engine.results(noise.buffers(), options)
            #expect(results.allSatisfy { $0.text.isEmpty && $0.isFinal })
            #expect(results.last?.finalizedThrough == .seconds(10))
        }
    }
#endif
