import DictationCore
import DictationSystem
import DictationTesting
import Dispatch
import Synchronization
import TestSupport
import Testing

@testable import DictationCapture

/// A system that says what is done with its devices, and whose devices may hang when they are waited for.
final class WatchedSystem: PCMSystem {
    struct State {
        var opened: [String] = []
        var closes = 0
        var isHanging = false
    }

    let state = Mutex(State())
    let hangs: Bool
    /// What a device that hangs waits for.
    let gate = DispatchSemaphore(value: 0)

    init(hangs: Bool = false) { self.hangs = hangs }

    var now: Duration { ALSASystem().now }
    func devices() -> [AudioDevice] { [] }
    func tryOpening(_ device: String) throws(DictationError) {}
    func rest(_ duration: Duration, wake: Waker) { wake.rest(duration) }

    func open(_ device: String, preferring format: AudioFormat, wake: Waker) throws(DictationError) -> any PCM {
        state.withLock { $0.opened.append(device) }
        return WatchedPCM(self, wake)
    }

    func hang() {
        state.withLock { $0.isHanging = true }
        gate.wait()
    }
}

private final class WatchedPCM: PCM {
    let format = AudioFormat.speech
    let periodFrames = 320
    let route = "watched"
    private(set) var isPrepared = true
    private let system: WatchedSystem
    private var wake: Waker
    private var began = Duration.zero
    private var given: Int64 = 0
    private var isClosed = false

    init(_ system: WatchedSystem, _ wake: Waker) {
        self.system = system
        self.wake = wake
    }

    func start() -> Int {
        began = system.now
        given = 0
        isPrepared = false
        return 0
    }
    func listen(to wake: Waker) { self.wake = wake }
    func wait(_ limit: Duration) -> PCMReadiness {
        if system.hangs { system.hang() }
        wake.rest(.milliseconds(20))
        return wake.isRaised ? .woken : .ready
    }
    func read(into bytes: UnsafeMutableRawBufferPointer) -> Int {
        let count = min(available(), periodFrames)
        given += Int64(count)
        bytes.copyBytes(from: [UInt8](repeating: 1, count: count * 2))
        return count > 0 ? count : -11
    }
    func available() -> Int { Int(max(0, format.frames(in: system.now - began) - given)) }
    func recover(_ code: Int) -> Int { 0 }
    func resume() -> Int { 0 }
    func halt() { isPrepared = true }
    func close() {
        guard !isClosed else { return }
        isClosed = true
        system.state.withLock { $0.closes += 1 }
    }
}

@Suite struct ALSACapturerTests {
    private func capturer(_ system: WatchedSystem, lingering: Duration = .seconds(30)) -> ALSACapturer {
        ALSACapturer(system, lingering: lingering, settings: CaptureLoop.Settings())
    }

    private func firstAudio(_ stream: CaptureStream) async throws {
        for try await event in stream { if case .buffer = event { return } }
    }

    @Test func aWarmStopKeepsTheDeviceOpenAndAFullOneDoesNot() async throws {
        let system = WatchedSystem()
        let capturer = capturer(system)
        for (mode, opens, closes) in [
            (CaptureOptions.StopMode.warm, 1, 0), (.warm, 1, 0), (.full, 1, 1), (.warm, 2, 1),
        ] {
            try await firstAudio(try await capturer.start(CaptureOptions()))
            await capturer.stop(mode)
            #expect(await eventually { system.state.withLock { $0.closes == closes } })
            #expect(system.state.withLock { $0.opened.count == opens && $0.closes == closes }, "\(mode)")
        }
        // The warm device is closed for another one.
        try await firstAudio(try await capturer.start(CaptureOptions(device: "other")))
        #expect(system.state.withLock { $0.opened == ["default", "default", "other"] && $0.closes == 2 })
        await capturer.stop(.full)
    }

    @Test func aWarmDeviceIsLetGoOfAfterAWhile() async throws {
        let system = WatchedSystem()
        let capturer = capturer(system, lingering: .milliseconds(300))
        try await firstAudio(try await capturer.start(CaptureOptions()))
        await capturer.stop(.warm)
        #expect(await eventually { system.state.withLock { $0.closes == 1 } })
    }

    @Test func aDeviceThatHangsDoesNotHoldUpAStop() async throws {
        let system = WatchedSystem(hangs: true)
        let capturer = capturer(system)
        let stream = try await capturer.start(CaptureOptions())
        #expect(await eventually { system.state.withLock { $0.isHanging } })
        let began = ContinuousClock.now
        await capturer.stop(.full)
        let took = ContinuousClock.now - began
        print("stop of a device that hangs: \(took)")
        // The device hangs for ever.
        #expect(took < .seconds(20))
        for try await _ in stream {}
        #expect(system.state.withLock { $0.closes == 0 })
        system.gate.signal()
        #expect(await eventually { system.state.withLock { $0.closes == 1 } })
    }

    @Test(arguments: [false, true]) func aCapturerThatIsLetGoOfClosesItsDevice(_ isWarm: Bool) async throws {
        let system = WatchedSystem()
        do {
            let capturer = capturer(system)
            if isWarm {
                try await firstAudio(try await capturer.start(CaptureOptions()))
                await capturer.stop(.warm)
            }
            try await firstAudio(try await capturer.start(CaptureOptions()))
        }
        #expect(await eventually { system.state.withLock { $0.closes == 1 } })
    }

    @Test func aStreamThatIsStillReadKeepsItsDevice() async throws {
        let system = WatchedSystem()
        let stream = try await capturer(system).start(CaptureOptions())
        for _ in 0..<3 { try await firstAudio(stream) }
        #expect(system.state.withLock { $0.closes == 0 })
    }
}
