import DictationCore
import DictationEngines
import DictationTesting
import Testing

@Suite struct SherpaDictationTests {

    @Test func aPauseMakesTextFinalWhileMoreIsSaid() async throws {
        let engine = try SherpaFixtures.engine()
        let jfk = try SherpaFixtures.samples("jfk")
        let pause = Array(repeating: Int16(0), count: 32_000)
        let results = try await engine.results((jfk + pause + jfk).buffers(), .liveDictation())
        let finals = results.finals
        #expect(finals.count >= 2)
        let second = try #require(finals.first { $0.range.lowerBound > .seconds(12) })
        #expect(second.range.lowerBound > .seconds(13))
        for (index, update) in results.enumerated() {
            guard case .volatile(let result) = update else { continue }
            #expect(result.range.lowerBound >= results[..<index].compactMap(\.finalizedThrough).max() ?? .zero)
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
                results.finals.flatMap { $0.text.lowercased().split(separator: " ").map(String.init) })
            for result in results.volatiles {
                let last = try #require(result.text.lowercased().split(separator: " ").last.map(String.init))
                shown += 1
                if !words.contains(last) { broken += 1 }
            }
        }
        #expect(shown > 50)
        print("\(broken) of \(shown) volatile texts end in a word that does not stay")
        #expect(broken * 20 <= shown)
    }

    @Test func wordsHaveTimesAndConfidence() async throws {
        let engine = try SherpaFixtures.engine()
        var options = RecognitionOptions.timedTranscription()
        options.wordConfidence = true
        let samples = try SherpaFixtures.samples("jfk")
        let results = try await engine.results(samples.buffers(), options)
        let final = try #require(results.finals.first)
        #expect(final.words.map(\.text).joined(separator: " ") == final.text)
        var last = Duration.zero
        for word in final.words {
            let range = try #require(word.range)
            #expect(range.lowerBound >= last && !range.isEmpty)
            last = range.upperBound
            let confidence = try #require(word.confidence)
            #expect((0...1).contains(confidence))
        }
    }

    /// Where each of these words begins in the recording, in seconds. Two of them may be misheard.
    @Test func wordsAreWhereTheyAreSaid() async throws {
        let said: [(word: String, seconds: Double)] = [
            ("so", 0.9), ("my", 1.3), ("ask", 3.5), ("not", 4.3), ("what", 5.5), ("can", 6.7), ("ask", 8.3),
            ("what", 8.8), ("can", 9.4), ("for", 9.9), ("country", 10.3),
        ]
        let results = try await SherpaFixtures.engine().results(
            SherpaFixtures.samples("jfk").buffers(), .timedTranscription())
        let words = results.finals.flatMap(\.words)
        let found = said.filter { said in
            words.contains {
                guard $0.text.lowercased() == said.word, let start = $0.range?.lowerBound else { return false }
                return abs(start / .seconds(1) - said.seconds) < 0.5
            }
        }
        #expect(found.count >= said.count - 2, "\(words.map { "\($0.text) \(String(describing: $0.range))" })")
    }

    @Test func textIsInTheCaseAskedFor() async throws {
        let audio = try SherpaFixtures.samples("lj-LJ001-0002").buffers()
        func text(_ textCase: RecognitionOptions.TextCase) async throws -> String {
            var configuration = SherpaOnnxEngine.Configuration()
            configuration.textCase = textCase
            return try await SherpaFixtures.engine(configuration).text(audio, .fileTranscription())
        }
        let lower = try await text(.lower)
        #expect(lower == lower.lowercased() && lower.contains(where: \.isLetter))
        #expect(try await text(.asModel) == lower.uppercased())
        #expect(try await text(.sentence) == lower.prefix(1).uppercased() + lower.dropFirst())
    }

    /// Cut off right after the speech, without the silence in which the model hears its end.
    @Test func aCutOffEndStillGivesTheLastWord() async throws {
        let engine = try SherpaFixtures.engine()
        let recordings = try SherpaFixtures.recordings().filter { $0.kind == "read" }
        var lost: [String] = []
        for recording in recordings {
            let samples = try SherpaFixtures.samples(recording.name)
            let end = try #require(samples.lastIndex { abs(Int($0)) > 500 })
            let text = try await engine.text(samples[...end].map { $0 }.buffers(), .fileTranscription())
            if WordErrorCount.words(text).last != WordErrorCount.words(recording.transcript).last {
                lost.append("\(recording.name): \(text)")
            }
        }
        print("\(lost.count) of \(recordings.count) last words are lost: \(lost)")
        #expect(lost.count * 3 < recordings.count)
    }

    @Test func timesGoOnAcrossGaps() async throws {
        let engine = try SherpaFixtures.engine()
        let samples = try SherpaFixtures.samples("mfa-ipa_us_2")
        for gap in [Duration.milliseconds(400), .seconds(600)] {
            let start = AudioFormat.speech.duration(ofFrames: Int64(samples.count)) + gap
            let buffers = samples.buffers() + samples.buffers(from: start)
            let results = try await engine.results(buffers, .timedTranscription())
            let words = results.finals.flatMap(\.words)
            let second = words.compactMap { $0.range?.lowerBound }.filter { $0 >= start - .milliseconds(100) }
            #expect(second.count >= words.count / 2 - 1)
            #expect(results.finalizedThrough == buffers.last?.end)
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
        for try await case .final(let result) in session.results {
            texts.append(result.text.lowercased())
        }
        #expect(texts.count >= 2)
        let transcript = try #require(SherpaFixtures.recordings().first { $0.name == "jfk" }).transcript
        #expect(WordErrorCount(texts.joined(separator: " "), reference: transcript).rate < 0.25, "\(texts)")
    }

    @Test func whatItCannotDoIsRefused() async throws {
        let engine = try SherpaFixtures.engine()
        var options = RecognitionOptions(maximumAlternatives: 3)
        await #expect(throws: DictationError.self) { try await engine.makeSession(options) }
        options = RecognitionOptions(locale: "de-DE")
        await #expect { try await engine.makeSession(options) } throws: {
            ($0 as? DictationError)?.code == .unsupportedLocale
        }
        options = .commands(RecognitionTask.Grammar(jsgf: "#JSGF V1.0; grammar g; public <a> = yes;"))
        await #expect { try await engine.makeSession(options) } throws: {
            ($0 as? DictationError)?.code == .unsupportedOption
        }
    }

}
