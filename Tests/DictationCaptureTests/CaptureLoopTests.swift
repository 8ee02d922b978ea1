import DictationCore
import DictationTesting
import Foundation
import Synchronization
import Testing

@testable import DictationCapture

/// A machine whose clock moves when its device is waited for, and whose samples say which they are.
private final class FakeSystem: PCMSystem {
    /// What happens to the device, at a time.
    enum Fault {
        /// Reading gives this error once; the device's buffer is lost, and so many milliseconds with it.
        case error(Int32, losing: Int)
        /// Nothing comes for so many milliseconds, which are lost.
        case silence(Int)
        /// So many milliseconds go missing without a word.
        case hole(Int)
        /// Reading gives this error from here on, and the device can't be opened for so many milliseconds.
        case gone(Int32, Int)
        /// Waiting answers at once with nothing to read, for so many milliseconds.
        case spurious(Int)
        /// Reading gives an overrun, and the device can't be recovered; opening it anew helps.
        case unrecoverable
        /// Reading is interrupted once by a signal.
        case interrupted
        /// From here on so many frames at most are read at a time.
        case short(Int)
        /// The resume has to be asked for so often.
        case suspended(Int, tries: Int32)
        /// The driver has no resume of its own; the device has to be prepared and started.
        case suspendedWithoutResume(Int)
        case stop
    }

    struct State {
        var now = Duration.zero
        var faults: [(at: Duration, fault: Fault)] = []
        var opens = 0
        var openFails = 0
        var closes = 0
        var reads = 0
        var unopenableUntil = Duration.zero
    }

    let state: Mutex<State>
    let wake = WakeDescriptor()
    let format: AudioFormat
    let laterFormat: AudioFormat
    let laterRoute: String

    init(
        _ faults: [(Duration, Fault)], format: AudioFormat = .speech, later: AudioFormat? = nil,
        laterRoute: String = "fake"
    ) {
        self.laterRoute = laterRoute
        self.format = format
        laterFormat = later ?? format
        state = Mutex(State(faults: faults.map { (at: $0.0, fault: $0.1) }))
    }

    var now: Duration { state.withLock { $0.now } }

    func advance(_ duration: Duration) { state.withLock { $0.now += duration } }

    func rest(_ duration: Duration, wake: WakeDescriptor) {
        advance(duration)
        _ = due { if case .stop = $0 { true } else { false } }.map { _ in wake.raise() }
    }

    /// The next fault of a kind, once its time has come.
    func due(_ isWanted: (Fault) -> Bool) -> Fault? {
        state.withLock { state in
            guard let first = state.faults.first, first.at <= state.now, isWanted(first.fault) else { return nil }
            return state.faults.removeFirst().fault
        }
    }

    func devices() -> [AudioDevice] { [AudioDevice(id: "fake", name: "A microphone")] }
    func tryOpening(_ device: String) throws(DictationError) {}

    func open(_ device: String, preferring format: AudioFormat, wake: WakeDescriptor) throws(DictationError) -> any PCM
    {
        let opens = state.withLock { state -> Int? in
            guard state.now >= state.unopenableUntil else {
                state.openFails += 1
                return nil
            }
            state.opens += 1
            return state.opens
        }
        guard let opens else { throw DictationError(.deviceUnavailable, "gone") }
        return FakePCM(self, opens == 1 ? self.format : laterFormat, route: opens == 1 ? "fake" : laterRoute)
    }
}

private final class FakePCM: PCM {
    private let system: FakeSystem
    let format: AudioFormat
    var periodFrames: Int { Int(format.frames(in: .milliseconds(20))) }
    let route: String
    private var next: Int64 = 0
    private var isRunning = false
    private var quietUntil = Duration.zero
    private var spuriousUntil = Duration.zero
    private var standing: Int32?
    private var resumeTries: Int32 = 0
    private var isUnrecoverable = false
    private var hasNoResume = false
    private var mostAtOnce = Int.max
    private(set) var isPrepared = true

