import Glibc

/// An executor with its own thread, for code that blocks.
///
/// The thread ends once the executor is released and its last job has run.
package final class BlockingThread: TaskExecutor {
    /// The jobs that wait for the thread. Each holds its executor, so that the thread does not end before its last job.
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

    /// Creates an executor and starts its thread.
    ///
    /// - Parameter name: The name of the thread in `top -H` and debuggers. The system keeps its first 15 bytes.
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
            // The system refused another thread, so the job blocks the present one.
            job.runSynchronously(on: asUnownedTaskExecutor())
        }
    }
}
