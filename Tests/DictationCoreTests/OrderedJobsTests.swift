import DictationCore
import DictationTesting
import Testing

@Suite struct OrderedJobsTests {
    /// Returns the squares of numbers; each square takes a given number of milliseconds.
    private func squares(
        of numbers: [Int], workers: Int, failingAt bad: Int? = nil, size: @escaping @Sendable (Int) -> Int = { _ in 1 },
        milliseconds: @escaping @Sendable (Int) -> Int
    ) async throws -> [Int] {
        var answers: [Int] = []
        try await DictationRuntime.current.inOrder(
            "test", workers: workers, size: size,
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
            deliver: { answers.append($0) })
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

    /// One long job waits behind many short ones. If it began last, one worker would do it alone at the end.
    @Test func theLargestOfTheLastJobsIsDoneFirst() async throws {
        try await VirtualTime.run { clock in
            let durations = [10, 10, 10, 10, 10, 100]
            let answers = try await squares(of: durations, workers: 2, size: { $0 }, milliseconds: { $0 })
            #expect(answers == durations.map { $0 * $0 })
            #expect(clock.now.offset <= .milliseconds(110))
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
