import DictationCore
import Synchronization

/// A session whose engine works in a helper. When the helper dies, another one gets the audio that is not final.
final class HostedStream: Sendable {
    private struct Link: Sendable {
        let helper: Lease<HostedHelper>
        let channel: HostChannel
    }

    private struct State {
        var record: ReplayRecord
        var link: Link?
        var results: ResultSink?
        /// The number of helpers that died since the last progress.
        var deaths = 0
        var survived: Duration = .zero
        /// The number of stretches that were left out since the last result.
        var lostStretches = 0

        /// Returns the next thing for the helper to do.
        mutating func next() -> RememberedSpeech.Step? { record.recall() ?? record.next().map { .hear($0) } }
    }

    let format: AudioFormat
    private let model: HostedModel
    private let options: RecognitionOptions
    private let workers: Int?
    private let state: Mutex<State>

    /// The number of helpers that may die with the same audio.
    private static let attempts = 3
    /// The number of stretches to leave out before the engine is to blame and not the audio.
    private static let patience = 2

    private init(_ model: HostedModel, _ options: RecognitionOptions, workers: Int?, _ format: AudioFormat) {
        self.model = model
        self.options = options
        self.workers = workers
        self.format = format
        let memory = workers == nil ? model.engine.memory(for: options) : .zero
        state = Mutex(State(record: ReplayRecord(remembering: memory)))
    }

    deinit { state.withLock { $0.link }?.channel.close() }

    /// Opens a session in a helper.
    static func open(
        _ model: HostedModel, _ options: RecognitionOptions, workers: Int? = nil, format: AudioFormat
    ) async throws(DictationError) -> HostedStream {
        let stream = HostedStream(model, options, workers: workers, format)
        _ = try await stream.connected()
        return stream
    }

    /// Has audio decoded; returns when the engine has taken it.
    func decode(_ buffer: AudioBuffer, into results: ResultSink) async throws(DictationError) {
        let size = max(1, HostMemory.slotSize / 4 / max(1, format.bytesPerFrame))
        state.withLock { state in
            state.results = results
            state.record.append(buffer, size: size)
        }
        _ = try await caughtUp()
    }

    /// Has all audio made final.
    func finalize(into results: ResultSink) async throws(DictationError) {
        state.withLock { $0.results = results }
        while true {
            let channel = try await caughtUp()
            guard let end = try await Self.result({ () throws(HostFailure) in try await channel.finalize() }) else {
                return state.withLock { $0.record.noteFinalization() }
            }
            try lose(end)
        }
    }

    /// Ends the input of a recording, and returns when it is transcribed.
    func finish(into results: ResultSink) async throws(DictationError) {
        state.withLock { $0.results = results }
        while true {
            let channel = try await caughtUp()
            let end = try await Self.result { () throws(HostFailure) in try await channel.finish() }
            if case .complete = end { return }
            try lose(end)
        }
    }

    /// Sends the audio that the helper lacks.
    private func caughtUp() async throws(DictationError) -> HostChannel {
        while true {
            let channel = try await connected()
            var end: HostChannel.End?
            while end == nil, let step = state.withLock({ $0.next() }) {
                end = try await Self.result { () throws(HostFailure) in
                    switch step {
                    case .hear(let piece): try await channel.send(piece)
                    case .finalize: try await channel.finalize()
                    }
                }
            }
            guard let end else { return channel }
            try lose(end)
        }
    }

