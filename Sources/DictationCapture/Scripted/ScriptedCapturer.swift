public import DictationCore
import Synchronization

/// A microphone that follows a script, for tests and demos.
///
///     let microphone = ScriptedCapturer([
///         .tone(440, for: .seconds(2)), .unplug(for: .seconds(1)), .silence(for: .seconds(5)), .end,
///     ])
///
/// With `pacing: .live` the microphone uses the clock of `DictationRuntime.current`, so an hour passes in seconds in
/// `VirtualTime`. After the script's last step it delivers a quiet room until ``stop(_:)``; end the script with
/// ``Step/end`` to end the stream instead.
///
/// With `pacing: .onDemand` the microphone waits for its reader, like a file. Faults take no time, and the stream ends
/// with the script.
public final class ScriptedCapturer: AudioCapturer {
    /// The behavior of the microphone outside its script.
    public struct Behavior: Sendable {
        /// Whether recording is permitted. If it is denied, every start throws.
        public var authorization: AudioDevice.Authorization = .authorized
        /// The number of starts that fail, as if the microphone were busy, before one succeeds.
        public var openFailures = 0
        /// The time that a start takes.
        public var startDelay: Duration = .zero
        /// The time that a stop takes.
        public var stopDelay: Duration = .zero
        /// The duration of the audio that waits for a slow reader. Audio beyond it is lost.
        public var capacity: Duration = .seconds(5)
        /// The devices that the capturer lists.
        public var devices = [AudioDevice(id: "scripted", name: "Scripted microphone", isDefault: true)]

        /// Creates the behavior of a microphone without faults.
        public init() {}
    }

    /// The numbers of captured, delivered and lost frames.
    ///
    /// Once a stream has been read to its end, ``captured`` is the sum of ``delivered`` and ``lost``.
    public struct Counts: Sendable, Hashable {
        /// The number of frames that the microphone captured, including frames in gaps.
        public var captured: Int64 = 0
        /// The number of frames in the buffers that the reader received.
        public var delivered: Int64 = 0
        /// The number of frames in the gaps that the reader received.
        public var lost: Int64 = 0
        /// The number of starts, including failed starts.
        public var starts = 0
    }

    /// Whether audio comes at its own speed, or as fast as it is read.
    public let pacing: CaptureStream.Pacing
    private let takes: [[Step]]
    private let format: AudioFormat
    private let bufferDuration: Duration
    private let behavior: Behavior
    private let runtime = DictationRuntime.current
    private let frames = Watched(PlayedFrames())
    private let opened = Mutex((starts: 0, opens: 0))
    private let gate: CaptureGate<PlayedTake>

    /// Creates a microphone that plays the same script in every take.
    ///
    /// - Parameters:
    ///   - script: The steps of the script.
    ///   - format: The format of tones and silence.
    ///   - bufferDuration: The duration of each buffer.
    ///   - pacing: Whether audio comes at its own speed, or as fast as it is read.
    ///   - configure: Changes the microphone's behavior, for example `{ $0.openFailures = 2 }`.
    public convenience init(
        _ script: [Step], format: AudioFormat = .speech, bufferDuration: Duration = .milliseconds(100),
        pacing: CaptureStream.Pacing = .live, configure: (inout Behavior) -> Void = { _ in }
    ) {
        self.init(takes: [script], format: format, bufferDuration: bufferDuration, pacing: pacing, configure: configure)
    }

    /// Creates a microphone with one script per take.
    ///
    /// - Parameters:
    ///   - takes: The scripts. Takes after the last script repeat the last script.
    ///   - format: The format of tones and silence.
    ///   - bufferDuration: The duration of each buffer.
    ///   - pacing: Whether audio comes at its own speed, or as fast as it is read.
    ///   - configure: Changes the microphone's behavior.
    public init(
        takes: [[Step]], format: AudioFormat = .speech, bufferDuration: Duration = .milliseconds(100),
        pacing: CaptureStream.Pacing = .live, configure: (inout Behavior) -> Void = { _ in }
    ) {
        var behavior = Behavior()
        configure(&behavior)
        self.takes = takes
        self.format = format
        self.bufferDuration = bufferDuration
        self.pacing = pacing
        self.behavior = behavior
        gate = CaptureGate(hasEnded: \.hasEnded) { [runtime, behavior] take in
            await take.stop()
            if behavior.stopDelay > .zero { try? await runtime.sleep(behavior.stopDelay) }
            take.finish()
        }
    }

    /// The numbers of captured, delivered and lost frames in all takes.
    public var counts: Counts {
        let frames = frames.value
        return Counts(
            captured: frames.captured, delivered: frames.delivered, lost: frames.lost,
            starts: opened.withLock { $0.starts })
    }

    /// Whether recording is permitted.
    public var authorization: AudioDevice.Authorization { get async { behavior.authorization } }

    /// Returns the devices of the microphone's ``Behavior``.
    public func devices() async throws(DictationError) -> [AudioDevice] { behavior.devices }

    /// Starts to play the next take's script.
    ///
    /// - Parameter options: The device to use. The stream has the script's format, whatever format is preferred.
    /// - Throws: `permissionDenied` or `deviceUnavailable` if the microphone's ``Behavior`` asks for it; `deviceNotFound`
    ///   for an unknown device; `alreadyRunning` while a take runs; `fileUnreadable` if a file of the script can't be read.
    public func start(_ options: CaptureOptions) async throws(DictationError) -> CaptureStream {
        opened.withLock { $0.starts += 1 }
        let take = try await gate.start { () async throws(DictationError) in try await open(options) }
        take.begin()
        return take.stream
    }

    /// Stops the script. Audio that it has played until now can still be read.
    ///
    /// - Parameter mode: Ignored: a warm stop and a full stop are the same.
    public func stop(_ mode: CaptureOptions.StopMode) async { await gate.stop() }

    private func open(_ options: CaptureOptions) async throws(DictationError) -> PlayedTake {
        if behavior.startDelay > .zero {
            do { try await runtime.sleep(behavior.startDelay) } catch {
                throw DictationError(.cancelled, "The start was cancelled.")
            }
        }
        if case .denied(let advice) = behavior.authorization {
            throw DictationError(.permissionDenied, "Recording is not permitted.", recovery: advice)
        }
        if let wanted = options.device, !behavior.devices.contains(where: { $0.id == wanted }) {
            let names = behavior.devices.map(\.id).joined(separator: ", ")
            throw DictationError(
                .deviceNotFound, "There is no device “\(wanted)”.", recovery: "Choose one of: \(names).")
        }
        let number = opened.withLock { opened in
            opened.opens += 1
            return opened.opens
        }
        guard number > behavior.openFailures else {
            throw DictationError(.deviceUnavailable, "The microphone is busy.", recovery: "Try again in a moment.")
        }
        let index = min(number - behavior.openFailures, takes.count) - 1
        let player = try CaptureScript(
            index < 0 ? [] : takes[index], format: format, bufferDuration: bufferDuration,
            endsWithScript: pacing == .onDemand, device: device(options))
        return PlayedTake(player, pacing: pacing, capacity: behavior.capacity, runtime: runtime, counts: frames)
    }

    private func device(_ options: CaptureOptions) -> AudioDevice? {
        behavior.devices.first { options.device == nil ? $0.isDefault : $0.id == options.device }
    }
}
