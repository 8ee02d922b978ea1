import DictationCore
import DictationTesting
import Foundation
import Synchronization
import Testing

@testable import DictationCapture

/// What a run of the loop gave.
private struct Run {
    var lines: [String] = []
    var frames: Int64 = 0
    var lost: Int64 = 0
    var error: DictationError?
    /// What the devices were called.
    var names: Set<String?> = []
    /// Whether every sample lay where the device had it.
    var isTrue = true
    var elapsed: Duration = .zero

    init(_ system: FakeSystem, settings: CaptureLoop.Settings = CaptureLoop.Settings()) async throws {
        let feed = CaptureFeed(capacity: .seconds(300))
        let loop = CaptureLoop(
            system, device: "fake", preferring: system.format, feed: feed, wake: system.wake, settings: settings)
        try loop.open()
        _ = loop.run()
        elapsed = system.now
        do {
            for try await event in feed.stream {
                switch event {
                case .buffer(let buffer):
                    let first = buffer.format.frames(in: buffer.start)
                    let samples = buffer.int16Samples
                    isTrue = isTrue && samples.first == Int16(truncatingIfNeeded: first)
                    frames += Int64(buffer.frameCount)
                    if lines.last != "audio" { lines.append("audio") }
                case .gap(let gap):
                    lost += gap.frameCount
                    lines.append("\(gap.cause) \(gap.frameCount * 1_000 / Int64(system.format.sampleRate))")
                case .interrupted(let cause): lines.append("interrupted \(cause)")
                case .resumed(let device):
                    lines.append("resumed")
                    names.insert(device?.name)
                case .routeChanged(let device):
                    lines.append("route")
                    names.insert(device?.name)
                }
            }
        } catch {
            self.error = error
        }
    }
}

@Suite struct CaptureLoopTests {
    private typealias Case = (name: String, faults: [(Duration, FakeSystem.Fault)], lines: [String])

    /// Each row of what can go wrong: what happens, and what is said about it.
    private static let cases: [Case] = [
        ("nothing", [], ["audio"]),
        ("EPIPE", [(.seconds(1), .error(EPIPE, losing: 700))], ["audio", "overrun 720", "audio"]),
        (
            "ESTRPIPE", [(.seconds(1), .suspended(3_000, tries: 1))],
            ["audio", "interrupted suspended", "suspended 3020", "resumed", "audio"]
        ),
        (
            "ESTRPIPE, resume takes several tries", [(.seconds(1), .suspended(1_000, tries: 5))],
            ["audio", "interrupted suspended", "suspended 1220", "resumed", "audio"]
        ),
        (
            "ENODEV", [(.seconds(1), .gone(ENODEV, 900))],
            ["audio", "interrupted deviceLost", "unplugged 1520", "resumed", "audio"]
        ),
        (
            "EIO", [(.seconds(1), .gone(EIO, 50))],
            ["audio", "interrupted deviceLost", "unplugged 120", "resumed", "audio"]
        ),
        (
            "EBADFD", [(.seconds(1), .gone(EBADFD, 50))],
            ["audio", "interrupted deviceLost", "unplugged 120", "resumed", "audio"]
        ),
        (
            "EPIPE for ever, recover says yes", [(.seconds(1), .gone(EPIPE, 50))],
            ["audio", "interrupted deviceLost", "unplugged 120", "resumed", "audio"]
        ),
        ("a short stall", [(.seconds(1), .silence(500))], ["audio", "stalled 520", "audio"]),
        (
            "a long stall", [(.seconds(1), .silence(2_000))],
            ["audio", "interrupted noData", "stalled 2020", "resumed", "audio"]
        ),
        ("a silent loss", [(.seconds(1), .hole(900))], ["audio", "stalled 920", "audio"]),
        ("wakes for nothing", [(.seconds(1), .spurious(150))], ["audio"]),
        ("EINTR", [(.seconds(1), .interrupted)], ["audio"]),
        ("short reads", [(.seconds(1), .short(50))], ["audio"]),
        (
            "EPIPE, recover says no", [(.seconds(1), .unrecoverable)],
            ["audio", "interrupted deviceLost", "unplugged 120", "resumed", "audio"]
        ),
    ]

    @Test(arguments: 0..<15) func everyFaultIsSurvivedAndAccountedFor(_ index: Int) async throws {
        let row = Self.cases[index]
        let system = FakeSystem(row.faults + [(.seconds(10), .stop)])
        let run = try await Run(system)
        print("\(row.name): \(run.frames) frames, \(run.lost) lost, \(run.elapsed), \(run.lines)")
        // A silent loss and a short stall are known a while after they happened.
        let isLate = row.name == "a silent loss" || row.name == "a short stall"
        if isLate {
            #expect(run.lines.filter { $0 != "audio" } == row.lines.filter { $0 != "audio" })
        } else {
            #expect(run.lines == row.lines, "\(row.name)")
            #expect(run.isTrue, "\(row.name)")
        }
        #expect(run.error == nil)
        #expect(abs(run.frames + run.lost - system.format.frames(in: run.elapsed)) <= 320, "\(row.name)")
        #expect(system.state.withLock { $0.reads } < 20_000)
    }

    @Test func aDriverWithoutAResumeIsPreparedAndStarted() async throws {
        let system = FakeSystem([(.seconds(1), .suspendedWithoutResume(3_000)), (.seconds(10), .stop)])
        let run = try await Run(system)
        #expect(run.lines == ["audio", "interrupted suspended", "suspended 3020", "resumed", "audio"])
        #expect(run.isTrue && run.error == nil)
        #expect(system.state.withLock { $0.opens } == 1)
        #expect(abs(run.frames + run.lost - system.format.frames(in: run.elapsed)) <= 320)
    }