    private func connected() async throws(DictationError) -> HostChannel {
        if let link = state.withLock({ $0.link }) { return link.channel }
        var deaths = 0
        while true {
            // The audio of another session may have ended the helpers before. If one dies that has only this session, it
            // was this audio.
            let isLast = state.withLock { $0.deaths == Self.attempts - 1 }
            let helper = try await model.lease(alone: isLast)
            // After a death, little audio is under way, so that little is left out if no helper survives it.
            let (isInStep, known) = state.withLock {
                ($0.deaths > 0, $0.record.isRecalling ? $0.record.watermark : nil)
            }
            let opened = try await Self.result { [options, workers, format] () throws(HostFailure) in
                do throws(HostFailure) {
                    return Result<HostChannel, HostDeath>.success(
                        try await helper.model.process.open(
                            options, workers: workers, isInStep: isInStep, known: known, format: format
                        ) { [weak self] in
                            self?.receive($0)
                        } fail: { [weak self] error in
                            self?.state.withLock { $0.results }?.fail(error)
                        })
                } catch {
                    guard case .died(let death) = error else { throw error }
                    return .failure(death)
                }
            }
            switch opened {
            case .success(let channel):
                state.withLock { $0.link = Link(helper: helper, channel: channel) }
                return channel
            case .failure(let death):
                // The helper had no audio yet, so only the model can have ended it.
                deaths += 1
                guard deaths < Self.attempts else { throw .unloadable(model.engine, death) }
                state.withLock { $0.results }?.emit(.interrupted(EngineInterruption(cause: .lostHelper(death))))
            }
        }
    }

    /// Unwraps the failures of requests.
    private static func result<Answer>(
        _ body: () async throws(HostFailure) -> Answer
    ) async throws(DictationError) -> Answer {
        do throws(HostFailure) { return try await body() } catch {
            switch error {
            case .failed(let error): throw error
            case .cancelled: throw .hostedCallCancelled
            case .died(let death): throw .lostHelper(death)
            }
        }
    }

    /// Applies an update, on the thread that reads the helper's messages.
    private func receive(_ update: SpeechUpdate) {
        let (update, results) = state.withLock { state in
            if update.result != nil { state.lostStretches = 0 }
            return (state.record.admit(update), state.results)
        }
        if let update { results?.emit(update) }
    }

    /// Prepares for another helper after one has ended. Leaves out audio that none survives.
    private func lose(_ end: HostChannel.End) throws(DictationError) {
        let death: HostDeath
        switch end {
        case .failed(let error): throw error
        case .complete:
            throw DictationError(.engineFailed, "The engine's process ended a session that had not ended.")
        case .died(let cause): death = cause
        }
        let (link, updates, results) = state.withLock { state -> (Link?, [SpeechUpdate], ResultSink?) in
            defer { state.link = nil }
            if state.record.watermark > state.survived { state.deaths = 0 }
            state.survived = state.record.watermark
            state.deaths += 1
            let revoked = state.record.rewind()
            var interruption = EngineInterruption(cause: .lostHelper(death))
            if state.deaths >= Self.attempts {
                interruption.lost = state.record.giveUp()
                if interruption.lost != nil, state.lostStretches < Self.patience {
                    (state.deaths, state.lostStretches) = (0, state.lostStretches + 1)
                }
            }
            return (state.link, [revoked, .interrupted(interruption)].compactMap(\.self), state.results)
        }
        link?.channel.close()
        for update in updates { results?.emit(update) }
        // Helpers that die without audio, or with any audio, don't die of the audio.
        guard state.withLock({ $0.deaths }) < Self.attempts else { throw .lostHelper(death) }
    }
}

/// The decoder of a session whose engine works in a helper.
struct HostedDecoder: SpeechDecoder {
    let stream: HostedStream

    mutating func decode(_ buffer: AudioBuffer, into results: ResultSink) async throws(DictationError) {
        try await stream.decode(buffer, into: results)
    }

    mutating func finalize(into results: ResultSink) async throws(DictationError) {
        try await stream.finalize(into: results)
    }
}

extension DictationError {
    /// The error for a helper that died while it had a session.
    static func lostHelper(_ death: HostDeath) -> DictationError {
        DictationError(
            .engineFailed, "The engine's process died: \(death.reason).",
            recovery: "If this happens again, try other options or another model.", underlying: death.underlying)
    }
}
