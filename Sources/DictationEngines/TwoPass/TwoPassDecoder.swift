import DictationCore
import Synchronization

/// The decoder of a session with two engines. All audio goes to the first engine's session; its final results become
/// drafts, and a task reviews them one after another.
struct TwoPassDecoder: SpeechDecoder, ~Copyable {
    let work: TwoPassWork
    private var end: Duration = .zero

    init(_ work: TwoPassWork) { self.work = work }

    deinit { work.end() }

    mutating func decode(_ buffer: AudioBuffer, into results: ResultSink) async throws(DictationError) {
        try work.begin(results)
        end = max(end, buffer.end)
        await work.take(buffer)
    }

    mutating func finalize(into results: ResultSink) async throws(DictationError) {
        guard end > .zero else { return }
        try await work.finalize(through: end)
    }

    mutating func finish(into results: ResultSink) async throws(DictationError) {
        guard end > .zero else { return }
        try await work.finish(through: end)
    }
}

/// The sessions and tasks behind a ``TwoPassDecoder``.
final class TwoPassWork: Sendable {
    private struct Sessions: Sendable {
        /// The session that gets all audio.
        var first: (any RecognitionSession)?
        /// A session of the thorough engine that is ready for the next draft.
        var spare: (any RecognitionSession)?
        let keepsSpare: Bool
        /// The decoding of an utterance that is probably over.
        var early: EarlyDecoding?
        var tasks: [Task<Void, Never>] = []
        var hasBegun = false
        var hasAllInput = false
        var hasEnded = false
    }

    /// The name of the engine that gets all audio.
    private let name: String
    private let review: TwoPassReview
    private let runtime: DictationRuntime
    private let input = Mailbox<AudioBuffer, Never>(capacity: 1)
    private let queue: Watched<TwoPassQueue>
    private let sessions: Mutex<Sessions>

    init(
        first: any RecognitionSession, _ plan: TwoPassPlan, spare: (any RecognitionSession)?,
        review: TwoPassReview, runtime: DictationRuntime
    ) {
        self.review = review
        self.runtime = runtime
        name = plan.first.name
        queue = Watched(
            TwoPassQueue(plan.source, isLive: plan.options.volatileResults, format: first.audioFormat))
        sessions = Mutex(Sessions(first: first, spare: spare, keepsSpare: spare != nil))
    }

    /// Ends all work and releases the sessions.
    func end() {
        let ended = sessions.withLock { sessions in
            defer { sessions = Sessions(keepsSpare: false, hasBegun: true, hasEnded: true) }
            return sessions
        }
        for task in ended.tasks { task.cancel() }
        ended.early?.cancel()
        _ = input.discard()
    }

    /// Starts the first engine's session and the tasks. A second call does nothing.
    func begin(_ results: ResultSink) throws(DictationError) {
        let first = sessions.withLock { sessions -> (any RecognitionSession)? in
            guard !sessions.hasBegun else { return nil }
            sessions.hasBegun = true
            return sessions.first
        }
        guard let first else { return }
        let updates = first.results
        try first.start(AudioInput { [input] in { () async throws(DictationError) in await input.next() } })
        let tasks = [
            runtime.task { await self.read(updates, into: results) },
            runtime.task { await self.reviewDrafts(into: results) },
        ]
        let hasEnded = sessions.withLock { sessions in
            sessions.tasks = tasks
            return sessions.hasEnded
        }
        if hasEnded { end() }
    }

    /// Gives the first engine a buffer, and waits while too much audio waits for the second.
    func take(_ buffer: AudioBuffer) async {
        queue.change { queue in
            queue.append(buffer)
            // In one step, so that no review begins between the two.
            if let stretch = queue.earlyStretch() { decodeEarly(stretch) }
        }
        guard await input.putWhenRoom(buffer) else { return }
        _ = await queue.first { $0.hasRoom ? true : nil }
    }

    /// Begins to decode an utterance that is probably over, so that its text is ready when the quick engine ends it.
    private func decodeEarly(_ stretch: AudioStretch) {
        sessions.withLock { sessions in
            guard !sessions.hasEnded else { return }
            sessions.early = EarlyDecoding(
                stretch, by: review.thorough, with: sessions.spare.take(), after: sessions.early, on: runtime)
        }
    }

