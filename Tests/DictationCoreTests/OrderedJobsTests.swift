import DictationCore
import DictationTesting
import Testing

@Suite struct OrderedJobsTests {
    /// Returns the squares of numbers; each square takes a given number of milliseconds.
    private func squares(
        of numbers: [Int], workers: Int, failingAt bad: Int? = nil,
        milliseconds: @escaping @Sendable (Int) -> Int, delivered: () -> Void = {}
    ) async throws -> [Int] {
        var answers: [Int] = []
        try await DictationRuntime.current.inOrder(
            "test", workers: workers,
            produce: { jobs in
                for number in numbers { guard await jobs.put(number) else { return } }
            },
            work: { (jobs: OrderedJobs<Int, Int>) throws(DictationError) in
                while let ticket = await jobs.take() {
                    try? await DictationRuntime.current.sleep(.milliseconds(milliseconds(ticket.job)))
                    if ticket.job == bad { throw DictationError(.engineFailed, "broken") }
                    jobs.answer(ticket, ticket.job * ticket.job)
                }
            },
            deliver: {
                answers.append($0)
                delivered()
            })
        return answers
    }

    /// Returns the squares of the numbers below `count`. Later numbers take less time, so that a queue that does not
    /// keep the order fails.
    private func squares(of count: Int, workers: Int, failingAt bad: Int? = nil) async throws -> [Int] {
        try await squares(of: Array(0..<count), workers: workers, failingAt: bad) { count - $0 }
    }

    @Test(arguments: [1, 2, 3, 8], [0, 1, 5, 100])
    func answersComeInTheOrderOfTheJobs(workers: Int, count: Int) async throws {
        try await VirtualTime.run { _ in
            let answers = try await squares(of: count, workers: workers)
            #expect(answers == (0..<count).map { $0 * $0 })
        }
    }

    /// The first text of a recording appears when its first piece is done, also if the recording was read to its end.
    @Test func theFirstAnswerComesAfterTheFirstJob() async throws {
        try await VirtualTime.run { clock in
            let times = Watched<[Duration]>([])
            _ = try await squares(of: [10, 20, 100, 90], workers: 1, milliseconds: { $0 }) {
                times.change { $0.append(clock.now.offset) }
            }
            #expect(times.value == [10, 30, 130, 220].map { .milliseconds($0) })
        }
    }

    @Test func theFirstErrorEndsTheWork() async throws {
        try await VirtualTime.run { _ in
            _ = await #expect(throws: DictationError(.engineFailed, "broken")) {
                _ = try await squares(of: 100, workers: 4, failingAt: 50)
            }
        }
    }

    @Test func cancellingEndsTheWork() async throws {
        try await VirtualTime.run { clock in
            let work = DictationRuntime.current.task { () -> Result<[Int], any Error> in
                do { return .success(try await squares(of: 1_000, workers: 2)) } catch { return .failure(error) }
            }
            await clock.advance(by: .milliseconds(1_500))
            work.cancel()
            let outcome = await work.value
            _ = #expect(throws: DictationError.self) { try outcome.get() }
        }
    }
}
