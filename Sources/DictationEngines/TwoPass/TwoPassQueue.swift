import DictationCore

/// The results of the engine that comes first, in the order in which they become final.
///
/// The thorough engine comes first in recordings, which it cuts by itself, and in live dictation if it shows its text.
/// Otherwise the quick engine comes first in live dictation, and its pauses end the utterances.
struct TwoPassQueue: Sendable {
    /// What is to become final.
    enum Item: Sendable {
        case draft(TwoPassDraft)
        case silence(through: Duration)
        /// Audio that the first engine left out, or the end of a turn. It comes after the text before it.
        case passed(SpeechUpdate)
    }

    private let source: TwoPassDraft.Source
    private let isLive: Bool
    private let format: AudioFormat
    private var history = AudioHistory()
    private var pauses: SpokenPauses
    /// The time when the utterance that the first engine shows began; `nil` if it shows none.
    private var shownStart: Duration?
    /// The stretches of this utterance that were decoded early.
    private var early: [Range<Duration>] = []
    /// The time of the text that the first engine showed and that is not final yet, even if the engine revoked it.
    private var shown: Range<Duration>?
    private var waiting = FIFO<Item>()
    private var isBusy = false
    /// Whether no more results come.
    var endsAfterWaiting = false
    /// Whether all text through the end of the audio is to become final.
    var isFinalizing = false
    /// The length of the drafts that wait.
    private var backlog: Duration = .zero
    /// The end of the last draft.
    private var lastEnd: Duration = .zero
    /// The time where the audio of the next draft begins if the last draft ended inside speech.
    private var overlapStart: Duration?
    /// The time through which the first engine's results are final.
    private var through: Duration = .zero
    /// The end of the audio.
    private(set) var end: Duration = .zero

    /// The audio before a result that its stretch includes, because engines place the beginning of a word late.
    private static let lead: Duration = .milliseconds(200)
    /// How long before a cut inside speech the next draft's audio begins: long enough for a few words, which tell the
    /// second engine how the sentence began.
    private static let overlap = (least: Duration.milliseconds(1_500), most: Duration.milliseconds(2_500))
    /// The most audio that is kept for one utterance of live speech. The results of a recording need all of its audio,
    /// so that the number of workers makes no difference.
    private static let longestUtterance: Duration = .seconds(300)
    /// The most audio that waits for the second engine.
    private static let mostBacklog: Duration = .seconds(60)
    private static let mostWaiting = 64
    /// The most audio that is decoded early for an utterance, in the utterance's own length.
    private static let mostEarly = 3

    init(_ source: TwoPassDraft.Source, isLive: Bool, format: AudioFormat) {
        self.source = source
        self.isLive = isLive
        self.format = format
        pauses = SpokenPauses(format)
    }

    /// Whether more audio may come.
    var hasRoom: Bool { backlog < Self.mostBacklog && waiting.count < Self.mostWaiting }

    /// Whether everything up to the end of the audio is final.
    var isDone: Bool { !isBusy && hasNoMore }
    /// Whether the item that is being worked on is the last one, so that its sentence has no rest.
    var endsSentence: Bool { isFinalizing && hasNoMore }
    private var hasNoMore: Bool { waiting.isEmpty && (through >= end || format.isSame(through, end)) }

    /// Keeps audio for later stretches.
    mutating func append(_ buffer: AudioBuffer) {
        history.append(buffer)
        end = max(end, buffer.end)
        if source == .quick { pauses.add(buffer) }
        if isLive { removeAudio(before: end - Self.longestUtterance) }
    }

    /// Returns the audio of the open utterance if the utterance is probably over, each stretch once. If nothing more is
    /// said, it is the audio of the utterance's draft.
    mutating func earlyStretch() -> AudioStretch? {
        guard source == .quick, !isBusy, waiting.isEmpty, let start = shownStart,
            let end = pauses.endOfSpeech(since: start),
            case let range = stretchStart(of: start)..<end, early.last != range
        else { return nil }
        let length = range.upperBound - range.lowerBound
        let spent = early.reduce(length) { $0 + ($1.upperBound - $1.lowerBound) }
        guard spent <= length * Self.mostEarly, let stretch = history.stretch(range) else { return nil }
        early.append(range)
        return stretch
    }

