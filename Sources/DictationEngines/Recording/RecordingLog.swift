import DictationCore

/// Takes a recording's lines from anywhere and writes them, in order, where blocking is allowed.
///
/// What can't be written is not the recognition's trouble: the log remembers the error and drops what follows.
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

    /// Waits while much is waiting to be written.
    func room() async { _ = await items.room() }

    func write(_ line: RecordingLine) { items.put(.line(line)) }

    /// Waits until everything so far is written; throws what went wrong.
    func flush() async throws(DictationError) {
        let done = Watched(false)
        items.put(.flush(done))
        _ = await done.first { $0 ? true : nil }
        if let failure { throw failure }
    }
}