    @Test func aDeviceThatIsSlowAfterASuspendWasSuspended() async throws {
        let system = FakeSystem([
            (.seconds(1), .suspended(3_000, tries: 1)), (.seconds(1), .silence(200)), (.seconds(10), .stop),
        ])
        let run = try await Run(system)
        #expect(
            run.lines.filter { $0 != "audio" } == ["interrupted suspended", "suspended 3220", "resumed"],
            "\(run.lines)")
        #expect(abs(run.frames + run.lost - system.format.frames(in: run.elapsed)) <= 320)
    }

    @Test func aStopEndsAResumeThatNeverEnds() async throws {
        let system = FakeSystem([(.seconds(1), .suspended(1_000, tries: .max)), (.seconds(5), .stop)])
        let run = try await Run(system)
        #expect(run.lines == ["audio", "interrupted suspended", "suspended 4020"], "\(run.lines)")
        #expect(run.elapsed < .seconds(6) && run.error == nil)
        #expect(abs(run.frames + run.lost - system.format.frames(in: run.elapsed)) <= 320)
    }

    @Test func anotherDeviceUnderTheSameNameIsARouteChange() async throws {
        let system = FakeSystem([(.seconds(1), .gone(ENODEV, 900)), (.seconds(5), .stop)], laterRoute: "other")
        let run = try await Run(system)
        #expect(run.lines == ["audio", "interrupted deviceLost", "unplugged 1520", "resumed", "route", "audio"])
        #expect(run.names == ["A microphone"])
    }

    @Test func aDeviceThatStaysAwayIsGivenUp() async throws {
        let system = FakeSystem([(.seconds(1), .gone(ENODEV, 1_000_000))])
        let run = try await Run(system)
        #expect(run.error?.code == .deviceLost)
        #expect(run.error?.recovery != nil)
        #expect((.seconds(60)...(.seconds(65))).contains(run.elapsed))
        // The back-off: not in a hurry for long.
        #expect((20...45).contains(system.state.withLock { $0.openFails }))
        #expect(abs(run.frames + run.lost - system.format.frames(in: run.elapsed)) <= 320)
    }

    @Test func aDeviceThatComesBackWithAnotherRateGoesOn() async throws {
        let other = AudioFormat(sampleRate: 48_000)
        let system = FakeSystem([(.seconds(1), .gone(ENODEV, 900)), (.seconds(5), .stop)], later: other)
        let run = try await Run(system)
        #expect(run.lines == ["audio", "interrupted deviceLost", "unplugged 1520", "resumed", "audio"])
        #expect(run.isTrue)
        #expect(run.frames == 15_680 + 48_000 * 5 / 2)
    }

    @Test func aDeviceThatNeverGivesAnythingIsSaidToAndOpenedAnew() async throws {
        let system = FakeSystem([(.zero, .silence(25_000)), (.seconds(30), .stop)])
        let run = try await Run(system)
        #expect(run.lines.first == "interrupted noData")
        #expect(system.state.withLock { $0.opens } > 1)
    }

    @Test func randomFaultsAlwaysAddUp() async throws {
        for seed in 0..<60 as Range<UInt64> {
            var random = SplitMix64(seed: seed)
            var faults: [(Duration, FakeSystem.Fault)] = []
            var time = Duration.seconds(1)
            for _ in 0..<8 {
                let length = Int.random(in: 10...3_000, using: &random)
                let fault: FakeSystem.Fault =
                    switch Int.random(in: 0..<6, using: &random) {
                    case 0: .error(EPIPE, losing: length)
                    case 1: .silence(length)
                    case 2: .hole(length)
                    case 3: .gone([ENODEV, EIO, EBADFD, EPIPE].randomElement(using: &random) ?? EIO, length)
                    case 4: .suspended(length, tries: Int32.random(in: 1...4, using: &random))
                    default: .spurious(length)
                    }
                faults.append((time, fault))
                time += .milliseconds(Int.random(in: 20...9_000, using: &random))
            }
            let system = FakeSystem(faults + [(time + .seconds(5), .stop)])
            let run = try await Run(system)
            // What is lost without a word and is shorter than the clock's tolerance is all that may be missing.
            let small =
                faults.count { if case .hole(let length) = $0.1 { length <= 220 } else { false } }
                + faults.count { if case .silence(let length) = $0.1 { length <= 220 } else { false } }
            let difference = system.format.frames(in: run.elapsed) - run.frames - run.lost
            #expect(
                (-640...Int64(640 + small * 3_520)).contains(difference), "seed \(seed): \(difference) \(run.lines)")
        }
    }

    @Test(arguments: [-300, 0, 300]) func clocksThatRunApartAreNotALoss(_ partsPerMillion: Int) {
        let format = AudioFormat.speech
        var now = Duration.zero
        var clock = CaptureClock(format: format, firstFrames: 320, now: now)
        clock.count(frames: 320)
        var random = SplitMix64(seed: 1)
        var lost: Int64 = 0
        for _ in 0..<(10 * 3_600 * 5) {
            now += .microseconds(200_000 + 200_000 * partsPerMillion / 1_000_000)
            clock.count(frames: 3_200)
            lost += clock.check(now: now + .microseconds(Int.random(in: 0...15_000, using: &random)))
        }
        #expect(lost == 0)
        now += .seconds(2)
        for _ in 0..<50 {
            now += .milliseconds(20)
            clock.count(frames: 320)
            lost += clock.check(now: now)
        }
        #expect(abs(lost - 32_000) < 640)
    }
}
