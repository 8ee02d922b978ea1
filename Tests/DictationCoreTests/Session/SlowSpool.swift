import DictationCore
import Synchronization

/// A spool in memory whose writes take time, and which can hang or fail.
final class SlowSpool: AudioSpool {
    struct Kept: Sendable {
        var events: [CaptureEvent] = []
        var isClosed = false
    }

    let kept = Watched<[String: Kept]>([:])
    private let delay: Duration
    private let hangsAfter: Int
    private let failsAfter: Int
    private let runtime = DictationRuntime.current

    init(delay: Duration = .zero, hangsAfter: Int = .max, failsAfter: Int = .max) {
        self.delay = delay
        self.hangsAfter = hangsAfter
        self.failsAfter = failsAfter
    }

    /// Whether a take was neither closed nor discarded, although the spool does not hang.
    var isWriterLeft: Bool { hangsAfter == .max && kept.value.values.contains { !$0.isClosed } }

    struct Writer: AudioSpoolWriter {
        let id: String
        let spool: SlowSpool

        func append(_ event: CaptureEvent) async throws(DictationError) {
            let count = spool.kept.value[id]?.events.count ?? 0
            if count >= spool.failsAfter { throw DictationError(.storageFull, "The disk is full.") }
            await spool.pass(count >= spool.hangsAfter ? .seconds(1_000_000) : spool.delay)
            spool.kept.change { $0[id]?.events.append(event) }
        }

        func close() async throws(DictationError) { spool.kept.change { $0[id]?.isClosed = true } }
    }

    /// Waits even when the task is cancelled, because a disk can't be cancelled.
    fileprivate func pass(_ time: Duration) async {
        guard time > .zero else { return }
        let runtime = runtime
        await runtime.task { try? await runtime.sleep(time) }.value
    }

    func makeWriter() async throws(DictationError) -> any AudioSpoolWriter {
        let id = kept.change { kept in
            let id = "take \(kept.count)"
            kept[id] = Kept()
            return id
        }
        return Writer(id: id, spool: self)
    }

    func takes() async throws(DictationError) -> [SpooledTake] {
        kept.value.map { SpooledTake(id: $0, duration: .zero, isComplete: $1.isClosed) }
    }

    func read(_ id: SpooledTake.ID) async throws(DictationError) -> CaptureStream {
        let events = Mutex(kept.value[id]?.events ?? [])
        return CaptureStream {
            { () throws(DictationError) in events.withLock { $0.isEmpty ? nil : $0.removeFirst() } }
        }
    }

    func discard(_ id: SpooledTake.ID) async throws(DictationError) { kept.change { $0[id] = nil } }
}
