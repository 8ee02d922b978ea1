import DictationCore
import DictationMessages

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
    private var sent = GrowingText()
    /// The final results before the open item.
    private var completedCount = 0
    /// The time at which the present session of the engine began.
    private var base = Duration.zero
    /// The audio without text of the whole stream, and of the open item.
    private(set) var lost = LostAudio()
    private var itemLost = LostAudio()

    init(_ locale: SpeechLocale, endsAtCommit: Bool = false) {
        (self.locale, self.endsAtCommit) = (locale, endsAtCommit)
    }

    /// Begins another session of the engine, whose times begin at zero.
    mutating func restart(at time: Duration) {
        (text, completedCount, base) = (TranscriptAccumulator(), 0, time)
    }

    /// Applies an update, and returns the events that tell of it.
    mutating func apply(_ update: SpeechUpdate) -> [OpenAIRealtimeMessage] {
        let before = text.finalResults.count
        text.apply(update)
        lost.apply(update, from: base)
        itemLost.apply(update, from: base)
        guard let result = update.result else { return endsAtCommit || openItem != nil ? [] : fail() }
        let own = text.finalResults.dropFirst(completedCount).map(\.text)
        var events = begin(at: result.range.lowerBound)
        let isFinal = text.finalResults.count > before
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
    ///
    /// - Parameter outcome: How the session of the engine ended.
    mutating func commit(_ outcome: FinalizationOutcome = .complete) -> [OpenAIRealtimeMessage] {
        lost.apply(outcome)
        itemLost.apply(outcome)
        guard endsAtCommit else { return fail() }
        if openItem == nil { open() }
        return complete(through: text.finalizedThrough)
    }

    /// Ends the open item with the text so far, because the engine failed.
    mutating func breakOff() -> [OpenAIRealtimeMessage] {
        lost.breakOff()
        itemLost.breakOff()
        return commit()
    }

    private mutating func open() {
        number += 1
        openItem = "item_\(number)"
        sent = GrowingText()
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
        guard let part = sent.grow(to: all) else { return [] }
        var delta = OpenAIRealtimeMessage(OpenAIRealtimeMessage.Event.delta)
        delta.itemID = openItem
        delta.contentIndex = 0
        delta.delta = part
        return [delta]
    }

    private mutating func complete(through time: Duration) -> [OpenAIRealtimeMessage] {
        let own = Array(text.finalResults.dropFirst(completedCount))
        guard !own.isEmpty || itemLost.description == nil else { return fail() }
        var completed = OpenAIRealtimeMessage(OpenAIRealtimeMessage.Event.completed)
        completed.transcript = locale.join(own.map(\.text))
        completed.loss = itemLost.description
        if let start = own.first?.range.lowerBound {
            completed.usage = OpenAIUsage(seconds: max(.zero, time - start).inSeconds)
        }
        return end(with: completed)
    }

    /// Tells of an utterance without any text, if the engine left audio out.
    private mutating func fail() -> [OpenAIRealtimeMessage] {
        guard let loss = itemLost.description else { return [] }
        if openItem == nil { open() }
        var failed = OpenAIRealtimeMessage(OpenAIRealtimeMessage.Event.failed)
        failed.error = OpenAIError(message: loss, type: "server_error", code: DictationError.Code.engineFailed.rawValue)
        return end(with: failed)
    }

    private mutating func end(with event: OpenAIRealtimeMessage) -> [OpenAIRealtimeMessage] {
        var (committed, event) = (OpenAIRealtimeMessage(OpenAIRealtimeMessage.Event.committed), event)
        committed.itemID = openItem
        committed.previousItemID = lastItem
        event.itemID = openItem
        event.contentIndex = 0
        (lastItem, openItem, completedCount, itemLost) = (openItem, nil, text.finalResults.count, LostAudio())
        return [committed, event]
    }
}

extension Int {
    fileprivate init(clamping number: Double) { self = Int(exactly: Swift.max(0, Swift.min(1e15, number))) ?? 0 }
}
