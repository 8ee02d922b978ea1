import DictationCore

/// Reads a session's results and keeps them; it does not hold the session.
final class ResultReader: Sendable {
    enum End: Sendable, Equatable {
        case finished
        case failed(DictationError)
    }

    struct Log: Sendable {
        var results: [SpeechResult] = []
        var end: End?

        var watermark: Duration { results.map(\.finalizedThrough).max() ?? .zero }
        var finals: [SpeechResult] { results.filter(\.isFinal) }
        /// The final text, one space between words.
        var text: String { Self.text(of: finals) }

        /// The volatile results that are not replaced or revoked yet.
        var volatiles: [SpeechResult] {
            results.reduce(into: []) { volatiles, result in
                volatiles.removeAll { $0.range.overlaps(result.range) || $0.range == result.range }
                if result.status == .volatile { volatiles.append(result) }
            }
        }

        static func text(of results: [SpeechResult]) -> String {
            results.flatMap { $0.text.split(whereSeparator: \.isWhitespace) }.joined(separator: " ")
        }
    }

    let log = Watched(Log())
    private let results: RecognitionResults
    private let runtime = DictationRuntime.current
    private let task = Watched<Task<Void, Never>?>(nil)

    init(_ results: RecognitionResults) { self.results = results }

    deinit { task.value?.cancel() }

    /// Reads what there is by now, and no more.
    func readWaiting() async {
        for _ in 0..<results.waiting {
            var iterator = results.makeAsyncIterator()
            guard let result = try? await iterator.next() else { return }
            log.change { $0.results.append(result) }
        }
    }

    /// Reads from now on.
    func begin() {
        let log = log
        let results = results
        let reading = runtime.task {
            do throws(DictationError) {
                for try await result in results { log.change { $0.results.append(result) } }
                if !Task.isCancelled { log.change { $0.end = .finished } }
            } catch {
                log.change { $0.end = .failed(error) }
            }
        }
        task.change { $0 = reading }
    }

    /// Waits for the end of the results.
    func end(within limit: Duration) async -> End? {
        await runtime.within(limit) { [log] in await log.first { $0.end } } ?? nil
    }

    /// Waits until nothing came for a time.
    func quiet(for pause: Duration, within limit: Duration) async {
        let start = runtime.now()
        var count = -1
        while count != log.value.results.count, runtime.now() - start < limit {
            count = log.value.results.count
            try? await runtime.sleep(pause)
        }
    }
}
