import DictationCore
import Synchronization

/// A session whose engine works in a helper. When the helper dies, another one gets the audio that is not final.
///
/// A ``HelperMachine`` decides; this carries it out.
final class HelperStream: Sendable {
    private struct Link: Sendable {
        let helper: UsedHelper
        let channel: HelperChannel
        /// Whether several workers of the helper transcribe a recording. Otherwise the helper has a session.
        let hasWorkers: Bool
    }

    private struct State {
        var machine: HelperMachine
        var link: Link?
        var results: ResultSink?
    }

    let format: AudioFormat
    private let model: HelperModel
    private let options: RecognitionOptions
    private let workers: Int?
    private let state: Mutex<State>

    /// Opens a session in a helper.
    init(
        _ model: HelperModel, _ options: RecognitionOptions, workers: Int? = nil, format: AudioFormat
    ) async throws(DictationError) {
        self.model = model
        self.options = options
        self.workers = workers
        self.format = format
        let memory = workers == nil ? model.engine.memory(for: options) : .zero
        state = Mutex(State(machine: HelperMachine(remembering: memory)))
        try await reach(.heard)
    }

    deinit { state.withLock { $0.link }?.channel.close() }

    /// Has audio decoded; returns when the engine has taken it.
    func decode(_ buffer: AudioBuffer, into results: ResultSink) async throws(DictationError) {
        let size = max(1, SharedMemory.slotSize / 4 / max(1, format.bytesPerFrame))
        state.withLock { $0.machine.add(buffer, size: size) }
        try await reach(.heard, into: results)
    }

    /// Has all audio made final.
    func finalize(into results: ResultSink) async throws(DictationError) { try await reach(.final, into: results) }

    /// Ends the input of a recording, and returns when it is transcribed.
    func finish(into results: ResultSink) async throws(DictationError) { try await reach(.ended, into: results) }

    private func reach(_ goal: HelperMachine.Goal, into results: ResultSink? = nil) async throws(DictationError) {
        state.withLock { $0.results = results }
        while true {
            let (step, link) = state.withLock { ($0.machine.next(toward: goal), $0.link) }
            switch (step, link) {
            case (.done, _): return
            case (.connect(let terms), _): try await connect(terms)
            case (.pass(let step), let link?):
                let end = try await Self.result { () throws(HelperFailure) in
                    switch step {
                    case .hear(let piece): try await link.channel.send(piece)
                    case .finalize: try await link.channel.finalize()
                    }
                }
                if let end { try lose(link, end) }
            case (.settle, let link?):
                let end = try await Self.result { () throws(HelperFailure) -> HelperChannel.End in
                    if goal == .ended, link.hasWorkers { return try await link.channel.finish() }
                    return try await link.channel.finalize() ?? .complete
                }
                if case .complete = end { state.withLock { $0.machine.settled() } } else { try lose(link, end) }
            case (.pass, nil), (.settle, nil): throw .endedEarly
            }
        }
    }

    private func connect(_ terms: HelperMachine.Terms) async throws(DictationError) {
        let workers = terms.isInStep ? nil : workers
        let (channel, helper) = try await model.use(alone: terms.isAlone) { helper throws(HelperFailure) in
            try await helper.process.open(
                options, workers: workers, isInStep: terms.isInStep, known: terms.known, format: format,
                into: received)
        } afterDeath: { death in
            state.withLock { $0.results }?.emit(
                .interrupted(SpeechUpdate.EngineInterruption(cause: .lostHelper(death))))
        }
        state.withLock { state in
            state.link = Link(helper: helper, channel: channel, hasWorkers: workers != nil)
            state.machine.connected()
        }
    }

    /// Unwraps the failures of requests.
    private static func result<Answer>(
        _ body: () async throws(HelperFailure) -> Answer
    ) async throws(DictationError) -> Answer {
        do throws(HelperFailure) { return try await body() } catch {
            switch error {
            case .failed(let error): throw error
            case .cancelled: throw .hostedCallCancelled
            case .died(let death): throw .lostHelper(death)
            }
        }
    }

    /// Takes what a helper sends, on the thread that reads its messages.
    private var received: ResultSink {
        ResultSink { [weak self] in
            self?.receive($0)
        } failing: { [weak self] error in
            self?.state.withLock { $0.results }?.fail(error)
        }.noting { [weak self] length in
            self?.state.withLock { $0.results }?.report(decoded: length)
        }
    }

    private func receive(_ update: SpeechUpdate) {
        let (update, results) = state.withLock { ($0.machine.admit(update), $0.results) }
        if let update { results?.emit(update) }
    }

    /// Prepares for another helper after one has ended.
    private func lose(_ link: Link, _ end: HelperChannel.End) throws(DictationError) {
        let death: HelperDeath
        switch end {
        case .failed(let error): throw error
        case .complete: throw .endedEarly
        case .died(let cause): death = cause
        }
        let (outcome, results) = state.withLock { state in
            state.link = nil
            return (state.machine.died(death, place: link.channel.place), state.results)
        }
        link.channel.close()
        for update in outcome.updates { results?.emit(update) }
        if !outcome.goesOn { throw .lostHelper(death) }
    }
}

/// The decoder of a session whose engine works in a helper.
struct HelperEngineDecoder: SpeechDecoder {
    let stream: HelperStream

    mutating func decode(_ buffer: AudioBuffer, into results: ResultSink) async throws(DictationError) {
        try await stream.decode(buffer, into: results)
    }

    mutating func finalize(into results: ResultSink) async throws(DictationError) {
        try await stream.finalize(into: results)
    }
}

extension DictationError {
    /// The error for a helper that died while it had a session.
    static func lostHelper(_ death: HelperDeath) -> DictationError {
        DictationError(
            .engineFailed, "The engine's process died: \(death.reason).",
            recovery: "If this happens again, try other options or another model.", underlying: death.underlying)
    }

    fileprivate static let endedEarly = DictationError(
        .engineFailed, "The engine's process ended a session that had not ended.")
}