    /// Returns the beginning of the audio for an utterance that begins at a time.
    private func stretchStart(of start: Duration) -> Duration {
        if let overlapStart, start - lastEnd <= Self.lead { return overlapStart }
        return max(lastEnd, start - Self.lead)
    }

    /// Returns the beginning of the overlap after a result that ended inside speech.
    private func overlapStart(after result: SpeechResult) -> Duration {
        let end = result.range.upperBound
        let first = max(result.range.lowerBound, end - Self.overlap.most)
        return history.quietest(in: first..<max(first, end - Self.overlap.least))
    }

    private mutating func removeAudio(before time: Duration) {
        history.removeAudio(before: time)
        pauses.remove(before: time)
    }

    /// Returns what to show of an update of the first engine until the review is done. If time runs out before, the
    /// text of a draft stands.
    static func shown(of update: SpeechUpdate) -> SpeechUpdate? {
        switch update {
        case .volatile, .revoked, .voice: update
        case .interrupted(let interruption): interruption.lost == nil ? update : nil
        case .final(let result): .volatile(result)
        case .finalized, .turnEnded: nil
        }
    }

    /// Takes an update of the first engine.
    mutating func admit(_ update: SpeechUpdate) {
        let update = update.clamped(to: end)
        if let time = update.finalizedThrough { through = max(through, time) }
        switch update {
        case .volatile(let result):
            shownStart = result.range.lowerBound
            shown = result.range
        case .revoked: shownStart = nil
        case .interrupted(let interruption):
            (shownStart, shown) = (nil, nil)
            if interruption.lost != nil { waiting.append(.passed(update)) }
        case .voice: break
        case .turnEnded: waiting.append(.passed(update))
        case .finalized(let time):
            if source == .thorough, let shown, shown.lowerBound >= lastEnd, shown.upperBound <= time {
                admit(.final(SpeechResult(range: shown, text: "")))
            }
            if time - lastEnd > Self.lead { overlapStart = nil }
            removeAudio(before: min(time - Self.lead, overlapStart ?? time))
            if case .silence? = waiting.last {
                waiting.last = .silence(through: time)
            } else {
                waiting.append(.silence(through: time))
            }
        case .final(let result):
            let start = stretchStart(of: result.range.lowerBound)
            let range = start..<max(start, result.range.upperBound)
            let audio = history.stretch(source == .quick ? pauses.speech(in: range) : range)
            let overlap = max(.zero, min(lastEnd, range.upperBound) - start)
            waiting.append(.draft(TwoPassDraft(source: source, result: result, audio: audio, overlap: overlap)))
            backlog += audio?.duration ?? .zero
            lastEnd = range.upperBound
            overlapStart = source == .quick && result.endsInSpeech ? overlapStart(after: result) : nil
            removeAudio(before: overlapStart ?? lastEnd)
            (shownStart, shown, early) = (nil, nil, [])
        }
    }

    /// Notes that the first engine has made all of its results final.
    mutating func endResults() {
        through = end
        endSentence()
    }

    /// Makes the text final that waits for the rest of its sentence.
    mutating func endSentence() { waiting.append(.silence(through: through)) }

    /// Whether an item waits and none is being worked on.
    var hasNext: Bool { !isBusy && !waiting.isEmpty }

    /// Takes the next item. Call `done` when it is final.
    mutating func next() -> Item? {
        guard !isBusy, let item = waiting.popFirst() else { return nil }
        isBusy = true
        return item
    }

    /// Ends the work on an item.
    mutating func done(_ item: Item) {
        isBusy = false
        if case .draft(let draft) = item, let audio = draft.audio { backlog -= audio.duration }
    }
}
