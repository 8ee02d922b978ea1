import Synchronization

extension Transcription {
    /// How far a transcription has come.
    public struct Progress: Sendable, Hashable {
        /// How much of the recording has become text. Several workers are ahead of the text, because it comes in order.
        public var position: Duration
        /// The duration that the recording declares; `nil` before it is open, or if it declares none.
        public var duration: Duration?

        /// The progress from 0 to 1; `nil` if the duration is unknown.
        public var fraction: Double? {
            guard let duration, duration > .zero else { return nil }
            return Swift.min(1, position / duration)
        }

        /// Creates a progress.
        public init(position: Duration = .zero, duration: Duration? = nil) {
            (self.position, self.duration) = (position, duration)
        }
    }
}

/// How far the latest reader of a transcription has come.
final class TranscriptionProgress: Sendable {
    private struct State {
        var recordings: [any AudioCapturer] = []
        var positions: [Duration] = []
    }

    private let state = Mutex(State())

    func begin(_ recordings: [any AudioCapturer]) {
        state.withLock { $0 = State(recordings: recordings, positions: recordings.map { _ in .zero }) }
    }

    /// Notes how far a channel has come.
    func note(_ position: Duration, of index: Int) {
        state.withLock { state in
            guard state.positions.indices.contains(index) else { return }
            state.positions[index] = max(state.positions[index], position)
        }
    }

    var value: Transcription.Progress {
        let (recordings, positions) = state.withLock { ($0.recordings, $0.positions) }
        return Transcription.Progress(
            position: positions.reduce(.zero, +) / max(1, positions.count),
            duration: (recordings.first as? any MeasuredRecording)?.declaredDuration)
    }
}
