import Synchronization

/// Carries out the actions of a take's state machine and reports the results to the session.
///
/// Every action that can take time is a task whose end is an event, so an action that hangs does not delay another.
final class Take: Sendable {
    /// The parts that a take uses.
    struct Parts: Sendable {
        let engine: any SpeechEngine
        let capturer: any AudioCapturer
        let converters: any FormatConverterProvider
        let spool: SpoolQueue?
        let configuration: DictationSession.Configuration
        let runtime: DictationRuntime
    }

    private struct Tasks {
        var timers: [TakeMachine.Timer: Task<Void, Never>] = [:]
        var reading: (number: Int, task: Task<Void, Never>)?
        var watching: Task<Void, Never>?
        var engine: Task<Void, Never>?
    }

    let id: TakeID
    let parts: Parts
    let input: TakeInput
    let progress = Watched(TakeProgress())
    let hub: EventHub
    /// The progress of earlier takes that still hold the microphone.
    private let earlier: [Watched<TakeProgress>]
    private let tasks = Mutex(Tasks())

    init(_ id: TakeID, _ parts: Parts, hub: EventHub, after earlier: [Watched<TakeProgress>]) {
        self.id = id
        self.parts = parts
        self.hub = hub
        self.earlier = earlier
        input = TakeInput(capacity: parts.configuration.backlog)
    }

    var runtime: DictationRuntime { parts.runtime }
    var configuration: DictationSession.Configuration { parts.configuration }

    /// Starts the microphone and the engine side by side.
    func begin() {
        _ = perform(.awaitMicrophone)
        let engine = task { await $0.runEngine() }
        tasks.withLock { $0.engine = engine }
    }

    /// Carries out an action and returns the tasks to cancel once the session's lock is released.
    func perform(_ action: TakeMachine.Action) -> [Task<Void, Never>] {
        switch action {
        case .awaitMicrophone: task { await $0.awaitMicrophone() }
        case .open(let attempt): task { await $0.open(attempt) }
        case .read(let stream, let number): read(stream, number)
        case .stopReading(let number): return stopReading(number)
        case .close(let attempt, let mode):
            task { take in
                await take.parts.capturer.stop(mode)
                take.send(.closed(attempt))
            }
        case .closeLate: task { await $0.closeLate() }
        case .finishPhrase: input.finishPhrase()
        // Nothing waits for the engine here: late text becomes final later.
        case .finalize(let session): task { _ in _ = try? await session.finalize(through: nil) }
        case .endInput: input.finish()
        case .start(let timer, let number, let duration): return start(timer, number, duration)
        case .cancel(let timer): return tasks.withLock { $0.timers.removeValue(forKey: timer).map { [$0] } ?? [] }
        case .endEngine(let session):
            if let session { task { _ in await session.cancel() } }
            return tasks.withLock { [$0.engine, $0.watching].compactMap(\.self) }
        case .closeSpool(let isTextSafe): closeSpool(isTextSafe)
        case .report, .conclude: break
        }
        return []
    }

    @discardableResult
    func send(_ event: TakeMachine.Event) -> Bool { hub.send(event, to: id) }

    /// Starts a task. Its priority is high because a person waits for it, whatever the caller's priority is.
    @discardableResult
    private func task(_ work: sending @escaping (Take) async -> Void) -> Task<Void, Never> {
        runtime.task(priority: .userInitiated) { [self] in await work(self) }
    }

    /// Starts a timer and returns the timer that it replaces.
    private func start(_ timer: TakeMachine.Timer, _ number: Int, _ duration: Duration) -> [Task<Void, Never>] {
        let task = task { take in
            guard (try? await take.runtime.sleep(duration)) != nil else { return }
            take.send(.expired(timer, number))
        }
        return tasks.withLock { [$0.timers.updateValue(task, forKey: timer)].compactMap(\.self) }
    }

    private func read(_ stream: CaptureStream, _ number: Int) {
        let reading = task { await $0.read(stream, number) }
        let watching = task { await $0.watch(number) }
        tasks.withLock { tasks in
            tasks.reading = (number, reading)
            tasks.watching = watching
        }
    }

    private func stopReading(_ number: Int) -> [Task<Void, Never>] {
        tasks.withLock { tasks in
            guard let reading = tasks.reading, reading.number == number else { return [] }
            defer { (tasks.reading, tasks.watching) = (nil, nil) }
            return [reading.task, tasks.watching].compactMap(\.self)
        }
    }

    private func awaitMicrophone() async {
        _ = await runtime.within(TakeMachine.closeTimeout) { [earlier] in
            for take in earlier { _ = await take.first { $0.isReleased ? true : nil } }
        }
        send(.microphoneIsFree)
    }

    private func closeSpool(_ isTextSafe: Bool) {
        task { take in
            await take.parts.spool?.close(isTextSafe: isTextSafe)
            take.send(.spoolClosed)
        }
    }
}

extension DictationError {
    static let takeCancelled = DictationError(
        .cancelled, "The take was cancelled.", recovery: "Start a new take to dictate again.")
    package static let callCancelled = DictationError(.cancelled, "The call was cancelled while it waited.")
}
