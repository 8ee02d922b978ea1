#if Remote
import DictationCore
import DictationEngines
import DictationSystem

/// The thread of a session whose engine is a server: it connects, sends audio and receives updates, as a ``RemoteMachine``
/// says.
///
/// When the connection is lost, it revokes the volatile text and sends the audio again that is not final, to the next address
/// if there are several.
final class RemoteWork {
    private let links: RemoteLinks
    private let options: RecognitionOptions
    private let state: Watched<RemoteStream.State>
    private let waker: Waker
    private let runtime: DictationRuntime
    private var machine: RemoteMachine
    private var link: RemoteLink?

    /// The number of bytes that may wait for the connection.
    private static let outputLimit = 1 << 16

    init(
        _ links: RemoteLinks, _ options: RecognitionOptions, _ state: Watched<RemoteStream.State>, _ waker: Waker,
        _ runtime: DictationRuntime
    ) {
        self.links = links
        self.options = options
        self.state = state
        self.waker = waker
        self.runtime = runtime
        machine = RemoteMachine(links.server, addressCount: links.addresses.count, turn: links.nextTurn())
    }

    /// Works until the session ends.
    func run() {
        if let ready = links.takeReady(for: options) { adopt(ready, isOld: true) }
        while !state.value.isClosed, state.value.failure == nil {
            do throws(RemoteFailure) { try advance() } catch { recover(from: error) }
        }
        // A connection that breaks now does no harm.
        link?.conversation.close()
        _ = try? link?.send()
    }

    private func advance() throws(RemoteFailure) {
        if let link { fill(link) }
        switch machine.next(state.value.demand, at: runtime.now()) {
        case .connect:
            let new = try links.open(links.address(machine.turn), for: options, waker: waker) { [state] in
                state.value.isClosed
            }
            return adopt(new, isOld: false)
        case .rest(let time):
            waker.rest(time)
            return waker.clear()
        case .settle(let asked): settle(asked)
        case .finalize: link?.conversation.finalize()
        case .exchange: break
        }
        if let link { try exchange(over: link) }
    }

    private func adopt(_ new: RemoteLink, isOld: Bool) {
        link = new
        machine.connect(isOld: isOld, at: runtime.now())
        state.change { $0.hasOpened = true }
    }

    /// Gives the conversation the audio that waits, as long as it keeps up.
    private func fill(_ link: RemoteLink) {
        while machine.takesAudio, link.conversation.output.count < Self.outputLimit {
            let piece = state.change { state in
                let piece = state.record.next()
                if let piece { state.sent += piece.duration }
                return piece
            }
            guard let piece else { return }
            machine.send()
            link.conversation.send(piece)
        }
    }

    private func exchange(over link: RemoteLink) throws(RemoteFailure) {
        let hasSent = try link.send()
        let events = try link.receive()
        let isFull = !link.conversation.output.isEmpty
        machine.exchange(
            hasSent: hasSent, hasHeard: events != nil, hasEvents: events?.isEmpty == false, isFull: isFull,
            at: runtime.now())
        for event in events ?? [] { apply(event) }
        if let fault = machine.fault(at: runtime.now()) { throw .lost(links.address(machine.turn).text, fault) }
        guard events == nil, !hasSent else { return }
        switch machine.pause(at: runtime.now()) {
        case .ping: link.conversation.ping()
        case .wait(let time): link.connection.wait(isWriting: isFull, waker, atMost: time)
        }
    }

    private func apply(_ event: RemoteEvent) {
        switch event {
        case .opened: break
        case .update(let update):
            machine.progress()
            emit(update)
        case .finished(let canGoOn):
            guard let asked = machine.finish(canGoOn: canGoOn) else { return }
            emit(.finalized(through: state.value.record.reached))
            settle(asked)
            if !canGoOn { link = nil }
        }
    }

    private func settle(_ asked: Int) { state.change { $0.finalized = max($0.finalized, asked) } }

    private func emit(_ update: SpeechUpdate) {
        let (update, results) = state.change { state -> (SpeechUpdate?, ResultSink?) in
            // The time may be that of audio which another server had.
            guard (update.finalizedThrough ?? .zero) <= state.record.reached else { return (nil, state.results) }
            return (state.record.admit(update), state.results)
        }
        if let update { results?.emit(update) }
    }

    private func recover(from failure: RemoteFailure) {
        var failure = failure
        failure.error = links.server.cleaned(failure.error)
        let hasAnswered = link?.hasAnswered == true
        link = nil
        let (revoked, results, demand) = state.change { ($0.record.rewind(), $0.results, $0.demand) }
        let recovery = machine.fail(failure, hasAnswered: hasAnswered, demand, at: runtime.now())
        if recovery.hadAudio {
            for update in [revoked, .interrupted(SpeechUpdate.EngineInterruption(cause: failure.error))] {
                if let update { results?.emit(update) }
            }
        }
        guard let error = recovery.error else { return }
        state.change { $0.failure = error }
        results?.fail(error)
    }
}
#endif
