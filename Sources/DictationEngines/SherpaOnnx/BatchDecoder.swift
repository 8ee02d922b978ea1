import DictationCore
import Synchronization

/// Limits the steps of decoding that run at once, and lets waiting streams share a step.
///
/// A session that finds a free lane decodes on its own thread, so a single session never waits for another thread. When
/// no lane is free, the session waits until another session's step decodes its stream too, or until it gets a lane.
/// The last chunks of a stretch go before all others: somebody waits for the final text, while speech that goes on can
/// catch up.
final class BatchDecoder: Sendable {
    private enum Turn { case decoded, leads }

    private struct Request {
        var stream: LibraryHandle
        var turn: CheckedContinuation<Turn, Never>
    }

    private struct State {
        var ending = FIFO<Request>()
        var goingOn = FIFO<Request>()
        var free: Int

        mutating func popWaiting() -> Request? { ending.popFirst() ?? goingOn.popFirst() }

        mutating func popWaiting(atMost count: Int) -> [Request] {
            var requests: [Request] = []
            while requests.count < count, let request = popWaiting() { requests.append(request) }
            return requests
        }
    }

    private let state: Mutex<State>
    private let together: Int
    private let decode: @Sendable ([LibraryHandle]) -> Void

    init(count: Int, together: Int, decode: @escaping @Sendable ([LibraryHandle]) -> Void) {
        self.together = max(1, together)
        self.decode = decode
        state = Mutex(State(free: max(1, count)))
    }

    /// The number of streams that wait for a step.
    var waitingCount: Int { state.withLock { $0.ending.count + $0.goingOn.count } }

    /// Decodes a chunk of the stream. Ignores cancellation, because the stream is lent until the step ends.
    func decodeChunk(of stream: OnlineStream, endsStretch: Bool) async {
        await decodeChunk(of: stream.loan, endsStretch: endsStretch)
    }

    func decodeChunk(of stream: LibraryHandle, endsStretch: Bool = false) async {
        let turn = await withCheckedContinuation { turn in
            let isFree = state.withLock { state in
                guard state.free > 0 else {
                    let request = Request(stream: stream, turn: turn)
                    if endsStretch { state.ending.append(request) } else { state.goingOn.append(request) }
                    return false
                }
                state.free -= 1
                return true
            }
            if isFree { turn.resume(returning: .leads) }
        }
        if turn == .leads { lead(with: stream) }
    }

    private func lead(with stream: LibraryHandle) {
        let others = state.withLock { $0.popWaiting(atMost: together - 1) }
        decode([stream] + others.map(\.stream))
        for other in others { other.turn.resume(returning: .decoded) }
        let next = state.withLock { state in
            let next = state.popWaiting()
            if next == nil { state.free += 1 }
            return next
        }
        next?.turn.resume(returning: .leads)
    }
}
