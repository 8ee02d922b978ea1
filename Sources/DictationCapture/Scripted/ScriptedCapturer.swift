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
    private let count = Watched(Counts())
    private let opened = Mutex(0)
    private let phase = Watched(Phase.idle(nil))

    private enum Phase: Sendable {
        /// Nothing runs; the take is the last one.
        case idle(ScriptedTake?)
        case starting(Waiters.ID)
        case running(ScriptedTake)
        case stopping(ScriptedTake)

        var isStopping: Bool { if case .stopping = self { true } else { false } }
    }

    /// Makes a microphone that plays the same script each time it is started.
    ///
    /// `configure` changes its behaviour: `ScriptedCapturer([.end]) { $0.openFailures = 2 }`.
    public convenience init(
        _ script: [Step], format: AudioFormat = .speech, bufferDuration: Duration = .milliseconds(20),
        pacing: CapturePacing = .live, configure: (inout Behavior) -> Void = { _ in }
    ) {
        self.init(takes: [script], format: format, bufferDuration: bufferDuration, pacing: pacing, configure: configure)
    }

    /// Makes a microphone with a script for each start; the last one is for all later starts.
    public init(
        takes: [[Step]], format: AudioFormat = .speech, bufferDuration: Duration = .milliseconds(20),
        pacing: CapturePacing = .live, configure: (inout Behavior) -> Void = { _ in }
    ) {
        var behavior = Behavior()
        configure(&behavior)
        self.takes = takes
        self.format = format
        self.bufferDuration = bufferDuration
        self.pacing = pacing
        self.behavior = behavior
    }

    /// How many frames went where, over all takes.
    public var counts: Counts { count.value }

    /// Whether recording is permitted.
    public var authorization: CaptureAuthorization { get async { behavior.authorization } }

    /// The devices that the script's author gave it.
    public func devices() async throws(DictationError) -> [AudioDevice] { behavior.devices }

    /// Starts to play the script, or the next take's.
    public func start(_ options: CaptureOptions) async throws(DictationError) -> CaptureStream {
        let id = try await reserve()
        let take: ScriptedTake
        do throws(DictationError) {
            take = try await open(options)
        } catch {
            phase.change { if case .starting(let current) = $0, current === id { $0 = .idle(nil) } }
            throw error
        }
        let isStillWanted = phase.change { phase in
            guard case .starting(let current) = phase, current === id else { return false }
            phase = .running(take)
            return true
        }
        guard isStillWanted else { throw DictationError(.cancelled, "The microphone was stopped while it started.") }
        take.begin()
        return take.stream
    }

    /// Stops the script; what it played until now can still be read.
    public func stop(_ mode: CaptureStopMode) async {
        let running = phase.change { phase -> ScriptedTake? in
            switch phase {
            case .starting: phase = .idle(nil)
            case .running(let take):
                phase = .stopping(take)
                return take
            case .idle, .stopping: break
            }
            return nil
        }
        if let running {
            // In a task of its own: a caller that is cancelled still gets a whole stop.
            await runtime.task { [runtime, behavior] in
                await running.stop()
                if behavior.stopDelay > .zero { try? await runtime.sleep(behavior.stopDelay) }
                running.finish()
            }.value
            phase.change { $0 = .idle(running) }
        } else {
            _ = await phase.first { $0.isStopping ? nil : true }
        }
    }

    /// Waits for a stop that is under way, then holds the place of a new take.
    private func reserve() async throws(DictationError) -> Waiters.ID {
        let id = Waiters.ID()
        count.change { $0.starts += 1 }
        while true {
            let isFree = phase.change { phase -> Bool? in
                switch phase {
                case .stopping: return nil
                case .starting: return false
                case .running(let take) where !take.hasEnded: return false
                case .running, .idle:
                    phase = .starting(id)
                    return true
                }
            }
            switch isFree {
            case true?: return id
            case false?:
                throw DictationError(
                    .alreadyRunning, "The microphone records already.", recovery: "Stop it before the next start.")
            case nil:
                guard await phase.first({ $0.isStopping ? nil : true }) != nil else {
                    throw DictationError(.cancelled, "The start was cancelled.")
                }
            }
        }
    }

    private func open(_ options: CaptureOptions) async throws(DictationError) -> ScriptedTake {
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
            opened += 1
            return opened
        }
        guard number > behavior.openFailures else {
            throw DictationError(.deviceUnavailable, "The microphone is busy.", recovery: "Try again in a moment.")
        }
        let index = min(number - behavior.openFailures, takes.count) - 1
        let player = try ScriptPlayer(
            index < 0 ? [] : takes[index], format: format, bufferDuration: bufferDuration,
            endsWithScript: pacing == .onDemand, device: device(options))
        return ScriptedTake(player, pacing: pacing, capacity: behavior.capacity, runtime: runtime, counts: count)
    }

    private func device(_ options: CaptureOptions) -> AudioDevice? {
        behavior.devices.first { options.device == nil ? $0.isDefault : $0.id == options.device }
    }
}
