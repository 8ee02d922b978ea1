#if Remote
import DictationCore

/// What a session does with its server: a value with no clock, no thread and no connection.
///
/// It decides when to connect and when to wait or give up, when the audio is to be made final, and when a server counts as
/// gone. ``RemoteWork`` tells it what happens, and does what it says.
///
/// - A session that asks for text gets it, or its error, in a bounded time.
/// - A server is given up after ``RemoteServer/reconnectTimeout`` without text, or when it would have to get more than twice
///   the audio in all.
/// - A connection that nobody has used may be closed without any harm.
struct RemoteMachine: Sendable {
    /// What the session has for the server.
    struct Demand: Sendable {
        /// The audio that is not final, and how much of it this connection has not had.
        var kept = Duration.zero
        var backlog = Duration.zero
        /// The number of requests to make all audio final, and of those that are done.
        var asked = 0
        var finalized = 0
        /// The length of all audio that came, and of all that was sent.
        var given = Duration.zero
        var sent = Duration.zero

        fileprivate var owesText: Bool { asked > finalized }
    }

    /// What to do next.
    enum Step: Sendable, Equatable {
        case connect
        /// Wait for the session, at most so long.
        case rest(Duration)
        /// All audio is final, for this number of requests.
        case settle(Int)
        /// Ask the server to make the stretch final.
        case finalize
        /// Send and receive what there is.
        case exchange
    }

    /// What to do when the server has said nothing and takes nothing.
    enum Pause: Sendable, Equatable {
        /// Wait for the server, at most so long.
        case wait(Duration)
        /// Ask it for a sign of life.
        case ping
    }

    /// What to do after a connection was lost or could not be made.
    struct Recovery: Sendable, Equatable {
        /// Whether the server had audio whose text is not final.
        var hadAudio: Bool
        /// Why the session ends; `nil` if it goes on.
        var error: DictationError?
    }

    /// The audio since the last final result.
    private enum Stretch {
        case empty, open
        /// The server makes it final, for this number of requests. The time is that of its last event.
        case finalizing(Int, since: Duration)
    }

    /// Since when the server is silent.
    private enum Silence {
        /// It owes no answer.
        case usual(Duration)
        case owing(Duration)
        /// It was asked for a sign of life.
        case asked(Duration)

        var start: Duration {
            switch self {
            case .usual(let start), .owing(let start), .asked(let start): start
            }
        }
    }

    private enum State {
        /// Not before this time there is another attempt.
        case apart(until: Duration)
        case connected(Link)
    }

    private struct Link {
        /// Whether it was made ahead, so that the server may have closed it meanwhile.
        var isOld: Bool
        var stretch = Stretch.empty
        var silence: Silence
        /// Whether the connection took no more bytes.
        var isFull = false

        var hasAudio: Bool { if case .empty = stretch { false } else { true } }
    }

    private let server: RemoteServer
    private let addressCount: Int
    private var state: State
    /// Whether there was any connection.
    private var hasOpened = false
    /// The place in the list of addresses.
    private(set) var turn: Int
    /// The number of failures in a row, and the time of the first.
    private var failures: (count: Int, since: Duration)?

    /// The length of the audio that may be kept, before it is made final.
    private static let longestTail = Duration.seconds(300)

    init(_ server: RemoteServer, addressCount: Int, turn: Int) {
        (self.server, self.addressCount, self.turn) = (server, max(1, addressCount), turn)
        state = .apart(until: .zero)
    }

    /// Whether the server takes audio now.
    var takesAudio: Bool {
        guard case .connected(let link) = state, case .finalizing = link.stretch else { return isConnected }
        return false
    }

    var isConnected: Bool { if case .connected = state { true } else { false } }

    /// Whether the server has audio whose text is not final.
    var hasAudio: Bool { if case .connected(let link) = state { link.hasAudio } else { false } }

    // MARK: What happens

    /// There is a connection, which was made now or ahead.
    mutating func connect(isOld: Bool, at now: Duration) {
        state = .connected(Link(isOld: isOld, silence: .usual(now)))
        hasOpened = true
    }

    /// The server gets audio.
    mutating func send() { change { if case .empty = $0.stretch { $0.stretch = .open } } }

    /// Bytes went over the connection, or none.
    ///
    /// - Parameters:
    ///   - hasSent: Whether any were sent.
    ///   - hasHeard: Whether any arrived.
    ///   - hasEvents: Whether they mean something.
    ///   - isFull: Whether others wait to be sent.
    mutating func exchange(hasSent: Bool, hasHeard: Bool, hasEvents: Bool, isFull: Bool, at now: Duration) {
        change { link in
            // A connection that was full and takes bytes again has a server that reads.
            if hasHeard || hasSent && link.isFull { link.silence = .usual(now) }
            link.isFull = isFull
            if hasEvents, case .finalizing(let asked, _) = link.stretch {
                link.stretch = .finalizing(asked, since: now)
            }
        }
    }

