import DictationBatch
import DictationCore
import Synchronization

/// Shows the progress of a batch: on the terminal, as lines of JSON, and in a file for Prometheus.
final class BatchMonitor: Sendable {
    private struct State {
        var progress: BatchProgress
        var shown = Duration.seconds(-10)
    }

    private let console: Console
    private let panel: LivePanel?
    private let metrics: String?
    private let metricsFailed = Mutex(false)
    private let shard: BatchShard
    private let printsJSON: Bool
    private let runtime = DictationRuntime.current
    private let begun: Duration
    private let state: Mutex<State>

    init(
        _ console: Console, after finished: ResultFile.FinishedItems, metrics: String?, shard: BatchShard,
        printsJSON: Bool,
        isQuiet: Bool
    ) {
        self.console = console
        self.metrics = metrics
        self.shard = shard
        self.printsJSON = printsJSON
        panel = isQuiet || printsJSON || !console.draws ? nil : LivePanel(on: console.errors)
        begun = runtime.now()
        state = Mutex(State(progress: BatchProgress(after: finished)))
        console.signals.look(after: panel)
    }

    /// Writes the metrics for the first time, so that a wrong path is found before hours of work.
    func begin() throws(DictationError) {
        if let metrics { try state.withLock { $0.progress }.write(prometheus: metrics, shard: shard) }
    }

    /// Counts the items of the shard in the background, if anybody looks at the progress.
    func count(_ manifest: BatchManifest, in shard: BatchShard) {
        guard panel != nil || printsJSON || metrics != nil else { return }
        runtime.task(priority: .background) { [self] in
            var items = manifest.makeAsyncIterator()
            var count = 0
            var duration: Duration? = .zero
            while let item = try? await items.next() {
                guard shard.contains(item.id) else { continue }
                count += 1
                duration = duration.flatMap { sum in item.duration.map { sum + $0 } }
            }
            let (total, length) = (count, duration)
            state.withLock { ($0.progress.total, $0.progress.totalDuration) = (total, length) }
        }
    }

    /// Adds a result, says why an item failed, and shows the progress once a second.
    func add(_ result: BatchResult) {
        if let error = result.transcript.error {
            say { $0.complain("\(result.item.id.visible): \(error.saidOnce)") }
        }
        let now = runtime.now()
        let progress = state.withLock { state -> BatchProgress? in
            state.progress.add(result)
            state.progress.elapsed = now - begun
            guard now - state.shown >= .seconds(1) else { return nil }
            state.shown = now
            return state.progress
        }
        if let progress { show(progress) }
    }

    /// Shows the progress for the last time, and returns it.
    func end() -> BatchProgress {
        let progress = state.withLock { state in
            state.progress.elapsed = runtime.now() - begun
            return state.progress
        }
        show(progress)
        panel?.end()
        return progress
    }

    private func show(_ progress: BatchProgress) {
        panel?.show([.init(text: progress.line)])
        if printsJSON { console.say(progress.json) }
        guard let metrics else { return }
        do throws(DictationError) { try progress.write(prometheus: metrics, shard: shard) } catch {
            let isFirst = metricsFailed.withLock { failed in
                defer { failed = true }
                return !failed
            }
            if isFirst { say { $0.complain(error) } }
        }
    }

    private func say(_ body: (Console) -> Void) {
        guard let panel else { return body(console) }
        panel.interrupt { body(console) }
    }
}
