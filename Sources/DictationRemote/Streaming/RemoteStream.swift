#if Remote
import DictationCore
import DictationEngines
import DictationSystem

/// The audio and the text of a session whose engine is a server.
///
/// A thread of its own connects, sends audio and receives updates; see ``RemoteWork``. The audio from the last final
/// result on is kept, so that it can be sent again.
final class RemoteStream: Sendable {
    struct State: Sendable {
        var record = ReplayRecord()
        var results: ResultSink?
        /// The number of requests to make all audio final, and of those that are done.
        var asked = 0
        var finalized = 0
        /// The length of all audio that was given, and of all that was sent.
        var given = Duration.zero
        var sent = Duration.zero
        var hasOpened = false
        var isClosed = false
        var failure: DictationError?

        var demand: RemoteMachine.Demand {
            RemoteMachine.Demand(
                kept: record.kept, backlog: record.backlog, asked: asked, finalized: finalized, given: given, sent: sent
            )
        }
    }

    let format: AudioFormat
    private let state: Watched<State>
    private let waker: Waker

    /// The longest gap that is filled with silence.
    private static let longestFilledGap = Duration.seconds(1)
    /// The length of the audio that may wait to be sent, while a connection is lost or the server is slow.
    private static let window = Duration.seconds(30)

    /// Starts the thread, and waits until the server takes audio.
    static func open(
        _ links: RemoteLinks, _ options: RecognitionOptions, format: AudioFormat
    ) async throws(DictationError) -> RemoteStream {
        let runtime = DictationRuntime.current
        let stream = RemoteStream(format)
        _ = Task(executorPreference: runtime.blockingExecutor("remote")) {
            [state = stream.state, waker = stream.waker] in
            RemoteWork(links, options, state, waker, runtime).run()
        }
        try await stream.wait { $0.hasOpened }
        return stream
    }

    private init(_ format: AudioFormat) {
        self.format = format
        state = Watched(State())
        waker = Waker()
    }

    deinit { close() }

    /// Ends the session on the server.
    func close() {
        state.change { $0.isClosed = true }
        waker.wake()
    }

    /// Hands audio over, and waits while too much waits to be sent.
    func decode(_ buffer: AudioBuffer, into results: ResultSink) async throws(DictationError) {
        let end = state.value.record.end
        var buffers = [buffer]
        if end > .zero, buffer.start - end > .milliseconds(1) {
            if buffer.start - end > Self.longestFilledGap {
                try await finalize(into: results)
            } else {
                let count = Int(clamping: format.frames(in: buffer.start - end))
                buffers.insert(AudioBuffer(silence: count, format: format, start: end), at: 0)
            }
        }
        let pieces = buffers
        state.change { [format] state in
            state.results = results
            for buffer in pieces {
                state.record.append(buffer, size: max(1, format.sampleRate / 10))
                state.given += buffer.duration
            }
        }
        waker.wake()
        try await wait { $0.record.backlog < Self.window }
    }

    /// Has all audio made final.
    func finalize(into results: ResultSink) async throws(DictationError) {
        let number = state.change { state in
            state.results = results
            state.asked += 1
            return state.asked
        }
        waker.wake()
        try await wait { $0.finalized >= number }
    }

    private func wait(until isDone: @escaping @Sendable (State) -> Bool) async throws(DictationError) {
        let found = await state.first { state -> Result<Void, DictationError>? in
            if let failure = state.failure { return .failure(failure) }
            return isDone(state) ? .success(()) : nil
        }
        guard let found else { throw DictationError(.cancelled, "The call was cancelled.") }
        try found.get()
    }
}

/// The decoder of a session whose engine is a server.
struct RemoteDecoder: SpeechDecoder {
    let stream: RemoteStream

    mutating func decode(_ buffer: AudioBuffer, into results: ResultSink) async throws(DictationError) {
        try await stream.decode(buffer, into: results)
    }

    mutating func finalize(into results: ResultSink) async throws(DictationError) {
        try await stream.finalize(into: results)
    }
}
#endif
