import DictationPlatform

/// A thread of its own for code that blocks, as an executor that tasks can prefer.
///
/// The thread ends once the executor is released and its last job has run.
package final class BlockingThread: TaskExecutor {
    /// The jobs that wait for the thread. A job in it keeps its executor alive, so the thread outlives its last job.
    private struct Jobs {
        var waiting = FIFO<(UnownedJob, BlockingThread)>()
        var isClosed = false

        static func next(_ jobs: inout Jobs) -> Next? {
            if let (job, executor) = jobs.waiting.popFirst() { return .run(job, on: executor) }
            return jobs.isClosed ? .end : nil
        }
    }

    private enum Next {
        case run(UnownedJob, on: BlockingThread)
        case end
    }

    private let jobs: Monitor<Jobs>
    private let hasThread: Bool

    /// Starts the thread. The name shows in `top -H` and debuggers; the system keeps its first 15 bytes.
    package init(name: String) {
        let jobs = Monitor(Jobs())
        hasThread = SystemThread.start(named: name) {
            while case .run(let job, let executor) = jobs.first(Jobs.next) {
                job.runSynchronously(on: executor.asUnownedTaskExecutor())
            }
        }
        self.jobs = jobs
    }

    deinit { jobs.change { $0.isClosed = true } }

    /// Queues a job; jobs run one after another on the thread.
    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        if hasThread {
            jobs.change { $0.waiting.append((job, self)) }
        } else {
            // The system has no thread left to give: better late on this one than never.
            job.runSynchronously(on: asUnownedTaskExecutor())
        }
    }
}