    /// Waits until everything up to the end of the audio is final.
    func finalize(through end: Duration) async throws(DictationError) {
        queue.change { $0.isFinalizing = true }
        defer { queue.change { $0.isFinalizing = false } }
        while let first = sessions.withLock({ $0.first }) {
            if try await first.finalize(through: end) == .complete { break }
        }
        queue.change { $0.endSentence() }
        _ = await queue.first { $0.isDone ? true : nil }
    }

    /// Ends the input, and waits until everything is final. An engine may answer only at the end of its input.
    func finish(through end: Duration) async throws(DictationError) {
        queue.change { $0.isFinalizing = true }
        let first = sessions.withLock { sessions in
            sessions.hasAllInput = true
            return sessions.first
        }
        input.finish()
        guard let first else { return }
        // A session that finishes at its own deadline drops what it knows. The deadline of this session counts.
        while try await first.finalize(through: end) != .complete, !queue.value.endsAfterWaiting {}
        _ = try await first.finish()
        _ = await queue.first { $0.endsAfterWaiting ? true : nil }
        queue.change { $0.endResults() }
        _ = await queue.first { $0.isDone ? true : nil }
    }

    // MARK: Tasks

    private func read(_ updates: RecognitionResults, into results: ResultSink) async {
        do throws(DictationError) {
            var iterator = updates.makeAsyncIterator()
            while let update = try await iterator.next() {
                // Shown before the review can make it final.
                if let shown = TwoPassQueue.shown(of: update) { results.emit(shown) }
                queue.change { $0.admit(update) }
            }
            queue.change { $0.endsAfterWaiting = true }
            let isOver = sessions.withLock { $0.hasAllInput || $0.hasEnded }
            if !isOver, !Task.isCancelled { results.fail(.resultsEndedEarly(of: name)) }
        } catch {
            results.fail(error)
        }
    }

    private func reviewDrafts(into results: ResultSink) async {
        var joiner = PieceJoiner(isLive: true)
        do throws(DictationError) {
            while await queue.first({ $0.hasNext ? true : nil }) != nil {
                guard let item = queue.change({ $0.next() }) else { continue }
                switch item {
                case .silence(let time):
                    // What the first engine calls final may still wait for the rest of its sentence.
                    if let waiting = joiner.waiting, time <= waiting.range.upperBound, !queue.value.endsSentence {
                        break
                    }
                    joiner.flush().forEach(results.emit)
                    results.emit(.finalized(through: time))
                case .passed(let update):
                    joiner.flush().forEach(results.emit)
                    results.emit(update)
                case .draft(let draft):
                    let early = sessions.withLock { $0.early.take() }
                    let text = try await early?.text(of: draft.audio)
                    let spare = sessions.withLock { $0.spare.take() }
                    let result = try await review.result(of: draft, decoded: text, with: spare)
                    let goesOn = draft.result.endsInSpeech && !queue.value.endsSentence
                    joiner.add(result, of: draft, goesOn: goesOn, review.options).forEach(results.emit)
                }
                queue.change { $0.done(item) }
                try await refill()
            }
        } catch {
            results.fail(error)
        }
    }

    /// Makes the session for the next draft, so that the draft need not wait for it.
    private func refill() async throws(DictationError) {
        guard sessions.withLock({ $0.keepsSpare && $0.spare == nil }) else { return }
        let spare = try await review.thorough.openIfRoom()
        sessions.withLock { if $0.keepsSpare { $0.spare = spare } }
    }
}

extension PieceJoiner {
    /// Adds the result of a draft and returns what it made final, and the text that waits.
    fileprivate mutating func add(
        _ result: SpeechResult, of draft: TwoPassDraft, goesOn: Bool, _ options: RecognitionOptions
    ) -> [SpeechUpdate] {
        var result = result
        // The quick engine's text has no words in the overlap.
        let overlapStart = result.isDoubtful || draft.overlap == .zero ? nil : draft.audio?.range.lowerBound
        if overlapStart != nil { result.range = draft.result.range.clamped(to: result.range) }
        let end = result.range.upperBound
        var finals = add(result, overlapStart: overlapStart, goesOn ? .length : .end)
        if options.wordTimes {
            for index in finals.indices { finals[index].words.giveTimes(in: finals[index].range) }
        }
        var updates = finals.map { SpeechUpdate.final($0) }
        if let waiting {
            // It is final later, but a session that runs out of time keeps it.
            updates.append(.volatile(waiting))
        } else if finals.last?.range.upperBound != end {
            updates.append(.finalized(through: end))
        }
        return updates
    }
}
