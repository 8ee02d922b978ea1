import DictationCapture
import DictationCore
import DictationEngines
import DictationTesting
import DictationText
import Foundation
import Testing

@testable import DictationDesktop
@testable import DictationService

@Suite struct StatusTests {
    @Test func aReaderSeesEachStateAndTheText() async throws {
        try await VirtualTime.run { clock in
            let service = countingService()
            let updates = await service.statusUpdates()
            let reading = DictationRuntime.current.task { () -> [ServiceStatus] in
                var seen: [ServiceStatus] = []
                do {
                    for try await status in updates {
                        seen.append(status)
                        if status.take != nil, status.state == .idle { break }
                    }
                } catch { Issue.record("\(error)") }
                return seen
            }
            await clock.settle()
            try await service.start()
            await clock.advance(by: .milliseconds(2_550))
            try await service.stop()
            let seen = await reading.value
            #expect(seen.first?.state == .idle && seen.first?.take == nil)
            #expect(seen.first?.engine == "scripted" && seen.first?.model == "counter")
            let states = seen.map(\.state)
            #expect(states.contains(.recording))
            #expect(seen.contains { $0.changingText == "one two" && $0.finalText.isEmpty })
            #expect(seen.contains { $0.finalText == "one two three four" && $0.changingText == "one" })
            #expect(seen.contains { $0.level > .silence && $0.elapsed > .seconds(1) })
            #expect(seen.last?.level == .silence)
        }
    }

    /// A sound server that wakes up opens the microphone at once, and delivers nothing for two seconds.
    @Test func theStatusSaysWhenAudioArrives() async throws {
        try await VirtualTime.run { clock in
            let service = countingService(microphone: [.nothing(for: .seconds(2)), .tone(440, for: .seconds(60))])
            try await service.start()
            await clock.advance(by: .milliseconds(1_900))
            var status = try await service.status()
            #expect(status.state == .recording && !status.hasAudio)
            await clock.advance(by: .milliseconds(300))
            status = try await service.status()
            #expect(status.state == .recording && status.hasAudio)
            try await service.pause()
            #expect(try await !service.status().hasAudio)
            // The microphone is opened again.
            try await service.resume()
            #expect(try await !service.status().hasAudio)
            await clock.advance(by: .seconds(4))
            #expect(try await service.status().hasAudio)
            try await service.stop()
            #expect(try await !service.status().hasAudio)
        }
    }

    @Test func everySurfaceSaysWhatIsMissing() async throws {
        try await VirtualTime.run { clock in
            let service = countingService(microphone: [
                .tone(440, for: .seconds(2)), .gap(for: .seconds(1)), .tone(440, for: .seconds(60)),
            ])
            try await service.start()
            await clock.advance(by: .milliseconds(1_500))
            #expect(try await service.status().loss == nil)
            await clock.advance(by: .milliseconds(2_500))
            let loss = "Audio without text: 0:02.0–0:03.0 (the program was too slow to record it)."
            #expect(try await service.status().loss == loss)
            let text = try #require(try await service.stop())
            #expect(text.loss == loss && text.transcript.gaps.count == 1)
            #expect(JSONWriter.encode(text).contains(#""loss":"\#(loss)""#))
            #expect(try await service.last()?.loss == loss)
            let status = try await service.status()
            #expect(status.loss == loss && JSONWriter.encode(status).contains(#""loss":"\#(loss)""#))
            #expect(BusInterface.properties(of: status).contains { $0.name == "Loss" && $0.value == .string(loss) })
            try await service.start()
            #expect(try await service.status().loss == nil)
            try await service.cancel()
        }
    }

    @Test func aSlowReaderGetsTheNewestStatusOnly() async throws {
        try await VirtualTime.run { clock in
            let service = countingService()
            let updates = await service.statusUpdates()
            var reader = updates.makeAsyncIterator()
            #expect(try await reader.next()?.state == .idle)
            try await service.start()
            await clock.advance(by: .seconds(60))
            let next = try #require(try await reader.next())
            #expect(next.state == .recording && next.elapsed >= .seconds(59))
        }
    }

    @Test func nothingIsReportedWhileNothingHappens() async throws {
        try await VirtualTime.run { clock in
            let service = countingService()
            try await service.start()
            await clock.advance(by: .seconds(3))
            try await service.stop()
            await service.waitUntilSettled()
            await clock.advance(by: .seconds(1))
            let updates = await service.statusUpdates()
            let reading = DictationRuntime.current.task { () -> Int in
                var count = 0
                var reader = updates.makeAsyncIterator()
                while (try? await reader.next()) != nil { count += 1 }
                return count
            }
            await clock.advance(by: .seconds(3_600))
            reading.cancel()
            #expect(await reading.value == 1)
        }
    }

    @Test func theReadersEndWithTheService() async throws {
        try await VirtualTime.run { _ in
            var service: DictationService? = countingService()
            let updates = try #require(await service?.statusUpdates())
            var reader = updates.makeAsyncIterator()
            #expect(try await reader.next() != nil)
            service = nil
            #expect(try await reader.next() == nil)
        }
    }

    @Test func audioThatIsNotKeptIsSaid() async throws {
        try await VirtualTime.run { clock in
            let service = countingService(spool: WaveSpool(folder: "/proc/nothing/can/be/written/here"))
            try await service.start()
            await clock.advance(by: .milliseconds(700))
            #expect(try await service.status().spoolError != nil)
            try await service.stop()
            #expect(try await service.status().spoolError != nil)
            // It belongs to its take.
            service.session.setup.spool = nil
            try await service.start()
            await clock.advance(by: .milliseconds(700))
            #expect(try await service.status().spoolError == nil)
        }
    }

    @Test func aStatusSurvivesJSON() throws {
        var status = ServiceStatus(engine: "scripted", model: "counter", locale: "de-DE")
        status.state = .failed
        status.take = TakeID(number: 7)
        status.elapsed = .milliseconds(1_250)
        status.level = Decibels(-23.5)
        status.finalText = "eins"
        status.stableText = "zwei"
        status.changingText = "drei"
        status.isEngineReady = true
        status.input = .noSpeech
        status.interruption = .deviceLost
        status.error = DictationError(.deviceLost, "The microphone is gone.", recovery: "Plug it in.")
        status.spoolError = DictationError(.permissionDenied, "The folder can't be written.")
        status.journalError = DictationError(.storageFull, "The disk is full.")
        let json = try JSONEncoder().encode(status)
        #expect(try JSONDecoder().decode(ServiceStatus.self, from: json) == status)
        #expect(status.text == "eins zwei drei")
    }

    @Test func aPauseIsShown() async throws {
        try await VirtualTime.run { clock in
            let service = countingService()
            try await service.start()
            await clock.advance(by: .milliseconds(700))
            try await service.pause()
            await clock.advance(by: .seconds(30))
            let status = try await service.status()
            #expect(status.state == .paused && status.isActive && status.level == .silence)
        }
    }
}
