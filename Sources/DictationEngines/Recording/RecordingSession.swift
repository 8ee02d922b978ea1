import DictationCore

/// A session that forwards everything to another session and records it.
final class RecordingSession: RecognitionSession {
    private let session: any RecognitionSession
    private let log: SessionLog
    private let relay: Task<Void, Never>

    let results: RecognitionResults
    var audioFormat: AudioFormat { session.audioFormat }

    init(_ session: any RecognitionSession, _ log: SessionLog, _ runtime: DictationRuntime) {
        self.session = session
        self.log = log
        let (results, continuation) = RecognitionResults.makeStream()
        self.results = results
        let said = session.results
        relay = runtime.task {
            do throws(DictationError) {
                var iterator = said.makeAsyncIterator()
                while let update = try await iterator.next() {
                    await continuation.room()
                    await log.update(update)
                    continuation.yield(update)
                }
                log.ended(nil)
                continuation.finish()
            } catch {
                log.ended(error)
                continuation.finish(throwing: error)
            }
        }
    }

    func start(_ input: AudioInput) throws(DictationError) {
        let log = log
        try session.start(
            AudioInput {
                var iterator = input.makeAsyncIterator()
                return { () throws(DictationError) in
                    do throws(DictationError) {
                        guard let buffer = try await iterator.next() else {
                            log.inputEnded(nil)
                            return nil
                        }
                        await log.audio(buffer)
                        return buffer
                    } catch {
                        log.inputEnded(error)
                        throw error
                    }
                }
            })
    }

    func finalize(through time: Duration?) async throws(DictationError) -> FinalizationOutcome {
        log.called("finalize", through: time)
        return try await session.finalize(through: time)
    }

    func finish() async throws(DictationError) -> FinalizationOutcome {
        log.called("finish")
        let completion: FinalizationOutcome
        do throws(DictationError) { completion = try await session.finish() } catch {
            await endRelay()
            throw error
        }
        await endRelay()
        return completion
    }

    func cancel() async {
        log.called("cancel")
        await session.cancel()
        relay.cancel()
    }

    /// Passes on the remaining results of an ended session at once, whether anyone reads them or not.
    private func endRelay() async {
        guard !Task.isCancelled else { return }
        relay.cancel()
        await relay.value
    }
}
