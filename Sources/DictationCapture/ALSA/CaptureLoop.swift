import DictationCore
import Glibc

/// What a capture thread does: reads the device, brings it back when it fails, and accounts for what was lost.
///
/// Everything that goes wrong is an outage. When frames come again, what the clock misses by then becomes a gap; so
/// what was captured and what was lost always add up to the time that passed.
final class CaptureLoop {
    struct Settings: Sendable {
        /// How long an open device may give nothing before that is said.
        var noDataLimit = Duration.seconds(1)
        /// How long an open device may give nothing before it is opened anew.
        var reopenAfter = Duration.seconds(10)
        /// How long a lost device is waited for.
        var givesUpAfter = Duration.seconds(60)
        /// How often a device may be recovered in a second before it is opened anew.
        var recoveriesPerSecond = 5
    }

    private struct Outage {
        var cause: AudioGap.Cause
        var interruption: InterruptionCause?
    }

    private let system: any PCMSystem
    private let device: String
    private let preferred: AudioFormat
    private let feed: CaptureFeed
    private let wake: WakeDescriptor
    private let settings: Settings
    private var pcm: (any PCM)?
    private var route = ""
    private var clock: CaptureClock?
    private var outage: Outage?
    private var buffer = UnsafeMutableRawBufferPointer(start: nil, count: 0)
    private var lastData: Duration
    private var lastOpened: Duration
    private var failingSince: Duration?
    private static let backOff = BackOff(first: .milliseconds(100), longest: .seconds(2))
    private var reopenings = 0
    private var vainWakes = 0
    private var recoveries: (count: Int, since: Duration) = (0, .zero)
    private var hasGivenUp = false

    init(
        _ system: any PCMSystem, device: String, preferring preferred: AudioFormat, feed: CaptureFeed,
        wake: WakeDescriptor, settings: Settings = Settings()
    ) {
        self.system = system
        self.device = device
        self.preferred = preferred
        self.feed = feed
        self.wake = wake
        self.settings = settings
        lastData = system.now
        lastOpened = lastData
    }

    deinit { buffer.deallocate() }

    /// The device by the name that a person knows, as it is now: another one may have come by the same identifier.
    private var deviceInfo: AudioDevice {
        system.devices().first { $0.id == device }
            ?? AudioDevice(id: device, name: device, isDefault: device == "default")
    }

    /// Opens the device, or takes one that is open, and starts it.
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

    /// Captures until the wake descriptor is raised; gives the device back, open but halted.
    func run() -> (any PCM)? {
        while !wake.isRaised, !hasGivenUp {
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
        guard !hasGivenUp else { return nil }
        if let pcm { readAll(pcm) }
        settle(atHand: .zero)
        feed.finish()
        pcm?.halt()
        return pcm
    }

    // MARK: Reading

    private func readAll(_ pcm: any PCM) {
        // The limit lets a stop through, however fast the device gives.
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
        lastData = now
        vainWakes = 0
        if outage != nil || clock?.format != pcm.format {
            let atHand = Int64(frames + max(0, pcm.available()))
            settle(atHand: pcm.format.duration(ofFrames: atHand))
            if clock?.format != pcm.format {
                clock = CaptureClock(format: pcm.format, firstFrames: Int(atHand), now: now)
            }
            if pcm.route != route {
                if !route.isEmpty { feed.send(.routeChanged(deviceInfo)) }
                route = pcm.route
            }
            failingSince = nil
            reopenings = 0
        }
        clock?.count(frames: frames)
        feed.write(
            UnsafeRawBufferPointer(rebasing: buffer[..<(frames * pcm.format.bytesPerFrame)]), format: pcm.format)
    }

    /// Ends an outage: what is missing by now is a gap.
    private func settle(atHand: Duration) {
        guard let ended = outage else { return }
        outage = nil
        if let lost = clock?.settle(now: system.now, atHand: atHand), let format = clock?.format {
            feed.lose(frames: lost, format: format, cause: ended.cause)
        }
        if ended.interruption != nil, atHand > .zero { feed.send(.resumed(deviceInfo)) }
    }

    private func watchForData() {
        let now = system.now
        let silence = now - lastData
        if silence >= settings.noDataLimit { begin(Outage(cause: .stalled, interruption: .noData)) }
        if silence >= settings.reopenAfter, now - lastOpened >= settings.reopenAfter { drop() }
    }

    /// Begins an outage, or makes the one that goes on more precise.
    private func begin(_ new: Outage) {
        let old = outage
        // That nothing comes, yet, from a device that was suspended or lost is no news.
        if let old, old.interruption != nil, new.interruption == nil || new.interruption == .noData { return }
        if old?.interruption == .deviceLost { return }
        outage = new
        if let interruption = new.interruption, interruption != old?.interruption {
            feed.send(.interrupted(interruption))
        }
    }

    // MARK: Failing

    private func fail(_ pcm: any PCM, _ code: Int) {
        switch Int32(clamping: -code) {
        case 0, EAGAIN, EINTR:
            if outage == nil, vainWakes == 0, let lost = clock?.check(now: system.now), lost > 0,
                let format = clock?.format
            {
                feed.lose(frames: lost, format: format, cause: .stalled)
            }
            waitInVain()
        case EPIPE:
            begin(Outage(cause: .overrun, interruption: nil))
            recover(pcm, code)
        case ESTRPIPE:
            begin(Outage(cause: .suspended, interruption: .suspended))
            resume(pcm)
        default:
            drop()
        }
    }

    /// Some devices wake who waits for them, with nothing to read, a hundred thousand times a second.
    private func waitInVain() {
        vainWakes += 1
        watchForData()
        if vainWakes > 2 { system.rest(.milliseconds(5), wake: wake) }
    }

    private func recover(_ pcm: any PCM, _ code: Int) {
        guard mayRecover(), pcm.recover(code) >= 0 else {
            drop()
            return
        }
        startIfPrepared(pcm)
    }

    private func resume(_ pcm: any PCM) {
        guard mayRecover() else {
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

    /// A device that has to be recovered again and again is not one that works.
    private func mayRecover() -> Bool {
        let now = system.now
        if now - recoveries.since >= .seconds(1) { recoveries = (0, now) }
        recoveries.count += 1
        return recoveries.count <= settings.recoveriesPerSecond
    }

    /// A device that was recovered is prepared; one that was resumed runs already.
    private func startIfPrepared(_ pcm: any PCM) {
        if pcm.isPrepared, pcm.start() < 0 { drop() }
    }

    // MARK: Opening anew

    private func adopt(_ new: any PCM) {
        pcm = new
        lastOpened = system.now
        let byteCount = max(1, new.periodFrames) * new.format.bytesPerFrame
        if buffer.count != byteCount {
            buffer.deallocate()
            buffer = .allocate(byteCount: byteCount, alignment: 16)
        }
    }

    private func drop() {
        pcm?.close()
        pcm = nil
        failingSince = failingSince ?? system.now
        begin(Outage(cause: .unplugged, interruption: .deviceLost))
    }

    private func reopen() {
        if let failingSince, system.now - failingSince >= settings.givesUpAfter {
            hasGivenUp = true
            settle(atHand: .zero)
            feed.finish(
                throwing: DictationError(
                    .deviceLost, "The device “\(device)” went away and did not come back.",
                    recovery: "Plug it in again, or choose another one."))
            return
        }
        reopenings += 1
        system.rest(Self.backOff.delay(afterFailures: reopenings), wake: wake)
        if !wake.isRaised { try? open() }
    }
}
