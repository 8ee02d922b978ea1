import DictationCore

/// Reads a stream and logs its elements. It does not keep the maker of the stream alive.
final class StreamReader<Stream: AsyncSequence & Sendable>: Sendable
where Stream.Failure == DictationError, Stream.Element: Sendable {
    enum End: Sendable, Equatable {
        case finished
        case failed(DictationError)
    }

    struct Log: Sendable {
        var elements: [Stream.Element] = []
        var end: End?
    }

    let log = Watched(Log())
    let stream: Stream
    private let runtime = DictationRuntime.current
    private let task = Watched<Task<Void, Never>?>(nil)

    init(_ stream: Stream) { self.stream = stream }

    deinit { task.value?.cancel() }

    /// Begins to read.
    func begin() {
        let log = log
        let stream = stream
        let reading = runtime.task {
            do throws(DictationError) {
                for try await element in stream { log.change { $0.elements.append(element) } }
                if !Task.isCancelled { log.change { $0.end = .finished } }
            } catch {
                log.change { $0.end = .failed(error) }
            }
        }
        task.change { $0 = reading }
    }

    /// Waits until a closure finds a value in the log.
    func first<Found: Sendable>(within limit: Duration, _ find: @escaping @Sendable (Log) -> Found?) async -> Found? {
        await runtime.within(limit) { [log] in await log.first(find) } ?? nil
    }

    /// Waits for the end of the stream.
    func end(within limit: Duration) async -> End? { await first(within: limit) { $0.end } }

    /// Waits until no element has arrived for a while.
    func quiet(for pause: Duration, within limit: Duration) async {
        let start = runtime.now()
        var count = -1
        while count != log.value.elements.count, runtime.now() - start < limit {
            count = log.value.elements.count
            try? await runtime.sleep(pause)
        }
    }
}
