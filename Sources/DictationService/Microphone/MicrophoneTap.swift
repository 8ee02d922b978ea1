import DictationCore
import Synchronization

/// Reads an open microphone, and passes its audio on: to whoever listens between takes, or to a take.
package final class MicrophoneTap: Sendable {
    /// Who listens between takes.
    struct Listener: Sendable {
        /// Gets the audio, with its time since the microphone opened.
        var hear: @Sendable (AudioBuffer) -> Void
        /// Called when there is no more to hear, with the error of the device, if it is one.
        var end: @Sendable (DictationError?) -> Void
    }

    private enum Target {
        /// Somebody listens. The newest audio is kept for a take that begins with it.
        case listener(Listener)
        case take(CaptureFeed, leavesOutAudio: Bool)
    }

    private struct State {
        var target: Target
        var timeline = AudioTimeline()
        /// The newest audio while somebody listens.
        var kept = FIFO<AudioBuffer>()
        /// From where the next take has the audio that was kept; `nil` for a take that has none of it.
        var start: Duration?
        var hasAudio = false
    }

    /// How much audio is kept while somebody listens.
    package static let memory = Duration.seconds(4)
    let device: AudioDevice.ID?
    private let state: Mutex<State>
    private let reading = Mutex<Task<Void, Never>?>(nil)
    /// Whether the device delivers audio; `nil` until some has come or the stream has ended.
    private let delivery = Watched<Bool?>(nil)
    /// Tells the user that the microphone is open, and returns whether it has.
    let opening = Mutex<Task<Bool, Never>?>(nil)
    private let runtime = DictationRuntime.current

    /// Creates a tap for a listener.
    init(_ device: AudioDevice.ID?, _ listener: Listener) {
        self.device = device
        state = Mutex(State(target: .listener(listener)))
    }

    /// Creates a tap for a take, which for now leaves out what it hears.
    init(_ device: AudioDevice.ID?, _ take: CaptureFeed) {
        self.device = device
        state = Mutex(State(target: .take(take, leavesOutAudio: true)))
    }

    /// Begins to read.
    func read(_ stream: CaptureStream) {
        let task = runtime.task {
            var problem: DictationError?
            do throws(DictationError) {
                var events = stream.makeAsyncIterator()
                while let event = try await events.next() { self.receive(event) }
            } catch {
                problem = error
            }
            self.delivery.change { $0 = $0 ?? false }
            switch self.state.withLock({ $0.target }) {
            case .listener(let listener): listener.end(problem ?? .microphoneEnded)
            case .take(let take, _): take.finish(throwing: problem)
            }
        }
        reading.withLock { $0 = task }
    }

    /// Waits for the first audio; `false` if the stream ends without any.
    func delivers() async -> Bool { await delivery.first { $0 } ?? false }

    /// Waits until the stream has ended and everything was passed on.
    func ended() async { await reading.withLock { $0 }?.value }

    /// Notes that the next take begins in the audio that was kept.
    package func begin(at time: Duration) { state.withLock { $0.start = time } }

    /// Whether the next take begins in the audio that was kept.
    var hasBeginning: Bool { state.withLock { $0.start != nil } }

    /// Gives a take what happens to the device, but no audio yet.
    func leaveOut(of take: CaptureFeed) { turn(to: .take(take, leavesOutAudio: true)) { _ in } }

    /// Passes the audio on to a take.
    func pass(to take: CaptureFeed) {
        turn(to: .take(take, leavesOutAudio: false)) { state in
            guard let start = state.start else { return }
            while let buffer = state.kept.popFirst() { take.write(buffer.after(start)) }
        }
    }

    private func turn(to target: Target, _ prepare: (inout State) -> Void) {
        let before = state.withLock { state in
            prepare(&state)
            state.kept.removeAll()
            defer { state.target = target }
            return state.target
        }
        if case .listener(let listener) = before { listener.end(nil) }
    }

    private func receive(_ event: CaptureEvent) {
        let isFirst = state.withLock { state in
            guard case .buffer = event, !state.hasAudio else { return false }
            state.hasAudio = true
            return true
        }
        if isFirst { delivery.change { $0 = true } }
        state.withLock { state in
            switch (state.target, event) {
            case (.take(_, leavesOutAudio: true), .buffer), (.take(_, leavesOutAudio: true), .gap): break
            case (.take(let take, _), _): take.send(event)
            case (.listener(let listener), .buffer(let buffer)):
                let placed = buffer.moved(
                    to: state.timeline.advance(by: Int64(buffer.frameCount), of: buffer.format).lowerBound)
                state.kept.append(placed)
                while let first = state.kept.first, placed.end - first.end > Self.memory { _ = state.kept.popFirst() }
                listener.hear(placed)
            // A listener is told of no gap, and a take can't begin before one.
            case (.listener, _): state.kept.removeAll()
            }
        }
    }
}

extension DictationError {
    fileprivate static let microphoneEnded = DictationError(
        .deviceLost, "The microphone has ended.", recovery: "Connect it again.")
}
