import DictationCore

/// Decides who gets the text of each take: a value with no clock, no task and no lock.
///
/// Each text goes to one caller, or to none and is only kept. The caller that ends a take gets its text. A take that
/// ended by itself goes to the next caller that stops, once, unless another take has begun since.
struct TextLedger: Sendable {
    /// A caller that waits for a text.
    typealias Caller = UInt64

    /// Why a caller asks for the text of a take.
    enum Reason: Sendable, Hashable {
        /// It stopped the take, which was recorded until then.
        case endedTake
        /// It asked to stop when the take was already ending, or had ended.
        case asked
        /// It held the take and has released it.
        case held
    }

    /// The answer to a caller that asks for a text.
    enum Claim: Sendable, Hashable {
        /// The caller gets the text when it is there.
        case waits
        /// The take has ended.
        case given(DictationAnswer)
        /// The text belongs to another caller.
        case belongsToAnother
        /// There is no text to give.
        case nothing
    }

    private enum Owner: Sendable, Hashable {
        case nobody
        /// Whoever holds the take and has not released it yet.
        case holder
        case caller(Caller)
        /// A caller that left. The text is only kept.
        case left
    }

    private struct Entry: Sendable {
        var owner = Owner.nobody
        /// The end of the take; `nil` while its text is still to come.
        var end: DictationAnswer?
        /// Whether the take was begun by an intent. The text of another take, such as a retry, is only kept.
        var isIntended = false

        /// Whether the take has ended and nobody has asked for its text.
        var isUnclaimed: Bool { end != nil && owner == .nobody }
    }

    private var entries: [TakeID: Entry] = [:]
    private var newest = TakeID(number: 0)

    /// The number of takes whose text is still to be given, or to come.
    var count: Int { entries.count }

    /// Notes that an intent began a take.
    mutating func begin(_ take: TakeID, isHeld: Bool = false) {
        entries[take, default: Entry()].isIntended = true
        if isHeld { entries[take]?.owner = .holder }
        newest = max(newest, take)
        // What nobody asked for until now is only kept.
        entries = entries.filter { id, entry in id == take || !entry.isUnclaimed }
    }

    /// Whether an intent began the take.
    func isIntended(_ take: TakeID) -> Bool { entries[take]?.isIntended ?? false }

    /// Asks for the text of a take.
    mutating func claim(_ take: TakeID, for caller: Caller, because reason: Reason) -> Claim {
        guard var entry = entries[take] ?? (reason == .endedTake ? Entry() : nil) else {
            return reason == .held ? .belongsToAnother : .nothing
        }
        switch (entry.owner, reason) {
        case (.caller, _), (.holder, .asked): return .belongsToAnother
        case (.nobody, _), (.left, _), (.holder, _): break
        }
        if let end = entry.end {
            entries[take] = nil
            return .given(end)
        }
        entry.owner = .caller(caller)
        entries[take] = entry
        return .waits
    }

    /// Returns the text of a take that ended by itself and that nobody has asked for, once.
    mutating func claimEnded() -> DictationAnswer? {
        guard let (take, entry) = entries.first(where: { $1.isUnclaimed && $1.isIntended }) else { return nil }
        entries[take] = nil
        return entry.end
    }

    /// Notes the end of a take, and returns the caller that gets it.
    mutating func end(_ take: TakeID, with answer: DictationAnswer) -> Caller? {
        var entry = entries[take] ?? Entry()
        entry.end = answer
        entries[take] = nil
        switch entry.owner {
        case .caller(let caller): return caller
        case .holder: entries[take] = entry
        case .nobody where answer.text != nil && take >= newest:
            // The intent that began the take may still be about to say so.
            entries = entries.filter { !$1.isUnclaimed || $1.isIntended && !entry.isIntended }
            entries[take] = entry
        case .nobody, .left: break
        }
        return nil
    }

    /// Notes that a caller no longer waits. The text is then only kept, unless another caller asks before it is there.
    mutating func leave(_ caller: Caller) {
        for (take, entry) in entries where entry.owner == .caller(caller) { entries[take]?.owner = .left }
    }

    /// Notes that the holder of a take is gone.
    mutating func drop(_ take: TakeID) {
        guard let entry = entries[take], entry.owner == .holder else { return }
        entries[take] = nil
        if entry.end == nil { entries[take] = Entry(owner: .left, isIntended: true) }
    }
}