    /// The server recognized something.
    mutating func progress() { failures = nil }

    /// The server has made the stretch final.
    ///
    /// - Returns: The number of requests that are done; `nil` if nobody asked.
    mutating func finish(canGoOn: Bool) -> Int? {
        guard case .connected(let link) = state, case .finalizing(let asked, _) = link.stretch else { return nil }
        failures = nil
        settle()
        if !canGoOn { state = .apart(until: .zero) }
        return asked
    }

    /// All audio is final.
    private mutating func settle() { change { ($0.stretch, $0.isOld) = (.empty, false) } }

    private mutating func change(_ body: (inout Link) -> Void) {
        guard case .connected(var link) = state else { return }
        body(&link)
        state = .connected(link)
    }

    // MARK: What to do

    /// Returns what to do next, and takes it as done.
    mutating func next(_ demand: Demand, at now: Duration) -> Step {
        guard case .connected(let link) = state else { return nextApart(demand, at: now) }
        if case .finalizing = link.stretch { return .exchange }
        // A server that makes nothing final must not fill the memory.
        let isTooLong = link.hasAudio && demand.kept > Self.longestTail && !demand.owesText
        guard isTooLong || demand.owesText && demand.backlog <= .zero else { return .exchange }
        guard link.hasAudio else {
            settle()
            return .settle(demand.asked)
        }
        change { $0.stretch = .finalizing(demand.asked, since: now) }
        return .finalize
    }

    private func nextApart(_ demand: Demand, at now: Duration) -> Step {
        if case .apart(let time) = state, time > now { return .rest(time - now) }
        // The first connection shows that there is a server.
        guard !hasOpened || demand.kept > .zero || demand.owesText else { return .rest(.seconds(3_600)) }
        if demand.kept == .zero, demand.owesText { return .settle(demand.asked) }
        return .connect
    }

    /// Returns why the connection counts as lost although it is open; `nil` if it does not.
    func fault(at now: Duration) -> String? {
        guard case .connected(let link) = state else { return nil }
        if case .finalizing(_, let since) = link.stretch, now - since > server.recognitionTimeout {
            return "the server does not finish"
        }
        if case .usual = link.silence { return nil }
        return now - link.silence.start > server.responseTimeout ? "the server does not answer" : nil
    }

    /// Returns the silence, as one that owes an answer if it does.
    private func silence(of link: Link, at now: Duration) -> Silence {
        guard case .usual = link.silence else { return link.silence }
        if case .finalizing = link.stretch { return .owing(now) }
        return link.isFull ? .owing(now) : link.silence
    }

    /// Returns what to do while nothing goes over the connection. Now and then, a silent server is asked whether it lives: it
    /// may have much to do.
    mutating func pause(at now: Duration) -> Pause {
        guard case .connected(var link) = state else { return .wait(.zero) }
        defer { state = .connected(link) }
        link.silence = silence(of: link, at: now)
        let patience = server.responseTimeout / 3
        switch link.silence {
        case .usual(let start) where now - start > patience: link.silence = .asked(now)
        case .owing(let start) where now - start > patience: link.silence = .asked(start)
        case .usual(let start), .owing(let start): return .wait(max(.milliseconds(1), patience - (now - start)))
        case .asked(let start): return .wait(max(.milliseconds(1), server.responseTimeout - (now - start)))
        }
        return .ping
    }

    /// The connection was lost, or could not be made.
    ///
    /// - Parameter hasAnswered: Whether the server said anything over it.
    mutating func fail(
        _ failure: RemoteFailure, hasAnswered: Bool, _ demand: Demand, at now: Duration
    ) -> Recovery {
        var recovery = Recovery(hadAudio: hasAudio)
        if case .connected(let link) = state {
            state = .apart(until: .zero)
            // The server closed a connection that nobody used.
            if failure.isTemporary, !link.hasAudio || link.isOld && !hasAnswered {
                recovery.hadAudio = false
                return recovery
            }
        }
        let since = failures?.since ?? now
        let count = (failures?.count ?? 0) + 1
        failures = (count, since)
        turn &+= 1
        let isLast = count % addressCount == 0
        let delay =
            isLast ? max(server.backOff.delay(afterFailures: count / addressCount), failure.retryAfter ?? .zero) : .zero
        state = .apart(until: now + delay)
        // A server that can't be reached at first is an error soon.
        let isHopeless = !hasOpened && count >= 2 * addressCount
        if !failure.isTemporary || isHopeless || now + delay - since >= server.reconnectTimeout {
            recovery.error = failure.error
        } else if demand.sent + demand.kept > demand.given * 2 {
            recovery.error = DictationError(
                .serverUnavailable, "\(failure.error.message) That has happened again and again.",
                recovery: "Check the network and the server.", underlying: failure.error.underlying)
        }
        return recovery
    }
}
#endif
