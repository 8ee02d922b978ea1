public import DictationCore
import Synchronization

/// The microphone of a service: it tells the user when it opens and closes, and a `VoiceTrigger` can listen to it between
/// takes.
///
///     let microphone = ServiceMicrophone(capturer, cue: try SoundCue())
///     let session = DictationSession(engine: engine, capturer: microphone)
///     let service = DictationService(session: session)
///
/// No take contains a ``MicrophoneCue`` that can be heard: the take begins after the cue for opening, and the cue for
/// closing begins after the take.
public final class ServiceMicrophone: AudioCapturer {
    private enum Use: Sendable {
        case nothing
        /// A listener opens the device.
        case opening
        case listening(MicrophoneTap)
        case take(MicrophoneTap?)
    }

    private struct State: Sendable {
        var use = Use.nothing
        var stops = 0
        /// The number of cues for closing that have not ended.
        var closingCues = 0
    }

    private let capturer: any AudioCapturer
    private let cues: Mutex<(any MicrophoneCue)?>
    private let state = Watched(State())
    private let runtime = DictationRuntime.current

    /// Creates a microphone.
    ///
    /// - Parameters:
    ///   - capturer: The source of the audio.
    ///   - cue: Tells the user that the microphone opens and closes; `nil` is silent.
    public init(_ capturer: any AudioCapturer, cue: (any MicrophoneCue)? = nil) {
        self.capturer = capturer
        cues = Mutex(cue)
    }

    /// Tells the user that the microphone opens and closes. A change applies from the next take on.
    public var cue: (any MicrophoneCue)? {
        get { cues.withLock { $0 } }
        set { cues.withLock { $0 = newValue } }
    }

    /// Whether audio comes at its own speed.
    public var pacing: CaptureStream.Pacing { capturer.pacing }
    /// Whether recording is permitted.
    public var authorization: AudioDevice.Authorization { get async { await capturer.authorization } }
    /// Returns the available devices.
    public func devices() async throws(DictationError) -> [AudioDevice] { try await capturer.devices() }

    // MARK: Takes

    /// Starts to capture for a take. See `AudioCapturer.start(_:)`.
    public func start(_ options: CaptureOptions) async throws(DictationError) -> CaptureStream {
        let stops = state.value.stops
        let cue = pacing == .live ? cue : nil
        let feed = CaptureFeed()
        var tap: MicrophoneTap?
        let entry = await enter(options)
        switch entry {
        case .takesOver(let open): tap = open
        case .opens, .isBusy:
            let stream: CaptureStream
            do throws(DictationError) { stream = try await capturer.start(options) } catch {
                if case .opens = entry { leave() }
                throw error
            }
            if cue != nil { tap = MicrophoneTap(options.device, feed) }
            let isWanted = state.change { [tap] state in
                guard state.stops == stops else { return false }
                state.use = .take(tap)
                return true
            }
            guard isWanted else {
                await capturer.stop(.full)
                throw Self.stopped
            }
            guard let tap else { return stream }
            tap.read(stream)
        }
        if let tap { await begin(feed, from: tap, cue, unless: stops) }
        guard state.value.stops == stops else { throw Self.stopped }
        return feed.stream
    }

    /// Tells the user with the first audio, and passes the audio on to a take.
    private func begin(
        _ take: CaptureFeed, from tap: MicrophoneTap, _ cue: (any MicrophoneCue)?, unless stops: Int
    ) async {
        // Whoever is speaking already needs no sound, which would be in the take.
        guard let cue, !(cue.isAudible && tap.hasBeginning) else { return tap.pass(to: take) }
        if cue.isAudible { tap.leaveOut(of: take) } else { tap.pass(to: take) }
        let state = state
        let opening = runtime.task {
            defer { tap.pass(to: take) }
            guard await tap.delivers() else { return false }
            _ = await state.first { $0.closingCues == 0 || $0.stops != stops ? true : nil }
            guard state.value.stops == stops else { return false }
            await cue.microphoneOpened()
            return true
        }
        tap.opening.withLock { $0 = opening }
        // A device that delivers nothing must not keep the take from beginning, which then says so.
        if cue.isAudible { _ = await runtime.within(Self.audioTimeout) { await opening.value } }
    }

    /// How long a take waits for the first audio of its device and the cue that follows.
    private static let audioTimeout = Duration.seconds(2)

