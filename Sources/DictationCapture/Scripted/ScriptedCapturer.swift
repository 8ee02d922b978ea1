public import DictationCore
import Synchronization

/// A microphone that follows a script, for tests and demos.
///
///     let microphone = ScriptedCapturer([
///         .tone(440, for: .seconds(2)), .unplug(for: .seconds(1)), .silence(for: .seconds(5)), .end,
///     ])
///
/// A live one keeps time with `DictationRuntime.current`, so that in `VirtualTime` an hour takes a moment; when its
/// script is over and did not say `.end`, the room stays quiet until `stop(_:)`. With `pacing: .onDemand` it waits for
/// its reader as a file would, faults take no time, and the end of the script is the end.
public final class ScriptedCapturer: AudioCapturer {
    /// How the microphone behaves apart from its script.
    public struct Behavior: Sendable {
        /// Whether recording is permitted; when it is not, every start throws.
        public var authorization: CaptureAuthorization = .authorized
        /// How many starts fail for a passing reason before one succeeds.
        public var openFailures = 0
        /// How long a start takes.
        public var startDelay: Duration = .zero
        /// How long a stop takes.
        public var stopDelay: Duration = .zero
        /// How much audio waits for a slow reader before some is lost.
        public var capacity: Duration = .seconds(5)
        /// The devices there are.
        public var devices = [AudioDevice(id: "scripted", name: "Scripted microphone", isDefault: true)]

        /// Makes the behaviour of a good microphone.
        public init() {}
    }

    /// How many frames went where. A stream that was read to its end has delivered and lost what was captured.
    public struct Counts: Sendable, Hashable {
        /// The frames that the microphone's clock counted, those in gaps included.
        public var captured: Int64 = 0
        /// The frames that the reader got.
        public var delivered: Int64 = 0
        /// The frames in gaps that the reader was told of.
        public var lost: Int64 = 0
        /// How many starts there were, failed ones included.
        public var starts = 0
    }

    /// Whether audio comes by itself, or as fast as it is asked for.
    public let pacing: CapturePacing
    private let takes: [[Step]]
    private let format: AudioFormat
    private let bufferDuration: Duration
    private let behavior: Behavior
    private let runtime = DictationRuntime.current
    private let frames = Watched(PlayedFrames())
    private let opened = Mutex((starts: 0, opens: 0))
    private let gate: CaptureGate<PlayedTake>

    /// Makes a microphone that plays the same script each time it is started.
    ///
    /// `configure` changes its behaviour: `ScriptedCapturer([.end]) { $0.openFailures = 2 }`.
    public convenience init(
        _ script: [Step], format: AudioFormat = .speech, bufferDuration: Duration = .milliseconds(100),
        pacing: CapturePacing = .live, configure: (inout Behavior) -> Void = { _ in }
    ) {
        self.init(takes: [script], format: format, bufferDuration: bufferDuration, pacing: pacing, configure: configure)
    }

    /// Makes a microphone with a script for each start; the last one is for all later starts.
    public init(
        takes: [[Step]], format: AudioFormat = .speech, bufferDuration: Duration = .milliseconds(100),
        pacing: CapturePacing = .live, configure: (inout Behavior) -> Void = { _ in }
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

    /// How many frames went where, over all takes.
    public var counts: Counts {
        let frames = frames.value
        return Counts(
            captured: frames.captured, delivered: frames.delivered, lost: frames.lost,
            starts: opened.withLock { $0.starts })
    }

    /// Whether recording is permitted.
    public var authorization: CaptureAuthorization { get async { behavior.authorization } }

    /// The devices that the script's author gave it.
    public func devices() async throws(DictationError) -> [AudioDevice] { behavior.devices }

    /// Starts to play the script, or the next take's.
    public func start(_ options: CaptureOptions) async throws(DictationError) -> CaptureStream {
        opened.withLock { $0.starts += 1 }
        let take = try await gate.start { () async throws(DictationError) in try await open(options) }
        take.begin()
        return take.stream
    }

    /// Stops the script; what it played until now can still be read.
    public func stop(_ mode: CaptureStopMode) async { await gate.stop() }

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
