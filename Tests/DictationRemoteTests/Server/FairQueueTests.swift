import Testing

@testable import DictationRemote
@testable import DictationServer

@Suite struct FairQueueTests {
    @Test func clientsTakeTurns() throws {
        var queue = FairQueue(places: 1, waiting: 10, perClient: 10)
        let first = try queue.enter("a")
        let many = try (0..<3).map { _ in try queue.enter("a") }
        let other = try queue.enter("b")
        #expect(queue.isRunning(first) && queue.waitingCount == 4)
        queue.leave(first)
        #expect(queue.isRunning(many[0]), "The first in the line.")
        queue.leave(many[0])
        #expect(queue.isRunning(other), "Then another client, although it came last.")
        queue.leave(other)
        #expect(queue.isRunning(many[1]))
    }

    /// Long recordings of one client don't keep another one waiting.
    @Test func aClientOfWhichNothingRunsHasAnExtraPlace() throws {
        var queue = FairQueue(places: 2, waiting: 10, perClient: 10, extra: 1)
        let long = try (0..<4).map { _ in try queue.enter("a") }
        let first = try queue.enter("b")
        let second = try queue.enter("b")
        let other = try queue.enter("c")
        #expect(long.map(queue.isRunning) == [true, true, false, false] && queue.isRunning(first))
        #expect(!queue.isRunning(second) && !queue.isRunning(other))
        queue.leave(first)
        #expect(queue.isRunning(second), "The next turn of a client of which none runs: “a” has two that run.")
        queue.leave(second)
        #expect(queue.isRunning(other) && queue.runningCount == 3)
        queue.leave(other)
        #expect(queue.runningCount == 2 && queue.waitingCount == 2)
    }

    @Test func limitsAreKept() throws {
        var queue = FairQueue(places: 1, waiting: 2, perClient: 2)
        let tickets = [try queue.enter("a"), try queue.enter("a")]
        #expect(throws: FairQueue.Refusal.clientLimit) { try queue.enter("a") }
        _ = try queue.enter("b")
        #expect(throws: FairQueue.Refusal.full) { try queue.enter("c") }
        // Who gives up while waiting makes room.
        queue.leave(tickets[1])
        _ = try queue.enter("c")
        #expect(queue.runningCount == 1 && queue.waitingCount == 2)
    }

    /// However requests come and go, nobody is lost, and no place stays free while somebody waits.
    @Test func noRequestIsForgotten() {
        var random = SystemRandomNumberGenerator()
        var queue = FairQueue(places: 3, waiting: 20, perClient: 8)
        var tickets: [FairQueue.Ticket] = []
        for _ in 0..<20_000 {
            if Bool.random(using: &random), let ticket = try? queue.enter("\(Int.random(in: 0..<6, using: &random))") {
                tickets.append(ticket)
            } else if let index = tickets.indices.randomElement(using: &random) {
                queue.leave(tickets.remove(at: index))
            }
            #expect(queue.runningCount + queue.waitingCount == tickets.count)
            #expect(queue.waitingCount == 0 || queue.runningCount == 3)
            #expect(tickets.count(where: queue.isRunning) == queue.runningCount)
        }
        for ticket in tickets { queue.leave(ticket) }
        #expect(queue.runningCount == 0 && queue.waitingCount == 0)
    }
}