    private static let stopped = DictationError(
        .cancelled, "The microphone was stopped while it started.", recovery: "Start it again.")

    /// Stops to capture for a take. See `AudioCapturer.stop(_:)`.
    public func stop(_ mode: CaptureOptions.StopMode) async {
        let use = state.change { state in
            state.stops += 1
            return state.use
        }
        switch use {
        case .nothing: await capturer.stop(mode)
        // A take has no part in what a listener does.
        case .opening, .listening: break
        case .take(let tap):
            await capturer.stop(mode)
            await tap?.ended()
            let hasTold = state.change { state in
                guard case .take = state.use else { return false }
                state.use = .nothing
                return true
            }
            if hasTold, let tap { tellOfTheEnd(of: tap) }
        }
    }

    /// Tells the user, unless a microphone that never opened would seem to close.
    private func tellOfTheEnd(of tap: MicrophoneTap) {
        guard let cue else { return }
        state.change { $0.closingCues += 1 }
        let state = state
        runtime.task {
            if await tap.opening.withLock({ $0 })?.value ?? true { await cue.microphoneClosed() }
            state.change { $0.closingCues -= 1 }
        }
    }

    /// How a take comes by the device.
    private enum Entry {
        case opens
        case takesOver(MicrophoneTap)
        /// Another take has it.
        case isBusy
    }

    /// Takes the device from whoever listens to it.
    private func enter(_ options: CaptureOptions) async -> Entry {
        while true {
            _ = await state.first { state -> Bool? in if case .opening = state.use { nil } else { true } }
            let (entry, other) = state.change { state -> (Entry?, MicrophoneTap?) in
                switch state.use {
                case .take: return (.isBusy, nil)
                case .listening(let tap) where tap.device == options.device:
                    state.use = .take(tap)
                    return (.takesOver(tap), nil)
                case .listening(let tap): return (nil, tap)
                // A task that was cancelled does not wait, and the capturer decides.
                case .opening where !Task.isCancelled: return (nil, nil)
                case .opening, .nothing:
                    state.use = .take(nil)
                    return (.opens, nil)
                }
            }
            if let entry { return entry }
            if let other { await stopListening(other) }
        }
    }

    private func leave() {
        state.change { state in
            if case .take(nil) = state.use { state.use = .nothing }
        }
    }

    // MARK: Listening

    /// Opens the microphone for a listener when no take has it and no cue is to be heard.
    ///
    /// - Parameters:
    ///   - options: The device.
    ///   - end: Called when the listener hears no more: with `nil` because a take has the microphone, otherwise with the
    ///     error of the device.
    ///   - hear: Gets the audio, with its time since the microphone opened. It must not block.
    /// - Returns: The tap; `nil` if the task was cancelled.
    package func listen(
        _ options: CaptureOptions, end: @escaping @Sendable (DictationError?) -> Void,
        hear: @escaping @Sendable (AudioBuffer) -> Void
    ) async throws(DictationError) -> MicrophoneTap? {
        guard await reserve() else { return nil }
        let tap = MicrophoneTap(options.device, MicrophoneTap.Listener(hear: hear, end: end))
        do throws(DictationError) {
            let stream = try await capturer.start(options)
            tap.read(stream)
            state.change { $0.use = .listening(tap) }
        } catch {
            state.change { $0.use = .nothing }
            throw error
        }
        return tap
    }

    /// Closes the microphone of a listener, unless a take has it by now.
    package func stopListening(_ tap: MicrophoneTap) async {
        let isOpen = state.change { state in
            guard case .listening(let open) = state.use, open === tap else { return false }
            // Nobody opens the device before it is closed.
            state.use = .opening
            return true
        }
        guard isOpen else { return }
        await capturer.stop(.full)
        await tap.ended()
        state.change { $0.use = .nothing }
    }

    /// Waits until the device is free; `false` if the task was cancelled.
    private func reserve() async -> Bool {
        while true {
            let isFree = await state.first { state -> Bool? in
                if case .nothing = state.use, state.closingCues == 0 { true } else { nil }
            }
            guard isFree != nil else { return false }
            let isMine = state.change { state in
                guard case .nothing = state.use, state.closingCues == 0 else { return false }
                state.use = .opening
                return true
            }
            if isMine { return true }
        }
    }
}
