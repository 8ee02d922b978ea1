import DictationCore
import DictationSystem

/// The work of a capture thread: reads the device, recovers it after a failure as a ``CaptureMachine`` says, and reports what
/// was lost.
///
/// When frames arrive again after an outage, the frames that the clock misses become a gap. So captured and lost frames
/// always add up to the time that has passed.
final class CaptureLoop {
    struct Settings: Sendable {
        /// The time for which an open device may deliver nothing before the loop reports an interruption.
        var noDataLimit = Duration.seconds(1)
        /// The time for which an open device may deliver nothing before the loop opens it again.
        var reopenAfter = Duration.seconds(10)
        /// The time for which the loop waits for a lost device.
        var givesUpAfter = Duration.seconds(60)
        /// The number of recoveries in one second after which the loop opens the device again.
        var recoveriesPerSecond = 5
    }

    private let system: any PCMSystem
    private let device: String
    private let preferred: AudioFormat
    private let feed: CaptureFeed
    private let wake: Waker
    private var machine: CaptureMachine
    private var pcm: (any PCM)?
    private var route = ""
    private var clock: CaptureClock?
    private var buffer = UnsafeMutableRawBufferPointer(start: nil, count: 0)

    init(
        _ system: any PCMSystem, device: String, preferring preferred: AudioFormat, feed: CaptureFeed,
        wake: Waker, settings: Settings = Settings()
    ) {
        self.system = system
        self.device = device
        self.preferred = preferred
        self.feed = feed
        self.wake = wake
        machine = CaptureMachine(settings, at: system.now)
    }

    deinit { buffer.deallocate() }

    /// The device with its current display name. Another device may now have the same identifier.
    private var deviceInfo: AudioDevice {
        system.devices().first { $0.id == device }
            ?? AudioDevice(id: device, name: device, isDefault: device == "default")
    }

    /// Starts a device that is already open. If there is none, or it does not start, opens the device and starts it.
    func open(_ warm: (any PCM)? = nil) throws(DictationError) {
        if let warm, warm.start() >= 0 {
            adopt(warm)
            return
        }
        warm?.close()
        let pcm = try system.open(device, preferring: preferred, wake: wake)
        let code = pcm.start()
        guard code >= 0 else {
            pcm.close()
            throw DictationError(
                .deviceUnavailable, "The device “\(device)” does not start.",
                recovery: "Try again, or choose another device.", underlying: .alsa(code))
        }
        adopt(pcm)
    }

    /// Captures until the thread is woken, then halts the device.
    ///
    /// - Returns: The device, still open; or `nil` if it was lost.
    func run() -> (any PCM)? {
        while !wake.isRaised, !machine.hasGivenUp {
            guard let pcm else {
                reopen()
                continue
            }
            switch pcm.wait(.milliseconds(100)) {
            case .ready: readAll(pcm)
            case .unready: waitInVain()
            case .timedOut: watchForData()
            case .woken: break
            }
        }
        guard !machine.hasGivenUp else { return nil }
        if let pcm { readAll(pcm) }
        settle(atHand: .zero)
        feed.finish()
        pcm?.halt()
        return pcm
    }

    // MARK: Reading

    private func readAll(_ pcm: any PCM) {
        // The limit lets a stop through, however fast the device delivers.
        for _ in 0..<64 {
            let count = pcm.read(into: buffer)
            guard count > 0 else {
                fail(pcm, count)
                return
            }
            received(count, from: pcm)
        }
    }

    private func received(_ frames: Int, from pcm: any PCM) {
        let now = system.now
        machine.receive(at: now)
        if machine.outage != nil || clock?.format != pcm.format {
            let atHand = Int64(frames + max(0, pcm.available()))
            settle(atHand: pcm.format.duration(ofFrames: atHand))
            if clock?.format != pcm.format {
                clock = CaptureClock(format: pcm.format, firstFrames: Int(atHand), now: now)
            }
            if pcm.route != route {
                if !route.isEmpty { feed.send(.routeChanged(deviceInfo)) }
                route = pcm.route
            }
        }
        clock?.count(frames: frames)
        feed.write(
            UnsafeRawBufferPointer(rebasing: buffer[..<(frames * pcm.format.bytesPerFrame)]), format: pcm.format)
    }

    /// Ends an outage and reports the frames that are missing by now as a gap.
    private func settle(atHand: Duration) {
        guard let ended = machine.endOutage() else { return }
        if let lost = clock?.settle(now: system.now, atHand: atHand), let format = clock?.format {
            feed.lose(frames: lost, format: format, cause: ended.cause)
        }
        if ended.interruption != nil, atHand > .zero { feed.send(.resumed(deviceInfo)) }
    }

    private func watchForData() {
        let silence = machine.lookForData(at: system.now)
        report(silence.report)
        if silence.isTooLong { drop() }
    }

    private func report(_ interruption: CaptureEvent.InterruptionCause?) {
        if let interruption { feed.send(.interrupted(interruption)) }
    }

    // MARK: Failing

    private func fail(_ pcm: any PCM, _ code: Int) {
        switch Int32(clamping: -code) {
        case 0, EAGAIN, EINTR:
            if machine.isFirstInVain, let lost = clock?.check(now: system.now), lost > 0, let format = clock?.format {
                feed.lose(frames: lost, format: format, cause: .stalled)
            }
            waitInVain()
        case EPIPE:
            report(machine.begin(.init(cause: .overrun)))
            recover(pcm, code)
        case ESTRPIPE:
            report(machine.begin(.init(cause: .suspended, interruption: .suspended)))
            resume(pcm)
        default:
            drop()
        }
    }

    private func waitInVain() {
        let rests = machine.wakeInVain()
        watchForData()
        if rests { system.rest(.milliseconds(5), wake: wake) }
    }

    private func recover(_ pcm: any PCM, _ code: Int) {
        guard machine.mayRecover(at: system.now), pcm.recover(code) >= 0 else {
            drop()
            return
        }
        startIfPrepared(pcm)
    }

    private func resume(_ pcm: any PCM) {
        guard machine.mayRecover(at: system.now) else {
            drop()
            return
        }
        while !wake.isRaised {
            let code = pcm.resume()
            if code == -Int(EAGAIN) {
                system.rest(.milliseconds(50), wake: wake)
                continue
            }
            guard code >= 0 || pcm.recover(-Int(EPIPE)) >= 0 else {
                drop()
                return
            }
            startIfPrepared(pcm)
            return
        }
    }

    /// Starts the device, unless it already runs. A recovered device is only prepared; a resumed device runs.
    private func startIfPrepared(_ pcm: any PCM) {
        if pcm.isPrepared, pcm.start() < 0 { drop() }
    }

    // MARK: Opening again

    private func adopt(_ new: any PCM) {
        pcm = new
        machine.open(at: system.now)
        let byteCount = max(1, new.periodFrames) * new.format.bytesPerFrame
        if buffer.count != byteCount {
            buffer.deallocate()
            buffer = .allocate(byteCount: byteCount, alignment: 16)
        }
    }

    private func drop() {
        pcm?.close()
        pcm = nil
        report(machine.lose(at: system.now))
    }

    private func reopen() {
        guard let delay = machine.retry(at: system.now) else {
            settle(atHand: .zero)
            feed.finish(
                throwing: DictationError(
                    .deviceLost, "The device “\(device)” went away and did not come back.",
                    recovery: "Plug it in again, or choose another one."))
            return
        }
        system.rest(delay, wake: wake)
        if !wake.isRaised { try? open() }
    }
}
