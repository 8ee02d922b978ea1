#if Remote
import DictationCore
import DictationEngines

/// The thread of a session whose engine is a server: it connects, sends audio and receives updates.
///
/// When the connection is lost, it revokes the volatile text, connects again after a while, to the next address if there
/// are several, and sends the audio again that is not final. It gives up when no server has answered for
/// ``RemoteServer/reconnectTimeout``, or when it would have to send more than twice the audio in all.
final class RemoteWork: @unchecked Sendable {  // Only its thread uses it.
    private enum Phase {
        case streaming
        /// The stretch is being made final, for this number of requests.
        case finalizing(Int)
    }

    private let links: RemoteLinks
    private let options: RecognitionOptions
    private let state: Watched<RemoteStream.State>
    private let waker: Waker
    private let runtime: DictationRuntime

    private var link: RemoteLink?
    /// Whether the link was made ahead, so that the server may have closed it meanwhile.
    private var isOld = false
    private var turn: Int
    private var phase = Phase.streaming
    /// Whether the stretch has audio.
    private var hasAudio = false
    /// The number of failures in a row, and the time of the first.
    private var failures: (count: Int, since: Duration)?
    /// The time of the last sign of life of the server, or when it got something to answer.
    private var heard: Duration
    private var isAwaiting = false
    /// Whether the server was asked for a sign of life since the last one.
    private var hasPinged = false
    /// Whether the connection took no more bytes.
    private var isFull = false
    /// The time of the last event, or when the server was asked to make the stretch final.
    private var advanced: Duration

    /// The number of bytes that may wait for the connection.
    private static let outputLimit = 1 << 16
    /// The length of the audio that may be kept, before it is made final.
    private static let longestTail = Duration.seconds(300)

    init(
        _ links: RemoteLinks, _ options: RecognitionOptions, _ state: Watched<RemoteStream.State>, _ waker: Waker,
        _ runtime: DictationRuntime
    ) {
        self.links = links
        self.options = options
        self.state = state
        self.waker = waker
        self.runtime = runtime
        turn = links.nextTurn()
        heard = runtime.now()
        advanced = heard
    }

    /// Works until the session ends.
    func run() {
        if let ready = links.takeReady(for: options) {
            (link, isOld) = (ready, true)
            state.change { $0.hasOpened = true }
        }
        while !state.value.isClosed, state.value.failure == nil {
            do throws(RemoteFailure) { try advance() } catch { recover(from: error) }
        }
        // A connection that breaks now does no harm.
        link?.conversation.close()
        _ = try? link?.send()
    }

    // MARK: One step

    private func advance() throws(RemoteFailure) {
        guard let link else { return try connect() }
        fill(link)
        let hasSent = try link.send()
        let events = try link.receive()
        // A connection that was full and takes bytes again has a server that reads.
        if events != nil || (hasSent && isFull) { noteLife() }
        isFull = !link.conversation.output.isEmpty
        if events?.isEmpty == false { advanced = runtime.now() }
        for event in events ?? [] { apply(event) }
        if case .finalizing = phase, runtime.now() - advanced > links.server.recognitionTimeout {
            throw .lost(address, "the server does not finish")
        }
        if events == nil, !hasSent { try wait(on: link) }
    }

    private func noteLife() { (heard, isAwaiting, hasPinged) = (runtime.now(), false, false) }

    private func connect() throws(RemoteFailure) {
        let state = self.state.value
        guard !state.hasOpened || state.record.kept > .zero || state.asked > state.finalized else {
            return waker.wait(atMost: .seconds(3_600))
        }
        if state.record.kept == .zero, state.asked > state.finalized { return settle(state.asked) }
        link = try links.open(links.address(turn), for: options, waker: waker) { self.state.value.isClosed }
        isOld = false
        noteLife()
        self.state.change { $0.hasOpened = true }
    }

    /// Gives the conversation the audio that waits, as long as it keeps up.
    private func fill(_ link: RemoteLink) {
        guard case .streaming = phase else { return }
        while link.conversation.output.count < Self.outputLimit {
            let piece = state.change { state in
                let piece = state.record.next()
                if let piece { state.sent += piece.duration }
                return piece
            }
            guard let piece else { break }
            hasAudio = true
            link.conversation.send(piece)
        }
        let (asked, isLong) = state.change { state in
            // A server that makes nothing final must not fill the memory.
            if state.record.kept > Self.longestTail, state.asked == state.finalized { return (state.asked, true) }
            return (state.asked, state.asked > state.finalized)
        }
        guard isLong, state.value.record.backlog <= .zero || state.value.asked == state.value.finalized else { return }
        if hasAudio {
            phase = .finalizing(asked)
            advanced = runtime.now()
            link.conversation.finalize()
        } else {
            settle(asked)
        }
    }

