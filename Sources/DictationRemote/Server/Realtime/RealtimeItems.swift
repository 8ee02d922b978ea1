import DictationCore

/// Turns the updates of an engine into the events of the realtime interface.
///
/// An item is one utterance. Its deltas only ever add text, so volatile text that takes words back waits until the item
/// is complete. Then the whole transcript counts, whatever the deltas were.
struct RealtimeItems: Sendable {
    /// Whether the client ends an utterance with a commit, or the engine at a pause.
    var endsAtCommit = false
    private let locale: SpeechLocale
    private var text = TranscriptAccumulator()
    private var number = 0
    private var openItem: String?
    private var lastItem: String?
    /// The deltas of the open item.
    private var sent = ""
    /// The final results before the open item.
    private var completedCount = 0
    /// The time at which the present session of the engine began.
    private var base = Duration.zero

    init(_ locale: SpeechLocale, endsAtCommit: Bool = false) {
        (self.locale, self.endsAtCommit) = (locale, endsAtCommit)
    }

    /// Begins another session of the engine, whose times begin at zero.
    mutating func restart(at time: Duration) {
        (text, completedCount, base) = (TranscriptAccumulator(), 0, time)
    }

    /// Applies an update, and returns the events that tell of it.
    mutating func apply(_ update: SpeechUpdate) -> [OpenAIRealtimeMessage] {
        let before = text.finalized.count
        text.apply(update)
        guard let result = update.result else { return [] }
        let own = text.finalized.dropFirst(completedCount).map(\.text)
        var events = begin(at: result.range.lowerBound)
        let isFinal = text.finalized.count > before
        if !isFinal || endsAtCommit {
            return events + grow(to: locale.join(own + text.volatileTail.map(\.text)))
        }
        events += grow(to: locale.join(own))
        var stopped = OpenAIRealtimeMessage(OpenAIRealtimeMessage.Event.speechStopped)
        stopped.audioEnd = Int(clamping: ((base + result.range.upperBound) / .milliseconds(1)).rounded())
        stopped.itemID = openItem
        return events + [stopped] + complete(through: result.range.upperBound)
    }

    /// Ends the open item after a commit.
    mutating func commit() -> [OpenAIRealtimeMessage] {
        guard endsAtCommit else { return [] }
        if openItem == nil { open() }
        return complete(through: text.finalizedThrough)
    }

    private mutating func open() {
        number += 1
        openItem = "item_\(number)"
        sent = ""
    }

    private mutating func begin(at time: Duration) -> [OpenAIRealtimeMessage] {
        guard openItem == nil else { return [] }
        open()
        guard !endsAtCommit else { return [] }
        var started = OpenAIRealtimeMessage(OpenAIRealtimeMessage.Event.speechStarted)
        started.audioStart = Int(clamping: ((base + time) / .milliseconds(1)).rounded())
        started.itemID = openItem
        return [started]
    }

    private mutating func grow(to all: String) -> [OpenAIRealtimeMessage] {
        guard all.utf8.count > sent.utf8.count, all.utf8.starts(with: sent.utf8) else { return [] }
        var delta = OpenAIRealtimeMessage(OpenAIRealtimeMessage.Event.delta)
        delta.itemID = openItem
        delta.contentIndex = 0
        delta.delta = String(decoding: all.utf8.dropFirst(sent.utf8.count), as: UTF8.self)
        sent = all
        return [delta]
    }

    private mutating func complete(through time: Duration) -> [OpenAIRealtimeMessage] {
        let own = Array(text.finalized.dropFirst(completedCount))
        var committed = OpenAIRealtimeMessage(OpenAIRealtimeMessage.Event.committed)
        committed.itemID = openItem
        committed.previousItemID = lastItem
        var completed = OpenAIRealtimeMessage(OpenAIRealtimeMessage.Event.completed)
        completed.itemID = openItem
        completed.contentIndex = 0
        completed.transcript = locale.join(own.map(\.text))
        if let start = own.first?.range.lowerBound {
            completed.usage = OpenAIUsage(seconds: max(.zero, time - start).inSeconds)
        }
        (lastItem, openItem, completedCount) = (openItem, nil, text.finalized.count)
        return [committed, completed]
    }
}

extension Int {
    fileprivate init(clamping number: Double) { self = Int(exactly: Swift.max(0, Swift.min(1e15, number))) ?? 0 }
}
