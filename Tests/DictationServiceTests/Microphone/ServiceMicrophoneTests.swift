import DictationCapture
import DictationCore
import DictationEngines
import DictationService
import DictationTesting
import Synchronization
import TestSupport
import Testing

/// A cue that takes a while, and says when it begins and ends.
private final class TimedCue: MicrophoneCue {
    let isAudible: Bool
    let length: Duration
    let moments = Mutex<[String]>([])
    private let runtime = DictationRuntime.current

    init(isAudible: Bool = true, length: Duration = .milliseconds(500)) {
        (self.isAudible, self.length) = (isAudible, length)
    }

    func microphoneOpened() async { await play("opened") }
    func microphoneClosed() async { await play("closed") }

    private func play(_ name: String) async {
        note(name)
        try? await runtime.sleep(length)
        note(name + " ended")
    }

    func note(_ moment: String) { moments.withLock { $0.append(moment) } }
    var all: [String] { moments.withLock { $0 } }
}

@Suite struct ServiceMicrophoneTests {
    /// The samples of a take.
    private func samples(
        _ microphone: ServiceMicrophone, for length: Duration, _ clock: ManualClock
    ) async throws -> [Int16] {
        let stream = try await microphone.start(CaptureOptions())
        await clock.advance(by: length)
        await microphone.stop(.full)
        var samples: [Int16] = []
        for try await case .buffer(let buffer) in stream {
            buffer.forEachSample { samples.append(Int16($0 * 32_767)) }
        }
        return samples
    }

    @Test func noTakeContainsACueThatCanBeHeard() async throws {
        try await VirtualTime.run { clock in
            let cue = TimedCue()
            let device = ScriptedCapturer([.tone(880, for: .milliseconds(400)), .zeros(for: .seconds(60))])
            let heard = try await samples(ServiceMicrophone(device, cue: cue), for: .seconds(1), clock)
            // A buffer may come at the moment at which the cue ends.
            #expect((16_000...17_600).contains(heard.count) && heard.allSatisfy { $0 == 0 }, "\(heard.count)")
            await clock.advance(by: .seconds(1))
            #expect(cue.all == ["opened", "opened ended", "closed", "closed ended"])
            // The same microphone without the cue hears the tone.
            let plain = try await samples(ServiceMicrophone(device), for: .seconds(1), clock)
            #expect(plain.contains { $0 != 0 })
        }
    }

    @Test func aTakeWaitsForTheCueOfTheOneBefore() async throws {
        try await VirtualTime.run { clock in
            let cue = TimedCue()
            let microphone = ServiceMicrophone(ScriptedCapturer([.zeros(for: .seconds(60))]), cue: cue)
            for _ in 0..<2 {
                _ = try await microphone.start(CaptureOptions())
                await microphone.stop(.warm)
            }
            await clock.advance(by: .seconds(1))
            #expect(
                cue.all == [
                    "opened", "opened ended", "closed", "closed ended", "opened", "opened ended", "closed",
                    "closed ended",
                ])
        }
    }

    @Test func aCueThatCannotBeHeardDelaysNothing() async throws {
        try await VirtualTime.run { clock in
            let cue = TimedCue(isAudible: false, length: .seconds(5))
            let device = ScriptedCapturer([.tone(440, for: .seconds(60))])
            let heard = try await samples(ServiceMicrophone(device, cue: cue), for: .seconds(1), clock)
            #expect(heard.count == 16_000)
            await clock.advance(by: .seconds(10))
            #expect(cue.all.first == "opened" && cue.all.contains("closed"))
        }
    }

    @Test func aMicrophoneThatDoesNotOpenMakesNoSound() async throws {
        try await VirtualTime.run { clock in
            let cue = TimedCue()
            let device = ScriptedCapturer([.zeros(for: .seconds(60))]) { $0.openFailures = 1 }
            let microphone = ServiceMicrophone(device, cue: cue)
            await #expect(throws: DictationError.self) { try await microphone.start(CaptureOptions()) }
            #expect(cue.all == [])
            _ = try await microphone.start(CaptureOptions())
            await microphone.stop(.full)
            await clock.advance(by: .seconds(1))
            #expect(cue.all.count == 4)
        }
    }

    /// A sound server that wakes up opens the microphone at once, and delivers nothing for a while.
    @Test(arguments: [true, false]) func theCueComesWithTheFirstAudio(isAudible: Bool) async throws {
        try await VirtualTime.run { clock in
            let cue = TimedCue(isAudible: isAudible)
            let device = ScriptedCapturer([.nothing(for: .seconds(5)), .tone(440, for: .seconds(60))])
            let microphone = ServiceMicrophone(device, cue: cue)
            let starting = DictationRuntime.current.task { try? await microphone.start(CaptureOptions()) }
            await clock.advance(by: .milliseconds(4_900))
            #expect(cue.all == [])
            // A take begins all the same.
            let stream = try #require(await starting.value)
            await clock.advance(by: .milliseconds(200))
            #expect(cue.all == ["opened"])
            await clock.advance(by: .seconds(2))
            await microphone.stop(.full)
            await clock.advance(by: .seconds(1))
            #expect(cue.all == ["opened", "opened ended", "closed", "closed ended"])
            var hasAudio = false
            for try await case .buffer in stream { hasAudio = true }
            #expect(hasAudio)
        }
    }

    @Test func aMicrophoneThatDeliversNothingMakesNoSound() async throws {
        try await VirtualTime.run { clock in
            let cue = TimedCue()
            let microphone = ServiceMicrophone(ScriptedCapturer([.nothing(for: .seconds(60))]), cue: cue)
            _ = try await microphone.start(CaptureOptions())
            await microphone.stop(.full)
            await clock.advance(by: .seconds(5))
            #expect(cue.all == [])
        }
    }

    @Test func aStopDuringTheCueEndsTheStart() async throws {
        try await VirtualTime.run { clock in
            let device = ScriptedCapturer([.zeros(for: .seconds(60))])
            let microphone = ServiceMicrophone(device, cue: TimedCue())
            let starting = DictationRuntime.current.task {
                await error { _ = try await microphone.start(CaptureOptions()) }
            }
            await clock.advance(by: .milliseconds(200))
            await microphone.stop(.full)
            #expect(await starting.value?.code == .cancelled)
            await clock.advance(by: .seconds(1))
            // The device is free.
            _ = try await device.start(CaptureOptions())
        }
    }

    /// It keeps all promises of a capturer, with a cue and without.
    @Test(arguments: [false, true]) func itIsACapturer(hasCue: Bool) async throws {
        try await VirtualTime.run { _ in
            let script: [ScriptedCapturer.Step] = [.tone(440, for: .seconds(60))]
            let failing: [ScriptedCapturer.Step] = [
                .tone(440, for: .seconds(1)), .fail(DictationError(.deviceLost, "It is gone.")),
            ]
            let cue = hasCue ? TimedCue(length: .milliseconds(50)) : nil
            await expectConformance(
                of: CapturerConformance(
                    ServiceMicrophone(ScriptedCapturer(script), cue: cue),
                    failing: ServiceMicrophone(ScriptedCapturer(failing), cue: cue),
                    denied: ServiceMicrophone(ScriptedCapturer(script) { $0.authorization = .denied("Ask.") }, cue: cue)
                ))
        }
    }
}
