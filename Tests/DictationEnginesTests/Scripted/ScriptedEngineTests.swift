import DictationCore
import DictationEngines
import DictationTesting
import Testing

private let goForward: ScriptedEngine.Script = [
    .volatile("go", at: .seconds(1)),
    .volatile("go four", at: .milliseconds(1_500)),
    .final("go forward", at: .seconds(2), alternatives: [.init("go four word", confidence: 0.2), .init("no")]),
    .volatile("ten", at: .seconds(3)),
    .revoke(at: .milliseconds(3_500)),
    .volatile("ten metres", at: .seconds(4)),
    .finalize(at: .milliseconds(4_500)),
]

@Suite struct ScriptedEngineTests {
    @Test func resultsComeAtTheirAudioTimes() async throws {
        try await VirtualTime.run { clock in
            let engine = ScriptedEngine(goForward)
            let session = try await engine.makeSession(.patient)
            let (feed, feeding) = (Watched(0), DictationRuntime.current)
            let pieces = silence(.seconds(5))
            try session.start(
                AudioInput {
                    var left = pieces[...]
                    return { () throws(DictationError) in
                        try? await feeding.sleep(.milliseconds(100))
                        feed.change { $0 += 1 }
                        return left.popFirst()
                    }
                })
            var seen: [(String, Duration)] = []
            for try await update in session.results {
                let what =
                    switch update {
                    case .volatile(let result): "volatile \(result.text)"
                    case .final(let result): "final \(result.text)"
                    case .revoked: "revoked"
                    case .finalized, .interrupted, .voice, .turnEnded: ""
                    }
                if !what.isEmpty { seen.append((what, clock.now.offset)) }
            }
            #expect(
                seen.map(\.0) == [
                    "volatile go", "volatile go four", "final go forward", "volatile ten", "revoked",
                    "volatile ten metres", "final ten metres",
                ])
            #expect(seen.map(\.1) == [1_000, 1_500, 2_000, 3_000, 3_500, 4_000, 4_500].map { .milliseconds($0) })
        }
    }

    @Test(arguments: [1, 7, 100, 333, 5_000])
    func theCutOfTheAudioChangesNothing(milliseconds: Int) async throws {
        let reference = try await ScriptedEngine(goForward).results(of: silence(.seconds(5)))
        let cut = silence(.seconds(5), cutInto: .milliseconds(milliseconds))
        let (results, completion) = try await ScriptedEngine(goForward).results(of: cut)
        #expect(completion == .complete)
        #expect(
            results.finals
                == reference.results.finals)
        #expect(results.finalText == "go forward ten metres")
    }

    @Test func everyFrameIsCounted() async throws {
        let engine = ScriptedEngine(goForward)
        let options = RecognitionOptions.patient
        _ = try await engine.results(of: silence(.seconds(2)) + silence(.seconds(1), from: .seconds(5)), options)
        _ = try await engine.results(of: silence(.milliseconds(10)), .fileTranscription())
        let first = try #require(engine.sessions.first)
        #expect(first.framesFed == 48_000)
        #expect(first.bufferCount == 30)
        #expect(first.ranges == [.zero..<Duration.seconds(2), .seconds(5)..<Duration.seconds(6)])
        #expect(first.options == options)
        #expect(first.hasEnded)
        #expect(first.finalizeCount == 1)
        #expect(engine.sessions.map(\.options) == [options, .fileTranscription()])
        #expect(engine.sessions.map(\.attempt) == [0, 1])
        #expect(engine.framesFed == 48_160)
    }

    @Test func whatIsVolatileAtTheEndBecomesFinal() async throws {
        let (results, _) = try await ScriptedEngine([.volatile("go", at: .seconds(1))]).results(
            of: silence(.seconds(2)))
        #expect(results.finalText == "go")
        #expect(results.finalizedThrough == .seconds(2))
    }

    @Test func whatHasNoTimeComesAtTheEnd() async throws {
        let script: ScriptedEngine.Script = [.volatile("go", at: .seconds(1)), .final("go forward")]
        let (results, _) = try await ScriptedEngine(script).results(of: silence(.seconds(2)))
        #expect(results.finalText == "go forward")
        #expect(results.finals.first?.range == .zero..<Duration.seconds(2))
    }

    @Test func finalizingEarlySaysNoWordTwice() async throws {
        try await VirtualTime.run { _ in
            let session = try await ScriptedEngine(goForward).makeSession(.patient)
            let gate = Watched(false)
            try session.start(AudioInput(silence(.seconds(5)), waitingAt: .milliseconds(1_600), for: gate))
            #expect(try await session.finalize(through: .milliseconds(1_600)) == .complete)
            gate.change { $0 = true }
            #expect(try await session.finish() == .complete)
            var texts: [String] = []
            for try await case .final(let result) in session.results {
                texts.append(result.text)
            }
            #expect(texts == ["go four", "ten metres"])
        }
    }

    @Test func itCountsWithoutAScript() async throws {
        let (results, _) = try await ScriptedEngine().results(of: silence(.seconds(5)))
        #expect(results.finalText == "one two three four one two three four one two")
    }

    @Test func theEmptyScriptHearsNothing() async throws {
        let engine = ScriptedEngine([])
        let (results, completion) = try await engine.results(of: silence(.seconds(1)))
        #expect(completion == .complete)
        #expect(results.finalText.isEmpty)
        #expect(results.finalizedThrough == .seconds(1))
        #expect(engine.framesFed == 16_000)
    }

    // MARK: Options and capabilities

    @Test func wordsAndAlternativesAreGivenWhereAskedFor() async throws {
        var options = RecognitionOptions.patient
        let plain = try await ScriptedEngine(goForward).results(of: silence(.seconds(5)), options).results
        #expect(plain.compactMap(\.result).allSatisfy { $0.words.isEmpty && $0.alternatives.isEmpty })

        options.wordTimes = true
        options.wordConfidence = true
        options.maximumAlternatives = 1
        let rich = try await ScriptedEngine(goForward).results(of: silence(.seconds(5)), options).results
        let final = try #require(rich.finals.first)
        #expect(final.words.map(\.text) == ["go", "forward"])
        #expect(final.words.map(\.range) == [.zero..<Duration.seconds(1), .seconds(1)..<Duration.seconds(2)])
        #expect(final.words.allSatisfy { $0.confidence == 1 })
        #expect(final.alternatives == [.init("go four word", confidence: 0.2)])
    }

    @Test func scriptedWordsKeepTheirTimesAndConfidence() async throws {
        let words = [
            SpeechResult.Word("go", range: .milliseconds(200)..<Duration.milliseconds(400), confidence: 0.5),
            SpeechResult.Word("forward"),
        ]
        var options = RecognitionOptions.timedTranscription()
        options.wordConfidence = true
        let script: ScriptedEngine.Script = [
            .final("go forward", at: .seconds(1), words: words), .repeats(every: .seconds(1)),
        ]
        let (results, _) = try await ScriptedEngine(script).results(of: silence(.seconds(2)), options)
        let finals = results.finals
        #expect(finals.count == 2)
        #expect(finals[0].words[0] == words[0])
        #expect(finals[0].words[1].range == .milliseconds(500)..<Duration.seconds(1))
        #expect(finals[1].words[0].range == .milliseconds(1_200)..<Duration.milliseconds(1_400))
    }

    @Test func whatItCannotHonourIsRefused() async throws {
        let engine = ScriptedEngine(locales: ["en-US", "de-DE"], capabilities: .init([.dictation]))
        _ = try await engine.results(of: [], RecognitionOptions(locale: "de_de"))
        await expectError(.unsupportedLocale) { try await engine.makeSession(.init(locale: "fr")) }
        await expectError(.unsupportedLocale) { try await engine.audioFormat(for: .init(locale: "fr")) }
        await expectError(.unsupportedOption) { try await engine.makeSession(.patient) }
        await expectError(.unsupportedOption) { try await engine.prepare(.patient) }
        await expectError(.unsupportedOption) {
            try await ScriptedEngine().makeSession(.wakeWords(["computer"]))
        }
        #expect(engine.sessions.count == 1)
    }

    @Test func aSessionTooManyIsRefused() async throws {
        let features = ScriptedEngine.scriptedFeatures
        let engine = ScriptedEngine(capabilities: .init(features, maximumSessions: 1))
        var first: (any RecognitionSession)? = try await engine.makeSession(.patient)
        await expectError(.alreadyRunning) { try await engine.makeSession(.patient) }
        #expect(first != nil)
        _ = try await first?.finish()
        for _ in 0..<50 { _ = try await engine.results(of: silence(.milliseconds(100))) }
        first = try await engine.makeSession(.patient)
        #expect(engine.openSessions == 1)
        await first?.cancel()
        #expect(engine.openSessions == 0)
        first = try await engine.makeSession(.patient)
        // One that is let go of is over, too.
        first = nil
        #expect(engine.openSessions == 0)
        #expect(engine.sessions.allSatisfy { $0.hasEnded })
    }

    @Test func eachSessionMayHaveItsOwnScript() async throws {
        let engine = ScriptedEngine(sessions: [[.final("one")], [.final("two")]])
        var texts: [String] = []
        for _ in 0..<3 { texts.append(try await engine.results(of: silence(.seconds(1))).results.finalText) }
        #expect(texts == ["one", "two", "two"])
        let polyglot = ScriptedEngine(locales: ["en-US", "de-DE"]) { request in
            [.final(request.options.locale == "de-DE" ? "vorwärts" : "forward")]
        }
        #expect(
            try await polyglot.results(
                of: silence(.seconds(1)), RecognitionOptions(locale: "de-DE", finalizationTimeout: .seconds(600))
            ).results.finalText
                == "vorwärts")
    }

    // MARK: Faults

    @Test func anErrorComesAtItsTimeAndEndsTheSession() async throws {
        let broken = DictationError(.engineFailed, "broken")
        let engine = ScriptedEngine([.volatile("go", at: .seconds(1)), .error(broken, at: .seconds(2))])
        let session = try await engine.makeSession(.patient)
        try session.start(AudioInput(silence(.seconds(5))))
        await #expect(throws: broken) { try await session.finish() }
        #expect(engine.sessions.first?.framesFed == 32_000)
        #expect(engine.openSessions == 0)
        let atEnd = try await ScriptedEngine([.error(broken)]).makeSession(.patient)
        try atEnd.start(AudioInput(silence(.seconds(1))))
        await #expect(throws: broken) { try await atEnd.finish() }
    }

    @Test func aSlowStartTakesItsTimeOnce() async throws {
        try await VirtualTime.run { clock in
            let engine = ScriptedEngine([.slowStart(.seconds(30))])
            let parts = Watched<[Double]>([])
            try await engine.prepare(.patient) { part in parts.change { $0.append(part) } }
            #expect(clock.now.offset == .seconds(30))
            #expect(parts.value.first == 0 && parts.value.last == 1 && parts.value == parts.value.sorted())
            _ = try await engine.makeSession(.patient)
            #expect(clock.now.offset == .seconds(30))
            _ = try await engine.makeSession(.patient)
            #expect(clock.now.offset == .seconds(60))
        }
    }

    @Test func aSlowStartCanBeCancelled() async throws {
        try await VirtualTime.run { clock in
            let engine = ScriptedEngine(
                [.slowStart(.seconds(30))], capabilities: .init([.dictation], maximumSessions: 1))
            let start = DictationRuntime.current.task {
                await expectError(.cancelled) { try await engine.makeSession(.init()) }
            }
            await clock.advance(by: .seconds(3))
            start.cancel()
            await start.value
            #expect(clock.now.offset == .seconds(3))
            #expect(engine.openSessions == 0)
        }
    }

    @Test func aStartMayFailAndTheNextOneWork() async throws {
        let busy = DictationError(.deviceUnavailable, "busy")
        let engine = ScriptedEngine(sessions: [[.failingStart(busy)], [.failingStart(busy)], [.final("at last")]])
        await #expect(throws: busy) { try await engine.makeSession(.patient) }
        await #expect(throws: busy) { try await engine.prepare(.patient) }
        #expect(try await engine.results(of: silence(.seconds(1))).results.finalText == "at last")
        #expect(engine.sessions.map(\.attempt) == [2])
    }

    @Test func aStallHoldsTheAudioUp() async throws {
        try await VirtualTime.run { clock in
            let engine = ScriptedEngine([.stall(at: .seconds(1), for: .seconds(3)), .final("go", at: .seconds(2))])
            let (results, completion) = try await engine.results(of: silence(.seconds(2)))
            #expect(completion == .complete)
            #expect(clock.now.offset == .seconds(3))
            #expect(results.finalText == "go")
        }
    }

    @Test(
        arguments: [
            [.volatile("go", at: .seconds(1)), .stall(at: .milliseconds(1_500))],
            [.volatile("go", at: .seconds(1)), .neverFinishes()],
            [.volatile("go", at: .seconds(1)), .slowFinish(.seconds(1_000))],
            [.volatile("go", at: .seconds(1)), .stall(at: .milliseconds(1_500), for: .seconds(1_000))],
        ] as [ScriptedEngine.Script])
    func aHangIsSavedByTheDeadline(script: ScriptedEngine.Script) async throws {
        try await VirtualTime.run { clock in
            let engine = ScriptedEngine(
                script, capabilities: .init(ScriptedEngine.scriptedFeatures, maximumSessions: 1))
            let (results, completion) = try await engine.results(of: silence(.seconds(2)))
            #expect(completion == .incomplete)
            #expect(clock.now.offset == RecognitionOptions.patient.finalizationTimeout)
            #expect(results.finalText == "go")
            #expect(results.finals.last?.isComplete == false)
            #expect(engine.openSessions == 0)
            // What comes back late does no harm.
            engine.releaseStalls()
            await clock.settle()
        }
    }

    @Test func cancelEndsAStalledSessionAtOnce() async throws {
        try await VirtualTime.run { clock in
            let engine = ScriptedEngine([.stall(at: .milliseconds(100))])
            let session = try await engine.makeSession(.patient)
            try session.start(AudioInput(silence(.seconds(2))))
            await clock.advance(by: .seconds(1))
            await session.cancel()
            #expect(clock.now.offset == .seconds(1))
            for try await _ in session.results { Issue.record("a result of a cancelled session") }
        }
    }

    @Test(
        arguments: [
            ([.volatile("go", at: .seconds(-1))], "negative"),
            ([.volatile("go", at: .zero)], "before any audio"),
            ([.final("go", from: .seconds(2), at: .seconds(1))], "not before its end"),
            ([.stall(at: .seconds(1), for: .seconds(-1))], "negative"),
            ([.slowStart(.seconds(Int64.max))], "longer than"),
            ([.repeats(every: .zero)], "less than a millisecond"),
            ([.final("go", at: .seconds(2)), .repeats(every: .seconds(1))], "before the last step"),
            ([.repeats(every: .seconds(1)), .repeats(every: .seconds(2))], "not the only step"),
            ([.final("go", at: .seconds(1), words: [.init("go", confidence: 2)])], "confidence"),
        ] as [(ScriptedEngine.Script, String)])
    func aScriptThatMakesNoSenseIsRefused(script: ScriptedEngine.Script, reason: String) async throws {
        await #expect {
            try await ScriptedEngine(script).makeSession(.patient)
        } throws: { error in
            guard let error = error as? DictationError else { return false }
            return error.code == .invalidInput && error.message.contains(reason) && error.message.contains("Step ")
        }
    }

    @Test func tenHoursOfCountingStayCorrect() async throws {
        try await VirtualTime.run { _ in
            let engine = ScriptedEngine()
            let session = try await engine.makeSession(.patient)
            let second = AudioBuffer(silence: 16_000, format: .speech)
            try session.start(
                AudioInput {
                    var count = 0
                    return { () throws(DictationError) in
                        guard count < 36_000 else { return nil }
                        defer { count += 1 }
                        return second.moved(to: .seconds(count))
                    }
                })
            var finals = 0
            var watermark = Duration.zero
            for try await case .final(let result) in session.results {
                #expect(result.range.lowerBound >= watermark)
                watermark = result.range.upperBound
                finals += 1
            }
            #expect(finals == 18_000)
            #expect(engine.sessions.first?.ranges.count == 1)
        }
    }
}
