import DictationCapture
import DictationCore
import DictationTesting
import Synchronization
import TestSupport
import Testing

@testable import DictationService

/// A service that runs for a day, in virtual time.
@Suite struct ServiceDayProofTests {
    @Test(.timeLimit(.minutes(11))) func aDayOfTakesLeavesNothingBehind() async throws {
        let folder = try TemporaryFolder()
        try await VirtualTime.run(realTimeLimit: .seconds(3_000)) { clock in
            let journal = TextJournal(path: folder.file("journal.jsonl"), limit: 20)
            let service = countingService(
                microphone: [.tone(440, for: .seconds(90_000))], journal: journal
            ) { $0.endingSilence = .seconds(600) }
            let shown = Mutex(0)
            let updates = await service.statusUpdates()
            let following = DictationRuntime.current.task {
                var statuses = updates.makeAsyncIterator()
                while (try? await statuses.next()) != nil { shown.withLock { $0 += 1 } }
            }
            var random = SplitMix64(seed: 1)
            var (texts, minutes) = (0, 0)
            while minutes < 24 * 60 {
                let idle = Int.random(in: 3...20, using: &random)
                let before = shown.withLock { $0 }
                await clock.advance(by: .seconds(idle * 60))
                #expect(shown.withLock { $0 } - before <= 1, "Nothing changes while nothing happens.")
                minutes += idle
                let length = Duration.seconds(Int.random(in: 2...60, using: &random))
                switch texts % 4 {
                case 0:
                    let hold = try await service.hold()
                    await clock.advance(by: length)
                    #expect(try await hold.release().text?.isComplete == true)
                case 1:
                    try await service.start()
                    await clock.advance(by: length)
                    try await service.pause()
                    await clock.advance(by: .seconds(60))
                    try await service.resume()
                    await clock.advance(by: length)
                    #expect(try await service.stop()?.isComplete == true)
                case 2:
                    try await service.start()
                    await clock.advance(by: length)
                    try await service.cancel()
                    try await service.toggle()
                    await clock.advance(by: length)
                    #expect(try await service.toggle()?.isComplete == true)
                default:
                    // A take that nobody asks for.
                    var hold: DictationHold? = try await service.hold()
                    await clock.advance(by: length)
                    hold = nil
                    #expect(hold == nil)
                    await clock.advance(by: .seconds(10))
                }
                texts += 1
                await service.waitUntilSettled()
            }
            #expect(service.texts.pending == 0 && service.texts.openTakes <= 1 && service.profiles.count == 0)
            #expect(try await service.status().state == .idle)
            #expect(try await journal.texts().count == 20)
            #expect((byteCount(journal.path) ?? 0) < 1 << 20)
            following.cancel()
            print("service day: \(texts) takes, \(shown.withLock { $0 }) statuses")
        }
    }
}
