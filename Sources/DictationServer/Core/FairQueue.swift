/// Decides whose turn it is: each client in turn, and each client's requests in their order.
struct FairQueue: Sendable {
    typealias Ticket = UInt64

    enum Refusal: Error, Sendable, Hashable {
        /// The client has as many requests as it may have.
        case clientLimit
        /// There are as many requests as there may be.
        case full
    }

    private let places: Int
    private let waitingLimit: Int
    private let clientLimit: Int
    private let extra: Int
    private var last: Ticket = 0
    private var running: [Ticket: String] = [:]
    /// The clients that wait, in the order of their turns.
    private var turns: [String] = []
    private var waiting: [String: [Ticket]] = [:]
    private(set) var waitingCount = 0

    /// Creates a queue.
    ///
    /// - Parameters:
    ///   - places: How many requests run at once.
    ///   - waiting: How many may wait.
    ///   - perClient: How many one client may have, running or waiting.
    ///   - extra: How many more run at once, each of a client of which none runs.
    init(places: Int, waiting: Int, perClient: Int, extra: Int = 0) {
        (self.places, waitingLimit, clientLimit) = (max(1, places), max(0, waiting), max(1, perClient))
        self.extra = max(0, extra)
    }

    var runningCount: Int { running.count }

    /// Adds a request, which may have to wait.
    mutating func enter(_ client: String) throws(Refusal) -> Ticket {
        let own = running.values.count { $0 == client } + (waiting[client]?.count ?? 0)
        guard own < clientLimit else { throw .clientLimit }
        last += 1
        if running.count < places && waitingCount == 0 || own == 0 && running.count < places + extra {
            running[last] = client
        } else {
            guard waitingCount < waitingLimit else { throw .full }
            if waiting[client] == nil { turns.append(client) }
            waiting[client, default: []].append(last)
            waitingCount += 1
        }
        return last
    }

    func isRunning(_ ticket: Ticket) -> Bool { running[ticket] != nil }

    /// Removes a request that has ended or that nobody waits for any more. The next ones run.
    mutating func leave(_ ticket: Ticket) {
        if running.removeValue(forKey: ticket) == nil { removeWaiting(ticket) }
        while let turn = nextTurn {
            let client = turns.remove(at: turn)
            guard var own = waiting.removeValue(forKey: client), !own.isEmpty else { continue }
            running[own.removeFirst()] = client
            waitingCount -= 1
            guard !own.isEmpty else { continue }
            waiting[client] = own
            turns.append(client)
        }
    }

    /// The place in the turns of the client whose next request may run now.
    private var nextTurn: Int? {
        if running.count < places { return turns.indices.first }
        guard running.count < places + extra else { return nil }
        let busy = Set(running.values)
        return turns.firstIndex { !busy.contains($0) }
    }

    private mutating func removeWaiting(_ ticket: Ticket) {
        for (client, tickets) in waiting where tickets.contains(ticket) {
            let rest = tickets.filter { $0 != ticket }
            waitingCount -= tickets.count - rest.count
            waiting[client] = rest.isEmpty ? nil : rest
            if rest.isEmpty { turns.removeAll { $0 == client } }
        }
    }
}
