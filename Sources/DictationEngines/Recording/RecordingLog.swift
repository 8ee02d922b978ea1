import DictationCore

/// Writes a recording's lines in order, on a thread that may block.
///
/// A failed write does not disturb the recognition: the log keeps the error and drops all later lines.
final class RecordingLog: Sendable {
    private enum Item: Sendable {
        case line(RecordingLine)
        case flush(Watched<Bool>)
    }

    private let items = Mailbox<Item, Never>(capacity: 64)
    private let failed = Watched<DictationError?>(nil)
    private let runtime = DictationRuntime.current

    init(path: String) throws(DictationError) {
        let file = try RecordingFile(path: path)
        let (items, failed) = (items, failed)
        Task(executorPreference: runtime.blockingExecutor("recording")) { [file = consume file] in
            while let item = await items.next() {
                switch item {
                case .flush(let done): done.change { $0 = true }
                case .line(let line):
                    guard failed.value == nil else { continue }
                    do throws(DictationError) { try file.append(try line.encoded()) } catch {
                        failed.change { $0 = error }
                    }
                }
            }
        }
    }

    deinit { items.finish() }

    var failure: DictationError? { failed.value }

    /// Waits while many lines are waiting to be written.
    func room() async { _ = await items.room() }

    func write(_ line: RecordingLine) { items.put(.line(line)) }

    /// Waits until all lines so far are written. Throws the error of a failed write.
    func flush() async throws(DictationError) {
        let done = Watched(false)
        items.put(.flush(done))
        _ = await done.first { $0 ? true : nil }
        if let failure { throw failure }
    }
}
