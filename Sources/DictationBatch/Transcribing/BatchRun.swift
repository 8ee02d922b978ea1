import DictationCore
import DictationText
import Synchronization

/// A batch at work, for one reader. Releasing it ends the work.
final class BatchRun: Sendable {
    let results: Mailbox<BatchResult, DictationError>
    private let tasks: [Task<Void, Never>]
    private let work: BatchWork

    /// Starts the work.
    ///
    /// - Parameters:
    ///   - batch: The batch.
    ///   - produce: Puts the items, and returns the error that ended them early.
    init(_ batch: BatchTranscription, _ produce: @escaping @Sendable (BatchWork) async -> DictationError?) {
        let work = BatchWork(batch)
        let runtime = DictationRuntime.current
        let reader = runtime.task { work.close(after: await produce(work)) }
        let count = min(batch.workerCount, max(1, batch.engine.capabilities.maximumSessions ?? .max))
        let workers = (0..<count).map { _ in runtime.task { await work.run() } }
        let end = runtime.task {
            for task in workers { await task.value }
            work.finish()
        }
        tasks = [reader, end] + workers
        results = work.results
        self.work = work
    }

    deinit {
        work.discard()
        for task in tasks { task.cancel() }
    }
}

/// What the tasks of a batch share.
final class BatchWork: Sendable {
    let results: Mailbox<BatchResult, DictationError>
    private let batch: BatchTranscription
    private let runtime = DictationRuntime.current
    private let window: Watched<ItemWindow>
    private let failure = Mutex<DictationError?>(nil)

    init(_ batch: BatchTranscription) {
        self.batch = batch
        results = Mailbox(capacity: batch.workerCount)
        window = Watched(ItemWindow(limit: batch.window))
    }

    /// Adds an item once there is room; `false` when the batch has ended.
    func put(_ item: BatchItem) async -> Bool {
        let hasRoom =
            await window.first { window -> Bool? in window.hasRoom ? true : (window.isClosed ? false : nil) } ?? false
        guard hasRoom else { return false }
        window.change { $0.put(item) }
        return true
    }

    /// Says that no more items come, and which error ended them early.
    func close(after error: DictationError?) {
        if let error { failure.withLock { $0 = $0 ?? error } }
        window.change { $0.close() }
    }

    /// Ends the batch at once.
    func discard() {
        window.change { $0.discard() }
        _ = results.discard()
    }

    /// Ends the results, after the last worker.
    func finish() { results.finish(throwing: failure.withLock { $0 }) }

    /// Transcribes items until none is left.
    func run() async {
        while let item = await take() {
            let result = await transcribe(item)
            if Task.isCancelled { return }
            if let error = result.transcript.error, item.fault == nil, error.concernsEveryItem {
                failure.withLock { $0 = $0 ?? error }
                window.change { $0.discard() }
                return
            }
            guard await results.putWhenRoom(result) else { return }
        }
    }

    private func take() async -> BatchItem? {
        while true {
            if let item = window.change({ $0.take() }) { return item }
            let hasMore = await window.first { window -> Bool? in window.isOver ? false : (window.isEmpty ? nil : true)
            }
            guard hasMore == true else { return nil }
        }
    }

    private func transcribe(_ item: BatchItem) async -> BatchResult {
        let begun = runtime.now()
        var transcript = await transcript(of: item)
        transcript.error = transcript.error ?? item.problem(in: transcript)
        if transcript.error != nil { transcript.isComplete = false }
        return BatchResult(item: item, transcript: transcript, workTime: runtime.now() - begun)
    }

    private func transcript(of item: BatchItem) async -> Transcript {
        let locale = batch.options.locale
        if let fault = item.fault { return Transcript(locale: locale, error: fault) }
        let heard = Mutex<[SpeechResult]>([])
        let outcome = await runtime.within(batch.limits.time ?? .longestWait) { [batch] in
            await batch.transcript(of: item) { result in heard.withLock { $0.append(result) } }
        }
        if let outcome { return outcome }
        let segments = heard.withLock { $0 }
        return Transcript(
            segments: segments, duration: segments.last?.range.upperBound ?? .zero, locale: locale,
            error: DictationError(
                .timedOut, "The recording took longer than \(Int(batch.limits.time?.seconds ?? 0)) s.",
                recovery: "Divide it, or allow more time."))
    }
}

extension BatchTranscription {
    /// Transcribes one item. Reports each final result, for a caller that does not wait for the end.
    fileprivate func transcript(
        of item: BatchItem, reporting report: @Sendable (SpeechResult) -> Void
    ) async -> Transcript {
        let recording: any AudioCapturer
        do throws(DictationError) { recording = try open(item) } catch {
            return Transcript(locale: options.locale, error: error)
        }
        let excerpt = BoundedRecording(recording, duration: item.duration, limit: limits.audio)
        var updates = engine.transcribe(excerpt, options: options, converters: converters).updates().makeAsyncIterator()
        do throws(DictationError) {
            while let update = try await updates.next() {
                if let result = update.finalResult { report(result) }
            }
            return updates.transcript
        } catch {
            var transcript = updates.transcript
            transcript.error = error
            return transcript
        }
    }
}

extension BatchItem {
    /// The reason why a transcript without an error is not that of the whole item.
    fileprivate func problem(in transcript: Transcript) -> DictationError? {
        if transcript.duration == .zero {
            return offset > .zero
                ? DictationError(
                    .invalidInput, "“\(path)” has no audio at \(offset.seconds) s.",
                    recovery: "Correct the offset, or check that the recording is whole.")
                : DictationError(.fileUnreadable, "“\(path)” has no audio.", recovery: "Record it again.")
        }
        if let loss = transcript.loss {
            let isAudio = !transcript.gaps.isEmpty && transcript.gaps.allSatisfy { !$0.isOfEngine }
            return isAudio
                ? DictationError(
                    .fileUnreadable, "The audio of “\(path)” is not whole. \(loss)",
                    recovery: "Check that the recording is whole.")
                : DictationError(
                    .engineFailed, "The engine left out a part of “\(path)”. \(loss)",
                    recovery: "Do the item again, or choose another engine.")
        }
        if let duration, transcript.duration + max(.seconds(1), duration / 50) < duration {
            return DictationError(
                .fileUnreadable,
                "“\(path)” ends \((duration - transcript.duration).seconds) s before the item does.",
                recovery: "Correct the duration, or check that the recording is whole.")
        }
        return nil
    }
}

extension AudioGap {
    /// Whether the audio was there, and the engine did not take it.
    fileprivate var isOfEngine: Bool { cause == .engineFailed || cause == .engineBehind }
}

extension DictationError {
    /// Whether every other item would fail in the same way.
    fileprivate var concernsEveryItem: Bool {
        switch code {
        case .modelNotInstalled, .modelInvalid, .libraryNotInstalled, .libraryInvalid, .notBuilt, .unsupportedOption,
            .unsupportedLocale:
            true
        default: false
        }
    }
}
