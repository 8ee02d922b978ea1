import DictationCore
public import DictationService
import Synchronization

/// Connects a keyboard to a dictation service.
///
/// It has a ``KeyboardMachine``, and does the part of its actions that concerns the service. A keyboard tells it what happens
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
/// While it lives, the service can write into its fields, also texts of takes that others began: see `KeyboardDestination`.
/// Releasing the keyboard ends its take, whose text is kept for `DictationIntent.last`.
public final class DictationKeyboard: Sendable {
    /// A take on its way.
    private struct Recording {
        var hold: DictationHold?
        var work: Task<Void, Never>?
        var isCancelled = false
    }

    private struct State {
        var machine = KeyboardMachine()
        var recordings: [KeyboardMachine.Request: Recording] = [:]
        var actions: [KeyboardMachine.Action] = []
        var isPerforming = false
        /// The connection to a service that writes into the fields; `nil` if there is none now.
        var offer: FieldOffer?
        /// The texts that the service wants in a field, by numbers that no caller of ``handle(_:)`` uses.
        var orders: [Int: Int] = [:]
        var orderCount = 0
    }

    private let state = Mutex(State())
    private let offering = Mutex<Task<Void, Never>?>(nil)
    private let control: any DictationControl
    private let profile: String?
    private let perform: @Sendable (KeyboardMachine.Action) -> Void
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
        perform: @escaping @Sendable (KeyboardMachine.Action) -> Void
    ) {
        self.control = control
        self.profile = profile
        self.perform = perform
        guard let service = control as? any FieldWriting else { return }
        let task = runtime.task { [runtime, weak self] in
            let backOff = BackOff(first: .milliseconds(500), longest: .seconds(10))
            var failures = 0
            while !Task.isCancelled {
                do throws(DictationError) {
                    let offer = try await service.offerFields()
                    failures = 0
                    self?.use(offer)
                    while true {
                        let order = try await offer.next()
                        guard let self else { return }
                        carryOut(order)
                    }
                } catch {
                    self?.use(nil)
                }
                failures += 1
                guard self != nil, (try? await runtime.sleep(backOff.delay(afterFailures: failures))) != nil else {
                    return
                }
            }
        }
        offering.withLock { $0 = task }
    }

    deinit {
        offering.withLock { $0 }?.cancel()
        state.withLock { for recording in $0.recordings.values { recording.work?.cancel() } }
    }

    /// The field that has the focus; `nil` if none has it.
    public var field: KeyboardField? { state.withLock { $0.machine.field } }
    /// Whether a take of this keyboard is recorded.
    public var isRecording: Bool { state.withLock { $0.machine.isRecording } }

    /// Takes an event into account.
    public func handle(_ event: KeyboardMachine.Event) {
        let isFirst = state.withLock { state in
            let before = state.machine.field?.id
            state.actions += state.machine.handle(event)
            let field = state.machine.field?.id
            if field != before { state.offer?.tell(.focus(field)) }
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
            case .inserted(let number, let outcome) where number < 0: answer(number, outcome.delivery)
            default: perform(action)
            }
        }
    }

    private func next() -> KeyboardMachine.Action? {
        state.withLock { state in
            guard !state.actions.isEmpty else {
                state.isPerforming = false
                return nil
            }
            return state.actions.removeFirst()
        }
    }

    // MARK: The service's texts

    private func use(_ offer: FieldOffer?) {
        state.withLock { state in
            (state.offer, state.orders) = (offer, [:])
            offer?.tell(.focus(state.machine.field?.id))
        }
    }

    private func carryOut(_ order: FieldOrder) {
        switch order {
        case .show(let text, let field): handle(.show(text, in: field))
        case .write(let text):
            let number = state.withLock { state in
                state.orderCount -= 1
                state.orders[state.orderCount] = text.number
                return state.orderCount
            }
            handle(
                .insert(KeyboardMachine.InsertedText(text.text, number: number, take: text.take, field: text.field)))
        }
    }

    private func answer(_ number: Int, _ outcome: TextDelivery.Outcome) {
        let (offer, order) = state.withLock { ($0.offer, $0.orders.removeValue(forKey: number)) }
        if let order { offer?.tell(.outcome(number: order, outcome)) }
    }

    // MARK: The service

    private func begin(_ request: KeyboardMachine.Request) {
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
        _ request: KeyboardMachine.Request, _ control: any DictationControl, _ profile: String?
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

    private func waits(for request: KeyboardMachine.Request) -> Bool {
        state.withLock { $0.machine.waits(for: request) }
    }

    private func end(_ request: KeyboardMachine.Request) {
        guard let hold = state.withLock({ $0.recordings[request]?.hold }) else { return }
        runtime.task { [weak self] in
            do throws(DictationError) {
                let answer = try await hold.release()
                self?.handle(.ended(request, answer))
            } catch {
                self?.handle(.failed(request, error))
            }
            self?.forget(request)
        }
    }

    private func cancel(_ request: KeyboardMachine.Request) {
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
        _ = try? await hold.release()
    }

    private func forget(_ request: KeyboardMachine.Request) {
        let recording = state.withLock { $0.recordings.removeValue(forKey: request) }
        recording?.work?.cancel()
    }
}

extension KeyboardMachine.Insertion {
    /// What a destination says of it.
    fileprivate var delivery: TextDelivery.Outcome {
        switch self {
        case .written: .delivered
        case .noField: .noField
        case .moved: .refused("The focus has moved since the take began.")
        case .unsure: .incomplete("The focus moved while the text was written.")
        case .refused(let secret): .refused(KeyboardMachine.Notice.refused(secret).words)
        }
    }
}

extension DictationError {
    fileprivate static let serviceEnded = DictationError(
        .notRunning, "The dictation service has ended.",
        recovery: "Start it again. The last text has what was said.")
}
