import DictationCore
import Synchronization

/// Connects a keyboard to a dictation service.
///
/// It has a ``KeyboardBridge``, and does the part of its actions that concerns the service. A keyboard tells it what happens
/// in its fields, and does the rest:
///
///     let keyboard = DictationKeyboard(control: try DictationClient()) { action in
///         switch action {
///         case .write(let text, let field, _): print("“\(text)” belongs into \(field).")
///         case .preview(let text): print("\(text)…")
///         default: break
///         }
///     }
///     keyboard.handle(.focused(KeyboardField(id: "the letter")))
///     keyboard.handle(.pressed)
///
/// Releasing the keyboard ends its take, whose text is kept for ``DictationIntent/last``.
public final class DictationKeyboard: Sendable {
    /// A take on its way.
    private struct Recording {
        var hold: DictationHold?
        var work: Task<Void, Never>?
        var isCancelled = false
    }

    private struct State {
        var bridge = KeyboardBridge()
        var recordings: [KeyboardBridge.Request: Recording] = [:]
        var actions: [KeyboardBridge.Action] = []
        var isPerforming = false
    }

    private let state = Mutex(State())
    private let control: any DictationControl
    private let profile: String?
    private let perform: @Sendable (KeyboardBridge.Action) -> Void
    private let runtime = DictationRuntime.current

    /// Creates a keyboard without a field.
    ///
    /// - Parameters:
    ///   - control: The service.
    ///   - profile: The name of the profile of its takes; `nil` is the usual one.
    ///   - perform: Does what concerns the fields and the user: `write`, `preview`, `tell` and `inserted`. It is called for one
    ///     action at a time, on any thread, and may call ``handle(_:)``.
    public init(
        control: any DictationControl, profile: String? = nil,
        perform: @escaping @Sendable (KeyboardBridge.Action) -> Void
    ) {
        self.control = control
        self.profile = profile
        self.perform = perform
    }

    deinit { state.withLock { for recording in $0.recordings.values { recording.work?.cancel() } } }

    /// The field that has the focus; `nil` if none has it.
    public var field: KeyboardField? { state.withLock { $0.bridge.field } }
    /// Whether a take of this keyboard is recorded.
    public var isRecording: Bool { state.withLock { $0.bridge.isRecording } }

    /// Takes an event into account.
    public func handle(_ event: KeyboardBridge.Event) {
        let isFirst = state.withLock { state in
            state.actions += state.bridge.handle(event)
            defer { state.isPerforming = true }
            return !state.isPerforming
        }
        // The thread that performs actions now performs these as well, in their order.
        guard isFirst else { return }
        while let action = next() {
            switch action {
            case .begin(let request): begin(request)
            case .end(let request): end(request)
            case .cancel(let request): cancel(request)
            default: perform(action)
            }
        }
    }

    private func next() -> KeyboardBridge.Action? {
        state.withLock { state in
            guard !state.actions.isEmpty else {
                state.isPerforming = false
                return nil
            }
            return state.actions.removeFirst()
        }
    }

    // MARK: The service

    private func begin(_ request: KeyboardBridge.Request) {
        let (control, profile) = (control, profile)
        state.withLock { $0.recordings[request] = Recording() }
        let work = runtime.task { [weak self] in
            do throws(DictationError) {
                guard let take = try await self?.hold(request, control, profile) else { return }
                self?.handle(.began(request, take))
                var statuses = try await control.statusUpdates().makeAsyncIterator()
                while self?.waits(for: request) == true, let status = try await statuses.next() {
                    self?.handle(.status(status))
                }
                if self?.waits(for: request) == true { throw .serviceEnded }
            } catch {
                self?.handle(.failed(request, error))
                self?.forget(request)
            }
        }
        state.withLock { $0.recordings[request]?.work = work }
    }

    /// Begins a take; `nil` if it was cancelled meanwhile.
    private func hold(
        _ request: KeyboardBridge.Request, _ control: any DictationControl, _ profile: String?
    ) async throws(DictationError) -> TakeID? {
        let hold = try await control.hold(profile: profile)
        let isWanted = state.withLock { state in
            guard state.recordings[request]?.isCancelled == false else {
                state.recordings[request] = nil
                return false
            }
            state.recordings[request]?.hold = hold
            return true
        }
        guard isWanted else {
            await Self.cancel(hold, control)
            return nil
        }
        return hold.take
    }

    private func waits(for request: KeyboardBridge.Request) -> Bool {
        state.withLock { $0.bridge.waits(for: request) }
    }

    private func end(_ request: KeyboardBridge.Request) {
        guard let hold = state.withLock({ $0.recordings[request]?.hold }) else { return }
        runtime.task { [weak self] in
            do throws(DictationError) {
                let answer = try await hold.end()
                self?.handle(.ended(request, answer))
            } catch {
                self?.handle(.failed(request, error))
            }
            self?.forget(request)
        }
    }

    private func cancel(_ request: KeyboardBridge.Request) {
        let hold = state.withLock { state -> DictationHold? in
            state.recordings[request]?.isCancelled = true
            guard let hold = state.recordings[request]?.hold else { return nil }
            state.recordings[request]?.work?.cancel()
            state.recordings[request] = nil
            return hold
        }
        guard let hold else { return }
        let control = control
        runtime.task { await Self.cancel(hold, control) }
    }

    private static func cancel(_ hold: DictationHold, _ control: any DictationControl) async {
        // A take that has ended is not cancelled, so that nobody else's is.
        if let status = try? await control.status(), status.take == hold.take, status.isActive {
            try? await control.cancel()
        }
        _ = try? await hold.end()
    }

    private func forget(_ request: KeyboardBridge.Request) {
        let recording = state.withLock { $0.recordings.removeValue(forKey: request) }
        recording?.work?.cancel()
    }
}

extension DictationError {
    fileprivate static let serviceEnded = DictationError(
        .notRunning, "The dictation service has ended.",
        recovery: "Start it again. “dictate last” prints what was said.")
}
