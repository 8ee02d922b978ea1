import DictationCore
import DictationText
import FoundationEssentials
import Synchronization

/// Writes the text of each take that ends, saves it in the journal, delivers it, and gives it to its caller.
final class TextHandler: Sendable {
    private struct State {
        var ledger = TextLedger()
        var waiting: [TextLedger.Caller: Watched<DictationAnswer?>] = [:]
        var callers: TextLedger.Caller = 0
        var last: DictatedText?
        /// Whether the last text is of a take of this service. The text of older audio does not replace it.
        var isLastOwn = false
        /// Takes of older audio that is recognized again, and the names of the audio.
        var recoveries: [TakeID: SpooledTake.ID] = [:]
    }

    /// A text that was asked for.
    enum Promise: Sendable {
        case ready(DictationAnswer)
        case waits(TextLedger.Caller, TakeID, Watched<DictationAnswer?>)
    }

    /// What the texts does, one after another.
    enum Job: Sendable {
        case ended(TakeID, Transcript)
        case cancelled(TakeID)
        /// Delivers a text once more, to what has the focus.
        case again(DictatedText, DestinationChain, Watched<DictatedText?>)
    }

    /// How long a disk may take to save a text. After that the text is given out all the same.
    private static let journalTimeout = Duration.seconds(2)
    /// How long all destinations together may take. A caller waits a minute for its text.
    private static let deliveryTimeout = Duration.seconds(40)

    private let state = Mutex(State())
    private let jobs = Mailbox<Job, Never>()
    /// The number of jobs that are not done yet.
    private let undone = Watched(0)
    private let profiles: TakeProfiles
    private let journal: TextJournal?
    private let publisher: StatusPublisher
    private let runtime = DictationRuntime.current

    init(profiles: TakeProfiles, journal: TextJournal?, publisher: StatusPublisher) {
        self.profiles = profiles
        self.journal = journal
        self.publisher = publisher
    }

    // MARK: Callers

    /// Notes that an intent began a take.
    func begin(_ take: TakeID, isHeld: Bool = false) {
        state.withLock { $0.ledger.begin(take, isHeld: isHeld) }
    }

    /// Notes that a take only recognizes older audio again.
    func beginRecovery(of audio: SpooledTake.ID, in take: TakeID) { state.withLock { $0.recoveries[take] = audio } }

    /// Whether an intent began the take.
    func isIntended(_ take: TakeID) -> Bool { state.withLock { $0.ledger.isIntended(take) } }

    /// Asks for the text of a take.
    func claim(_ take: TakeID, because reason: TextLedger.Reason) -> Promise {
        state.withLock { state in
            state.callers += 1
            switch state.ledger.claim(take, for: state.callers, because: reason) {
            case .waits:
                let answer = Watched<DictationAnswer?>(nil)
                state.waiting[state.callers] = answer
                return .waits(state.callers, take, answer)
            case .given(let answer): return .ready(answer)
            case .belongsToAnother: return .ready(.endedByAnother(take))
            case .nothing: return .ready(.nothing)
            }
        }
    }

    /// Asks for the text of a take that ended by itself.
    func claimEnded() -> DictationAnswer? { state.withLock { $0.ledger.claimEnded() } }

    /// Waits for a text. When the calling task is cancelled, the text is kept.
    func answer(to promise: Promise) async throws(DictationError) -> DictationAnswer {
        switch promise {
        case .ready(let answer): return answer
        case .waits(_, let take, let answer):
            if let answer = await answer.first({ $0 }) { return answer }
            leave(promise)
            throw DictationError(
                .cancelled, "The call was cancelled while \(take) became text.",
                recovery: "Ask for the last text: it is kept.")
        }
    }

    /// Notes that nobody waits for a text any more.
    func leave(_ promise: Promise) {
        guard case .waits(let caller, _, _) = promise else { return }
        state.withLock { state in
            state.waiting[caller] = nil
            state.ledger.leave(caller)
        }
    }

    /// Notes that the holder of a take is gone.
    func drop(_ take: TakeID) { state.withLock { $0.ledger.drop(take) } }

    /// The number of callers that wait for a text.
    var pending: Int { state.withLock { $0.waiting.count } }

    /// Whether a text of this service was given or kept.
    var hasLast: Bool { state.withLock { $0.last != nil } }

    /// Whether the last text is of a take of this service, not of older audio.
    var hasOwnText: Bool { state.withLock { $0.isLastOwn } }

    /// The number of takes whose text is still to be given, or to come.
    var openTakes: Int { state.withLock { $0.ledger.count } }

