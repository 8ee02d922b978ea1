/// A queue of jobs that workers do side by side, in order. Their answers come in the same order.
///
/// At most `limit` jobs are in the queue at once, including those whose answers were not read yet.
package final class OrderedJobs<Job: Sendable, Answer: Sendable>: Sendable {
    /// A job and its place in the order.
    package struct Ticket: Sendable {
        fileprivate let index: Int
        package let job: Job
    }

    private struct State: Sendable {
        var waiting = FIFO<Ticket>()
        var answers: [Int: Answer] = [:]
        var taken = 0
        var put = 0
        var isClosed = false
        var failure: DictationError?

        var isOver: Bool { failure != nil || isClosed }
    }

    private let limit: Int
    private let state = Watched(State())

    package init(limit: Int) { self.limit = max(1, limit) }

    /// Adds a job once there is room; `false` when the queue has failed or was closed, or the task is cancelled.
    package func put(_ job: Job) async -> Bool {
        let limit = limit
        let hasRoom = await state.first { state -> Bool? in
            if state.isOver { return false }
            return state.put - state.taken < limit ? true : nil
        }
        guard hasRoom == true else { return false }
        return state.change { state in
            guard !state.isOver else { return false }
            state.waiting.append(Ticket(index: state.put, job: job))
            state.put += 1
            return true
        }
    }

    /// Ends the queue: workers finish the jobs in it, and no more can be added.
    package func close() { state.change { $0.isClosed = true } }

    /// Ends the queue and all work with an error. Only the first error is kept.
    package func fail(_ error: DictationError) { state.change { $0.failure = $0.failure ?? error } }

    /// Returns the next job for a worker, and waits for it; `nil` when no more jobs come.
    package func take() async -> Ticket? {
        while true {
            if let ticket = state.change({ $0.failure == nil ? $0.waiting.popFirst() : nil }) { return ticket }
            let hasMore = await state.first { state -> Bool? in
                if state.failure != nil { return false }
                return state.waiting.isEmpty ? (state.isClosed ? false : nil) : true
            }
            guard hasMore == true else { return nil }
        }
    }

    /// Stores a worker's answer to a job.
    package func answer(_ ticket: Ticket, _ answer: Answer) {
        state.change { $0.answers[ticket.index] = answer }
    }

    /// Returns the next answer in order, and waits for it; `nil` after the last.
    ///
    /// - Throws: The error that ended the queue; `cancelled` when the task is cancelled.
    package func next() async throws(DictationError) -> Answer? {
        let found = await state.first { state -> Result<Answer?, DictationError>? in
            if let failure = state.failure { return .failure(failure) }
            if let answer = state.answers[state.taken] { return .success(answer) }
            return state.isClosed && state.taken == state.put ? .success(nil) : nil
        }
        guard let found else { throw DictationError(.cancelled, "The work was cancelled.") }
        let answer = try found.get()
        if answer != nil {
            state.change { state in
                state.answers[state.taken] = nil
                state.taken += 1
            }
        }
        return answer
    }
}

extension DictationRuntime {
    /// Has workers do the jobs of a producer, each worker on its own thread, and delivers the answers in order.
    ///
    /// - Parameters:
    ///   - name: The name of the threads in `top -H` and debuggers.
    ///   - workers: The number of workers, from 1 to 256.
    ///   - produce: Puts jobs into the queue.
    ///   - work: Takes and answers jobs until none is left.
    ///   - deliver: Receives the answers.
    /// - Throws: The first error of the producer or a worker, which ends all work; `cancelled` when the task is
    ///   cancelled.
    package func inOrder<Job: Sendable, Answer: Sendable>(
        _ name: String, workers: Int,
        produce: @escaping @Sendable (OrderedJobs<Job, Answer>) async throws(DictationError) -> Void,
        work: @escaping @Sendable (OrderedJobs<Job, Answer>) async throws(DictationError) -> Void,
        deliver: (Answer) -> Void
    ) async throws(DictationError) {
        let workers = min(max(1, workers), 256)
        let jobs = OrderedJobs<Job, Answer>(limit: 4 * workers)
        var tasks = (0..<workers).map { _ in
            Task(executorPreference: blockingExecutor(name)) {
                do throws(DictationError) { try await work(jobs) } catch { jobs.fail(error) }
            }
        }
        tasks.append(
            Task(executorPreference: blockingExecutor(name)) {
                do throws(DictationError) { try await produce(jobs) } catch { jobs.fail(error) }
                jobs.close()
            })
        let all = tasks
        let outcome = await withTaskCancellationHandler {
            do throws(DictationError) {
                while let answer = try await jobs.next() { deliver(answer) }
                return Result<Void, DictationError>.success(())
            } catch {
                return .failure(error)
            }
        } onCancel: {
            jobs.fail(DictationError(.cancelled, "The work was cancelled."))
            for task in all { task.cancel() }
        }
        for task in all {
            if case .failure = outcome { task.cancel() }
            await task.value
        }
        try outcome.get()
    }
}