    /// Waits for the server. Now and then, a silent one is asked whether it lives: it may have much to do.
    private func wait(on link: RemoteLink) throws(RemoteFailure) {
        let now = runtime.now()
        let server = links.server
        let isFinalizing = if case .finalizing = phase { true } else { false }
        if isFinalizing || isFull, !isAwaiting { (isAwaiting, heard) = (true, now) }
        if isAwaiting, now - heard > server.responseTimeout { throw .lost(address, "the server does not answer") }
        if !hasPinged, now - heard > server.responseTimeout / 3 {
            hasPinged = true
            if !isAwaiting { (isAwaiting, heard) = (true, now) }
            return link.conversation.ping()
        }
        let limit = hasPinged ? server.responseTimeout : server.responseTimeout / 3
        link.connection.wait(isWriting: isFull, waker, atMost: max(.milliseconds(1), limit - (now - heard)))
    }

    private var address: String { links.address(turn).text }

    // MARK: Events

    private func apply(_ event: RemoteEvent) {
        switch event {
        case .opened: break
        case .update(let update):
            failures = nil
            emit(update)
        case .finished(let canGoOn):
            guard case .finalizing(let asked) = phase else { return }
            failures = nil
            settle(asked)
            if !canGoOn { link = nil }
        }
    }

    /// Makes the audio of the stretch final.
    private func settle(_ asked: Int) {
        if hasAudio { emit(.finalized(through: state.value.record.reached)) }
        (phase, hasAudio, isOld) = (.streaming, false, false)
        state.change { $0.finalized = max($0.finalized, asked) }
    }

    private func emit(_ update: SpeechUpdate) {
        let (update, results) = state.change { state -> (SpeechUpdate?, ResultSink?) in
            // The time may be that of audio which another server had.
            guard (update.finalizedThrough ?? .zero) <= state.record.reached else { return (nil, state.results) }
            return (state.record.admit(update), state.results)
        }
        if let update { results?.emit(update) }
    }

    // MARK: Recovery

    private func recover(from failure: RemoteFailure) {
        var failure = failure
        failure.error = links.server.cleaned(failure.error)
        let lost = link
        let (hadAudio, wasOld) = (hasAudio, isOld && lost?.hasAnswered == false)
        (link, phase, hasAudio, isOld, isFull) = (nil, .streaming, false, false, false)
        let (revoked, results) = state.change { ($0.record.rewind(), $0.results) }
        // The server closed a connection that nobody used.
        if lost != nil, wasOld || !hadAudio, failure.isTemporary { return }
        if hadAudio {
            for update in [revoked, .interrupted(EngineInterruption(cause: failure.error))] {
                if let update { results?.emit(update) }
            }
        }
        let now = runtime.now()
        let since = failures?.since ?? now
        let count = (failures?.count ?? 0) + 1
        failures = (count, since)
        turn &+= 1
        let isLast = count % links.addresses.count == 0
        let delay = max(
            isLast ? links.server.backOff.delay(afterFailures: count / links.addresses.count) : .zero,
            isLast ? failure.retryAfter ?? .zero : .zero)
        // A server that can't be reached at first is an error soon.
        let isHopeless = !state.value.hasOpened && count >= 2 * links.addresses.count
        guard failure.isTemporary, !isHopeless, now + delay - since < links.server.reconnectTimeout else {
            return fail(failure.error)
        }
        let isTooMuch = state.value.sent + state.value.record.kept > state.value.given * 2
        guard !isTooMuch else {
            return fail(
                DictationError(
                    .serverUnavailable, "\(failure.error.message) That has happened again and again.",
                    recovery: "Check the network and the server.", underlying: failure.error.underlying))
        }
        pause(delay)
    }

    /// Waits, unless the session ends first.
    private func pause(_ delay: Duration) {
        let end = runtime.now() + delay
        while !state.value.isClosed, case let left = end - runtime.now(), left > .zero { waker.wait(atMost: left) }
    }

    private func fail(_ error: DictationError) {
        let results = state.change { state in
            state.failure = error
            return state.results
        }
        results?.fail(error)
    }
}
#endif
