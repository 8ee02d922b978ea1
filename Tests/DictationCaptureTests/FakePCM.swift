import DictationCore
import DictationSystem
import Glibc
import Synchronization

@testable import DictationCapture

/// A machine whose clock moves when its device is waited for, and whose samples say which they are.
final class FakeSystem: PCMSystem {
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
        /// Reading gives an overrun, and the device can't be recovered; opening it again helps.
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
    let wake = Waker()
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

    func rest(_ duration: Duration, wake: Waker) {
        advance(duration)
        _ = due { if case .stop = $0 { true } else { false } }.map { _ in wake.wake() }
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

    func open(_ device: String, preferring format: AudioFormat, wake: Waker) throws(DictationError) -> any PCM {
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

final class FakePCM: PCM {
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

    func listen(to wake: Waker) {}
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
            system.wake.wake()
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
