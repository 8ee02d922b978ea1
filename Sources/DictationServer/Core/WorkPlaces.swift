import DictationCore

/// The places where requests are worked on, and the queue in front of them.
final class WorkPlaces: Sendable {
    private let queue: Watched<FairQueue>

    init(places: Int, waiting: Int, perClient: Int, extra: Int = 0) {
        queue = Watched(FairQueue(places: places, waiting: waiting, perClient: perClient, extra: extra))
    }

    var runningCount: Int { queue.value.runningCount }
    var waitingCount: Int { queue.value.waitingCount }

    /// Waits for a place. It is free again when it is released.
    func place(for client: String) async throws(ServerRefusal) -> WorkPlace {
        let entry = queue.change { queue in
            Result { () throws(FairQueue.Refusal) in try queue.enter(client) }
        }
        let place: WorkPlace
        switch entry {
        case .success(let ticket): place = WorkPlace(ticket, in: queue)
        case .failure(let refusal): throw .busy(refusal)
        }
        guard await queue.first({ $0.isRunning(place.ticket) ? true : nil }) != nil else { throw .stopping }
        return place
    }

    /// Waits until nobody works or waits here.
    func empty() async { _ = await queue.first { $0.runningCount + $0.waitingCount == 0 ? true : nil } }
}

/// A place that a request holds.
final class WorkPlace: Sendable {
    fileprivate let ticket: FairQueue.Ticket
    private let queue: Watched<FairQueue>

    fileprivate init(_ ticket: FairQueue.Ticket, in queue: Watched<FairQueue>) {
        (self.ticket, self.queue) = (ticket, queue)
    }

    deinit { queue.change { [ticket] in $0.leave(ticket) } }
}
