import DictationCore
import DictationText
import FoundationEssentials
import Synchronization

/// Writes the text of each take that ends, saves it in the journal, and gives it to its caller.
final class TextDesk: Sendable {
    private struct State {
        var ledger = TextLedger()
        var waiting: [TextLedger.Caller: Watched<DictationAnswer?>] = [:]
        var callers: TextLedger.Caller = 0
        var last: DictatedText?
        /// Whether the last text is of a take of this service. The text of older audio does not replace it.
        var isLastOwn = false
        /// Takes of older audio that is recognized again.
        var recoveries: Set<TakeID> = []
    }

    /// A text that was asked for.
    enum Promise: Sendable {
        case ready(DictationAnswer)
        case waits(TextLedger.Caller, TakeID, Watched<DictationAnswer?>)
    }

    /// The end of a take.
    enum Ending: Sendable {
        case ended(TakeID, Transcript)
        case cancelled(TakeID)

        var take: TakeID {
            switch self {
            case .ended(let take, _), .cancelled(let take): take
            }
        }
    }

    /// How long a disk may take to save a text. After that the text is given out all the same.
    private static let journalTimeout = Duration.seconds(2)

    private let state = Mutex(State())
    private let endings = Mailbox<Ending, Never>()
    /// The number of ends that are not handled yet.
    private let undone = Watched(0)
    private let profiles: TakeProfiles
    private let journal: TextJournal?
    private let board: StatusBoard
    private let runtime = DictationRuntime.current

    init(profiles: TakeProfiles, journal: TextJournal?, board: StatusBoard) {
        self.profiles = profiles
        self.journal = journal
        self.board = board
    }

    // MARK: Callers

    /// Notes that an intent began a take.
    func begin(_ take: TakeID, isHeld: Bool = false) {
        state.withLock { $0.ledger.begin(take, isHeld: isHeld) }
    }

    /// Notes that a take only recognizes older audio again.
    func beginRecovery(in take: TakeID) { state.withLock { _ = $0.recoveries.insert(take) } }

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
    func last() async -> DictatedText? {
        if let last = state.withLock({ $0.last }) { return last }
        let limit = Self.journalTimeout
        guard let journal, let saved = try? await runtime.within(limit, { try await journal.texts() }) else {
            return nil
        }
        return saved.last { !$0.text.isEmpty }
    }

    // MARK: Takes

    /// Queues the end of a take.
    func note(_ ending: Ending) {
        undone.change { $0 += 1 }
        if !endings.put(ending) { undone.change { $0 -= 1 } }
    }

    /// Handles the ends of takes in order, until the desk is closed.
    func work() async {
        while let ending = await endings.next() {
            switch ending {
            case .cancelled(let take): finish(take, with: .cancelled(take))
            case .ended(let take, let transcript):
                let text = DictatedText(take: take, transcript: transcript, by: profiles.profile(of: take))
                // A take that failed before it recorded anything leaves nothing to keep.
                if transcript.duration > .zero { await save(text) }
                finish(take, with: .text(text))
            }
            profiles.forget(ending.take)
            undone.change { $0 -= 1 }
        }
    }

    /// Ends the work once everything queued is done.
    func close() { endings.finish() }

    /// Waits until everything queued is done.
    func waitUntilSettled() async { _ = await undone.first { $0 == 0 ? true : nil } }

    private func save(_ text: DictatedText) async {
        guard let journal else { return }
        let saved = await runtime.within(Self.journalTimeout) {
            await Result.of { () async throws(DictationError) in try await journal.append(text) }
        }
        switch saved {
        case .success: board.show(journalError: nil)
        case .failure(let error): board.show(journalError: error)
        case nil: board.show(journalError: .slowJournal(Self.journalTimeout))
        }
    }

    private func finish(_ take: TakeID, with answer: DictationAnswer) {
        let waiting = state.withLock { state -> Watched<DictationAnswer?>? in
            let isOwn = state.recoveries.remove(take) == nil
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