    /// Returns the newest text that is not empty, also of an earlier service.
    ///
    /// - Throws: An error if the texts of earlier services can't be read.
    func last() async throws(DictationError) -> DictatedText? {
        if let last = state.withLock({ $0.last }) { return last }
        guard let journal else { return nil }
        let saved = await runtime.within(Self.journalTimeout) {
            await Result.of { () async throws(DictationError) in try await journal.texts() }
        }
        guard let saved else { throw .slowJournal(Self.journalTimeout) }
        return try saved.get().last { !$0.text.isEmpty }
    }

    // MARK: Takes

    /// Queues a job; `false` if the texts is closed.
    @discardableResult
    func note(_ job: Job) -> Bool {
        undone.change { $0 += 1 }
        let isQueued = jobs.put(job)
        if !isQueued { undone.change { $0 -= 1 } }
        return isQueued
    }

    /// Delivers a text after those before it, and returns it with what became of it.
    func deliverAgain(_ text: DictatedText, to destinations: DestinationChain) async -> DictatedText {
        let done = Watched<DictatedText?>(nil)
        guard note(.again(text, destinations, done)) else { return text }
        return await done.first { $0 } ?? text
    }

    /// Does the jobs in order, until the texts is closed.
    func work() async {
        while let job = await jobs.next() {
            switch job {
            case .cancelled(let take):
                finish(take, with: .cancelled(take))
                profiles.forget(take)
            case .ended(let take, let transcript):
                let chosen = profiles.profile(of: take)
                var text = DictatedText(take: take, transcript: transcript, by: chosen)
                text.audio = state.withLock { $0.recoveries[take] }
                // A take that failed before it recorded anything leaves nothing to keep.
                if transcript.duration > .zero { text.journalError = await save(text) }
                if let audio = text.audio, text.isComplete, text.journalError == nil {
                    try? await chosen.profile.spool?.discard(audio)
                }
                // Nobody waits at a field for the text of older audio.
                if let focus = chosen.focus, isIntended(take) {
                    text.delivery = await deliver(text, to: chosen.profile.destinations, in: await focus.value)
                }
                finish(take, with: .text(text))
                profiles.forget(take)
            case .again(var text, let destinations, let done):
                text.delivery = await deliver(text, to: destinations, in: nil)
                let delivered = text
                state.withLock { if $0.last?.date == text.date, $0.last?.take == text.take { $0.last = delivered } }
                done.change { $0 = delivered }
            }
            undone.change { $0 -= 1 }
        }
    }

    private func deliver(
        _ text: DictatedText, to destinations: DestinationChain, in focus: DestinationChain.Focus?
    ) async -> TextDelivery? {
        guard !text.text.isEmpty, !destinations.isEmpty else { return nil }
        let delivery =
            await runtime.within(Self.deliveryTimeout) { await destinations.deliver(text, in: focus) }
            ?? TextDelivery(
                take: text.take,
                attempts: [
                    .init(
                        destinations.destinations[0].name,
                        .incomplete("The delivery took longer than \(Self.deliveryTimeout)."))
                ])
        publisher.show(delivery)
        return delivery
    }

    /// Ends the work once everything queued is done.
    func close() { jobs.finish() }

    /// Waits until everything queued is done.
    func waitUntilSettled() async { _ = await undone.first { $0 == 0 ? true : nil } }

    /// Returns why the text is not saved.
    private func save(_ text: DictatedText) async -> DictationError? {
        guard let journal else { return nil }
        let saved = await runtime.within(Self.journalTimeout) {
            await Result.of { () async throws(DictationError) in try await journal.append(text) }
        }
        let error: DictationError? =
            switch saved {
            case .success: nil
            case .failure(let error): error
            case nil: .slowJournal(Self.journalTimeout)
            }
        publisher.show(journalError: error)
        return error
    }

    private func finish(_ take: TakeID, with answer: DictationAnswer) {
        let waiting = state.withLock { state -> Watched<DictationAnswer?>? in
            let isOwn = state.recoveries.removeValue(forKey: take) == nil
            if let text = answer.text, !text.text.isEmpty, isOwn || !state.isLastOwn {
                (state.last, state.isLastOwn) = (text, isOwn)
            }
            guard let caller = state.ledger.end(take, with: answer) else { return nil }
            return state.waiting.removeValue(forKey: caller)
        }
        waiting?.change { $0 = answer }
    }
}

extension DictatedText {
    /// The text that a profile's processors write.
    init(take: TakeID, transcript: Transcript, by chosen: TakeProfiles.Chosen) {
        self.init(take: take, transcript: transcript.processed(by: chosen.profile.processors))
        (profile, destination) = (chosen.name, chosen.profile.destination)
    }
}

extension DictationError {
    static func slowJournal(_ limit: Duration) -> DictationError {
        DictationError(
            .timedOut, "The disk did not save the text within \(limit).",
            recovery: "Check the disk, or turn the journal off.")
    }
}
