#if SherpaOnnx
    import DictationCore
    import Synchronization

    /// Where streams are decoded: those that wait at the same moment go through the model together.
    ///
    /// There are so many lanes, each with a thread of its own; a lane takes what waits, decodes a chunk of each stream in
    /// one step and wakes their sessions.
    final class DecodeLanes: Sendable {
        private struct Request {
            var stream: StreamHandle
            var done: CheckedContinuation<Void, Never>
        }

        private struct State {
            var waiting = FIFO<Request>()
            var idle: [any TaskExecutor]
        }

        private let state: Mutex<State>
        private let together: Int
        private let runtime: DictationRuntime
        private let decode: @Sendable ([StreamHandle]) -> Void

        init(count: Int, together: Int, decode: @escaping @Sendable ([StreamHandle]) -> Void) {
            let runtime = DictationRuntime.current
            self.runtime = runtime
            self.together = max(1, together)
            self.decode = decode
            state = Mutex(State(idle: (0..<max(1, count)).map { runtime.blockingExecutor("sherpa-lane-\($0)") }))
        }

        /// Decodes a chunk of the stream. It is not cancelled: the stream is lent until it is done.
        func decodeChunk(of stream: OnlineStream) async { await decodeChunk(of: stream.loan) }

        func decodeChunk(of loan: StreamHandle) async {
            await withCheckedContinuation { done in
                let lane = state.withLock { state in
                    state.waiting.append(Request(stream: loan, done: done))
                    return state.idle.popLast()
                }
                if let lane { Task(executorPreference: lane) { self.run(on: lane) } }
            }
        }

        private func run(on lane: any TaskExecutor) {
            while let requests = next(endingOn: lane) {
                decode(requests.map(\.stream))
                for request in requests { request.done.resume() }
            }
        }

        private func next(endingOn lane: any TaskExecutor) -> [Request]? {
            state.withLock { state in
                var requests: [Request] = []
                while requests.count < together, let request = state.waiting.popFirst() { requests.append(request) }
                if requests.isEmpty { state.idle.append(lane) }
                return requests.isEmpty ? nil : requests
            }
        }
    }
#endif
