#if ModelCatalog
import DictationCore

/// Ends a transfer when too few bytes arrive.
struct StallLimit: Sendable {
    private let options: DownloadOptions
    private let runtime: DictationRuntime

    init(_ options: DownloadOptions, _ runtime: DictationRuntime) {
        self.options = options
        self.runtime = runtime
    }

    /// Waits for a transfer, and cancels it when it stalls or when the caller is cancelled.
    ///
    /// - Parameters:
    ///   - transfer: The transfer.
    ///   - received: Returns the number of bytes received so far.
    /// - Returns: The transfer's result, and whether the transfer stalled.
    func value<Answer: Sendable>(
        of transfer: Task<Answer, Never>, received: @escaping @Sendable () -> Int64
    ) async -> (answer: Answer, isStalled: Bool) {
        let isStalled = Watched(false)
        let (options, runtime) = (options, runtime)
        let watch = runtime.task {
            var before = received()
            while (try? await runtime.sleep(options.stallTimeout)) != nil {
                let now = received()
                guard now - before >= options.minimumBytesPerStallTimeout else {
                    isStalled.change { $0 = true }
                    transfer.cancel()
                    return
                }
                before = now
            }
        }
        let answer = await withTaskCancellationHandler {
            await transfer.value
        } onCancel: {
            transfer.cancel()
        }
        watch.cancel()
        return (answer, isStalled.value)
    }
}
#endif
