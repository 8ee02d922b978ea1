import DictationCapture
import DictationCore
import DictationEngines
import DictationService
import DictationTesting
import DictationText
import Testing

@Suite struct IntentTests {
    @Test func aStopReturnsTheText() async throws {
        try await VirtualTime.run { clock in
            let service = countingService()
            #expect(try await service.start() == TakeID(number: 1))
            await clock.advance(by: .milliseconds(2_050))
            let text = try #require(try await service.stop())
            #expect(text.text == "one two three four" && text.isComplete && text.error == nil)
            #expect(text.take == TakeID(number: 1))
            #expect(try await service.last() == text)
        }
    }

    @Test func theProcessorsWriteTheText() async throws {
        try await VirtualTime.run { clock in
            let service = countingService(
                script: [.final("hello comma world", at: .seconds(1))], processors: [SpokenPunctuation()])
            try await service.start()
            await clock.advance(by: .milliseconds(1_200))
            #expect(try await service.status().text == "Hello, world")
            #expect(try await service.stop()?.text == "Hello, world")
        }
    }

    @Test func eachIntentCanBeRepeated() async throws {
        try await VirtualTime.run { clock in
            let service = countingService()
            var answers: [String] = []
            let intents: [DictationIntent] = [
                .stop, .cancel, .pause, .resume, .last, .start(), .start(), .pause, .pause, .resume, .resume, .cancel,
                .cancel, .start(), .stop, .stop,
            ]
            for intent in intents {
                answers.append(try await service.perform(intent).words)
                await clock.settle()
            }
            #expect(
                answers == [
                    "nothing", "nothing", "nothing", "nothing", "nothing", "recording 1", "recording 1", "paused 1",
                    "paused 1", "recording 1", "recording 1", "cancelled 1", "nothing", "recording 2", "text 2: ",
                    "nothing",
                ])
        }
    }

    @Test func twoTogglesAtOnceStartAndStopOneTake() async throws {
        try await VirtualTime.run { clock in
            let service = countingService()
            async let first = service.perform(.toggle())
            async let second = service.perform(.toggle())
            let answers = try await [first.words, second.words].sorted()
            #expect(answers == ["recording 1", "text 1: "])
            await clock.settle()
            #expect(try await service.status().state == .idle)
        }
    }

    @Test func onlyTheCallerThatEndsATakeGetsItsText() async throws {
        try await VirtualTime.run { clock in
            let service = countingService(script: [.final("said", at: .seconds(1)), .slowFinish(.seconds(3))])
            try await service.start()
            await clock.advance(by: .milliseconds(1_500))
            async let text = service.perform(.stop)
            await clock.advance(by: .seconds(1))
            #expect(try await service.status().state == .finalizing)
            #expect(try await service.perform(.stop).words == "ended by another 1")
            #expect(try await text.words == "text 1: said")
            #expect(try await service.perform(.stop) == .nothing)
            #expect(try await service.perform(.last).words == "text 1: said")
        }
    }

    @Test func aTakeThatEndedByItselfIsGivenToTheNextStopOnce() async throws {
        try await VirtualTime.run { clock in
            let service = countingService { $0.maximumLength = .seconds(2) }
            try await service.start()
            await clock.advance(by: .seconds(5))
            #expect(try await service.status().state == .idle)
            #expect(try await service.perform(.stop).words == "text 1: one two three four")
            #expect(try await service.perform(.stop) == .nothing)
        }
    }

    @Test func aTakeThatEndedByItselfIsOnlyKeptOnceAnotherBegins() async throws {
        try await VirtualTime.run { clock in
            let service = countingService { $0.maximumLength = .seconds(2) }
            try await service.start()
            await clock.advance(by: .seconds(5))
            #expect(try await service.toggle() == nil)
            #expect(try await service.last()?.take == TakeID(number: 1))
            #expect(try await service.perform(.stop).words == "text 2: ")
            #expect(try await service.perform(.stop) == .nothing)
        }
    }

    @Test func aFailedTakeIsGivenWithItsErrorAndItsText() async throws {
        try await VirtualTime.run { clock in
            let broken = DictationError(.engineFailed, "The engine broke.")
            let service = countingService(
                script: [.final("so far", at: .seconds(1)), .error(broken, at: .seconds(2))])
            try await service.start()
            await clock.advance(by: .seconds(4))
            let status = try await service.status()
            #expect(status.state == .failed && status.error == broken && status.text == "so far")
            let text = try #require(try await service.stop())
            #expect(text.text == "so far" && text.error == broken && !text.isComplete)
            #expect(try await service.status().state == .idle)
        }
    }

    @Test func aMicrophoneThatCannotOpenIsTheErrorOfTheStart() async throws {
        try await VirtualTime.run { _ in
            let capturer = ScriptedCapturer([.end]) { $0.authorization = .denied("Ask the owner.") }
            let service = DictationService(session: DictationSession(engine: ScriptedEngine(), capturer: capturer))
            await #expect { try await service.start() } throws: { ($0 as? DictationError)?.code == .permissionDenied }
            await #expect { try await service.hold() } throws: { ($0 as? DictationError)?.code == .permissionDenied }
            let last = try await service.last()
            #expect(last == nil)
        }
    }

    @Test func aStartDoesNotWaitForTheEngine() async throws {
        try await VirtualTime.run { clock in
            let service = countingService(script: [.slowStart(.seconds(5)), .final("early", at: .seconds(1))])
            let began = clock.now
            try await service.start()
            #expect(clock.now.offset - began.offset < .milliseconds(50))
            await clock.advance(by: .seconds(2))
            #expect(try await service.stop()?.text == "early")
        }
    }

    @Test func aCancelWhileIdleHurtsNoLaterTake() async throws {
        try await VirtualTime.run { clock in
            let service = countingService()
            try await service.cancel()
            try await service.cancel()
            try await service.start()
            await clock.advance(by: .milliseconds(2_050))
            #expect(try await service.stop()?.text == "one two three four")
        }
    }

    @Test func aCancelTakesTheTextFromTheCallerThatWaitsForIt() async throws {
        try await VirtualTime.run { clock in
            let service = countingService(script: [.final("said", at: .seconds(1)), .slowFinish(.seconds(3))])
            try await service.start()
            await clock.advance(by: .milliseconds(1_500))
            async let text = service.perform(.stop)
            await clock.advance(by: .seconds(1))
            #expect(try await service.perform(.cancel).words == "cancelled 1")
            #expect(try await text.words == "cancelled 1")
            #expect(try await service.last() == nil)
        }
    }

    @Test func aCallerThatLeavesLosesNothing() async throws {
        try await VirtualTime.run { clock in
            let service = countingService(script: [.final("said", at: .seconds(1)), .slowFinish(.seconds(3))])
            try await service.start()
            await clock.advance(by: .milliseconds(1_500))
            let runtime = DictationRuntime.current
            #expect(await runtime.within(.seconds(1)) { try? await service.stop() } == nil)
            await clock.advance(by: .seconds(5))
            #expect(try await service.perform(.stop) == .nothing)
            #expect(try await service.last()?.text == "said")
        }
    }

    @Test func aSilentTakeDoesNotReplaceTheLastText() async throws {
        try await VirtualTime.run { clock in
            let service = countingService()
            try await service.start()
            await clock.advance(by: .milliseconds(2_050))
            try await service.stop()
            try await service.start()
            #expect(try await service.stop()?.text == "")
            #expect(try await service.last()?.text == "one two three four")
        }
    }

    @Test func aStopIsBoundedEvenIfTheEngineHangs() async throws {
        try await VirtualTime.run { clock in
            let service = countingService(script: [.volatile("unfinished", at: .seconds(1)), .neverFinishes()]) {
                $0.stopTimeout = .seconds(4)
            }
            try await service.start()
            await clock.advance(by: .seconds(2))
            let began = clock.now
            let text = try #require(try await service.stop())
            #expect(text.text == "unfinished" && !text.isComplete)
            #expect(clock.now.offset - began.offset <= .milliseconds(4_100))
        }
    }

    @Test func anUnknownProfileIsRefused() async throws {
        try await VirtualTime.run { _ in
            let service = countingService()
            await #expect { try await service.start(profile: "letters") } throws: {
                ($0 as? DictationError)?.message.contains("letters") == true
            }
            let status = try await service.status()
            #expect(status.state == .idle)
        }
    }

    @Test func aServiceThatClosesKeepsTheTextOfItsTake() async throws {
        try await VirtualTime.run { clock in
            let service = countingService()
            try await service.start()
            await clock.advance(by: .milliseconds(2_050))
            await service.close()
            #expect(try await service.status().state == .idle)
            let last = try await service.last()
            #expect(last?.text == "one two three four")
        }
    }

    @Test func aTakeOfTheAppItselfIsKeptToo() async throws {
        try await VirtualTime.run { clock in
            let session = DictationSession(
                engine: ScriptedEngine(), capturer: ScriptedCapturer([.tone(440, for: .seconds(60))]))
            let service = DictationService(session: session)
            try await session.start()
            await clock.advance(by: .milliseconds(2_050))
            await session.stop()
            await service.waitUntilSettled()
            #expect(try await service.perform(.stop) == .nothing)
            #expect(try await service.last()?.text == "one two three four")
        }
    }
}
