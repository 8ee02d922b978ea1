#if SherpaOnnx
import DictationCore
import Synchronization

/// Limits how many steps of decoding run at once, and decodes waiting streams together.
///
/// A session decodes on its own thread if fewer steps run than may, so that a lone session never waits for another
/// thread. Otherwise it waits until another session's step decodes its stream too, or until that step ends and it runs
/// the next one.
final class BatchDecoder: Sendable {
    private enum Turn { case decoded, leads }

    private struct Request {
        var stream: StreamHandle
        var turn: CheckedContinuation<Turn, Never>
    }

    private struct State {
        var waiting = FIFO<Request>()
        var free: Int

        mutating func popWaiting(atMost count: Int) -> [Request] {
            var requests: [Request] = []
            while requests.count < count, let request = waiting.popFirst() { requests.append(request) }
            return requests
        }
    }

    private let state: Mutex<State>
    private let together: Int
    private let decode: @Sendable ([StreamHandle]) -> Void

    init(count: Int, together: Int, decode: @escaping @Sendable ([StreamHandle]) -> Void) {
        self.together = max(1, together)
        self.decode = decode
        state = Mutex(State(free: max(1, count)))
    }

    /// How many streams wait for a step.
    var waitingCount: Int { state.withLock { $0.waiting.count } }

    /// Decodes a chunk of the stream. It is not cancelled: the stream is lent until it is done.
    func decodeChunk(of stream: OnlineStream) async { await decodeChunk(of: stream.loan) }

    func decodeChunk(of stream: StreamHandle) async {
        let turn = await withCheckedContinuation { turn in
            let isFree = state.withLock { state in
                guard state.free > 0 else {
                    state.waiting.append(Request(stream: stream, turn: turn))
                    return false
                }
                state.free -= 1
                return true
            }
            if isFree { turn.resume(returning: .leads) }
        }
        if turn == .leads { lead(with: stream) }
    }

    private func lead(with stream: StreamHandle) {
        let others = state.withLock { $0.popWaiting(atMost: together - 1) }
        decode([stream] + others.map(\.stream))
        for other in others { other.turn.resume(returning: .decoded) }
        let next = state.withLock { state in
            let next = state.waiting.popFirst()
            if next == nil { state.free += 1 }
            return next
        }
        next?.turn.resume(returning: .leads)
    }
}
#endif
