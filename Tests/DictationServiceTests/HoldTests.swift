import DictationCore
import DictationService
import DictationTesting
import Testing

@Suite struct HoldTests {
    @Test func aHoldRecordsUntilItIsReleased() async throws {
        try await VirtualTime.run { clock in
            let service = countingService()
            let hold = try await service.hold()
            await clock.advance(by: .milliseconds(2_050))
            #expect(try await service.status().state == .recording)
            #expect(try await hold.release().text?.text == "one two three four")
            #expect(try await hold.release() == .nothing)
            #expect(try await service.status().state == .idle)
        }
    }

    @Test func aHoldThatIsDroppedStopsItsTakeAndKeepsTheText() async throws {
        try await VirtualTime.run { clock in
            let service = countingService()
            var hold: DictationHold? = try await service.hold()
            #expect(hold?.take == TakeID(number: 1))
            await clock.advance(by: .milliseconds(2_050))
            hold = nil
            await clock.advance(by: .seconds(1))
            #expect(try await service.status().state == .idle)
            #expect(try await service.perform(.stop) == .nothing)
            #expect(try await service.last()?.text == "one two three four")
        }
    }

    @Test func aTakeOfAnotherCallerCannotBeHeld() async throws {
        try await VirtualTime.run { clock in
            let service = countingService()
            try await service.start()
            await #expect { try await service.hold() } throws: { ($0 as? DictationError)?.code == .alreadyRunning }
            try await service.pause()
            await #expect { try await service.hold() } throws: { ($0 as? DictationError)?.code == .alreadyRunning }
            try await service.resume()
            await clock.advance(by: .milliseconds(2_050))
            #expect(try await service.stop()?.text == "one two three four")
        }
    }

    @Test func aHeldTakeThatAnotherCallerStopsIsThatCallers() async throws {
        try await VirtualTime.run { clock in
            let service = countingService()
            let hold = try await service.hold()
            await clock.advance(by: .milliseconds(2_050))
            #expect(try await service.stop()?.text == "one two three four")
            try await service.start()
            #expect(try await hold.release() == .endedByAnother(hold.take))
            #expect(try await service.status().state == .recording, "A late release ends no later take.")
        }
    }

    @Test func aHeldTakeThatEndsByItselfIsKeptForItsHolder() async throws {
        try await VirtualTime.run { clock in
            let service = countingService { $0.maximumLength = .seconds(2) }
            let hold = try await service.hold()
            await clock.advance(by: .seconds(5))
            #expect(try await service.perform(.stop) == .nothing)
            try await service.start()
            #expect(try await hold.release().text?.text == "one two three four")
            try await service.cancel()
        }
    }

    @Test func aHeldTakeThatIsCancelledSaysSo() async throws {
        try await VirtualTime.run { clock in
            let service = countingService()
            let hold = try await service.hold()
            try await service.cancel()
            await clock.settle()
            #expect(try await hold.release() == .cancelled(hold.take))
        }
    }
}