    init(_ system: FakeSystem, _ format: AudioFormat, route: String = "fake") {
        self.route = route
        self.system = system
        self.format = format
    }

    private var clockFrame: Int64 { format.frames(in: system.now) }

    func listen(to wake: WakeDescriptor) {}
    func start() -> Int {
        guard isPrepared else { return -Int(EBADFD) }
        isPrepared = false
        hasNoResume = false
        isRunning = true
        next = clockFrame
        return 0
    }

    func wait(_ limit: Duration) -> PCMReadiness {
        if system.due({ if case .stop = $0 { true } else { false } }) != nil {
            system.wake.raise()
            return .woken
        }
        if system.now < spuriousUntil {
            system.advance(.microseconds(10))
            return .ready
        }
        let hasFault = system.state.withLock { state in state.faults.first.map { $0.at <= state.now } ?? false }
        if hasFault || standing != nil { return .ready }
        let step = system.now < quietUntil ? min(limit, quietUntil - system.now) : .milliseconds(20)
        system.advance(step)
        return system.now < quietUntil ? .timedOut : .ready
    }

    func read(into bytes: UnsafeMutableRawBufferPointer) -> Int {
        system.state.withLock { $0.reads += 1 }
        if let standing { return -Int(standing) }
        if let fault = system.due({ if case .stop = $0 { false } else { true } }) { return strike(fault) }
        guard isRunning, system.now >= quietUntil, system.now >= spuriousUntil else { return -Int(EAGAIN) }
        let count = min(available(), periodFrames, mostAtOnce)
        guard count > 0 else { return -Int(EAGAIN) }
        for index in 0..<count {
            let sample = Int16(truncatingIfNeeded: next + Int64(index))
            bytes.storeBytes(of: sample, toByteOffset: index * 2, as: Int16.self)
        }
        next += Int64(count)
        return count
    }

    private func strike(_ fault: FakeSystem.Fault) -> Int {
        switch fault {
        case .error(let code, let milliseconds):
            system.advance(.milliseconds(milliseconds))
            isRunning = false
            if code == ESTRPIPE { resumeTries = 1 }
            return -Int(code)
        case .unrecoverable:
            isUnrecoverable = true
            isRunning = false
            return -Int(EPIPE)
        case .interrupted: return -Int(EINTR)
        case .short(let frames): mostAtOnce = frames
        case .silence(let milliseconds):
            quietUntil = system.now + .milliseconds(milliseconds)
            next = format.frames(in: quietUntil)
        case .hole(let milliseconds):
            system.advance(.milliseconds(milliseconds))
            next = format.frames(in: system.now)
        case .gone(let code, let milliseconds):
            standing = code
            system.state.withLock { $0.unopenableUntil = $0.now + .milliseconds(milliseconds) }
            return -Int(code)
        case .spurious(let milliseconds): spuriousUntil = system.now + .milliseconds(milliseconds)
        case .suspended(let milliseconds, let tries):
            system.advance(.milliseconds(milliseconds))
            resumeTries = tries
            isRunning = false
            return -Int(ESTRPIPE)
        case .suspendedWithoutResume(let milliseconds):
            system.advance(.milliseconds(milliseconds))
            hasNoResume = true
            isRunning = false
            return -Int(ESTRPIPE)
        case .stop: break
        }
        return -Int(EAGAIN)
    }

    func available() -> Int { isRunning ? Int(max(0, clockFrame - next)) : 0 }
    func recover(_ code: Int) -> Int {
        if standing == EPIPE { isPrepared = true; return 0 }
        if standing != nil || isUnrecoverable { return code < 0 ? code : -code }
        isPrepared = true
        return 0
    }
    func resume() -> Int {
        if hasNoResume { return -Int(ENOSYS) }
        resumeTries -= 1
        if resumeTries > 0 { return -Int(EAGAIN) }
        isRunning = true
        next = clockFrame
        return 0
    }
    func halt() { isRunning = false; isPrepared = true }
    func close() { system.state.withLock { $0.closes += 1 } }
}

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
