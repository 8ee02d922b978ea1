import DictationCore

/// Makes the captions of one or more recordings, in order and without overlaps.
///
/// While audio is lost, a caption says that text is missing. A viewer would not know otherwise.
struct CaptionTrack: Sendable {
    private let cutter: CaptionCutter
    private let style: CaptionStyle
    /// Whether the text of a caption starts with the speaker's name when the speaker changes.
    private let writesNames: Bool
    private var starts = ParagraphStarts()
    private var written = WrittenSegments()
    /// Captions in the order of their starts. Another speaker may begin before them.
    private var pending: [Caption] = []
    /// The last caption, held back until the start of the next caption is known.
    private var held: Caption?
    /// The lost audio of the current recording, as far as it is known.
    private var lost = LostAudio()
    /// The earliest start of the next caption: the end of the last one.
    private var earliest: Int64 = 0
    /// The start of the current recording.
    private var offset: Int64 = 0

    init(style: CaptionStyle, writesNames: Bool = false) {
        cutter = CaptionCutter(style: style)
        self.style = style
        self.writesNames = writesNames
    }

    /// Adds a result and returns the captions that can no longer change.
    mutating func add(_ result: SpeechResult) -> [Caption] { written.accept(result) ? append(result) : [] }

    /// Adds lost audio, before the results that come after it.
    mutating func add(_ gap: AudioGap) { lost.add(gap) }

    /// Ends a recording and returns its remaining captions.
    mutating func end(_ transcript: Transcript) -> [Caption] {
        for gap in transcript.gaps { lost.add(gap) }
        var captions = written.rest(of: transcript).flatMap { append($0) }
        // Lost audio before the last caption may become known only now.
        if let first = insertNotes(before: Self.end), let last = held, first < last.start {
            held = nil
            insert(last)
        }
        captions += show(through: .max)
        if !lost.isEmpty, !lost.isAnnounced {
            let start = max(held.map(wantedEnd) ?? earliest, lost.end.milliseconds + offset)
            if let last = hold(note(start, start)) { captions.append(last) }
        }
        if var last = held {
            last.end = wantedEnd(of: last)
            (held, earliest) = (nil, last.end)
            captions.append(last)
        }
        offset = min(offset + transcript.duration.milliseconds, Duration.seconds(Int64.max).milliseconds)
        (starts, lost) = (ParagraphStarts(), LostAudio())
        return captions
    }

    private mutating func append(_ segment: SpeechResult) -> [Caption] {
        let start = starts.add(segment)
        let isNewSpeaker = start == .first || start == .newSpeaker
        let name = writesNames && isNewSpeaker ? segment.speakerName.map { $0 + ": " } : nil
        let captions = cutter.captions(
            of: segment, startingWith: name ?? "", offset: offset, without: lost.within(segment.range))
        if let last = captions.last { insertNotes(before: .milliseconds(last.start - offset)) }
        for caption in captions { insert(caption) }
        // Results of several speakers come in the order of their starts, and may overlap.
        return show(through: segment.speakerName == nil ? .max : captions.first?.start ?? .min)
    }

    /// The end of any recording.
    private static let end = Duration.seconds(Int64.max)
    /// The shortest lost audio with a note of its own. A shorter note would flash by.
    private static let shortestLoss = Duration.milliseconds(500)

    /// Inserts a caption for each lost audio before a time, and returns the start of the first.
    @discardableResult private mutating func insertNotes(before end: Duration) -> Int64? {
        let notes = lost.announcements(before: end, atLeast: Self.shortestLoss).map { range in
            note(range.lowerBound.milliseconds + offset, range.upperBound.milliseconds + offset)
        }
        for note in notes { insert(note) }
        return notes.first?.start
    }

    private func note(_ start: Int64, _ end: Int64) -> Caption {
        let lines = "[text missing]".wrapped(columns: style.columns)
        return Caption(start: start, end: end, lines: Array(lines.prefix(max(1, style.lines))))
    }

    private mutating func insert(_ caption: Caption) {
        let index = pending.firstIndex { $0.start > caption.start } ?? pending.endIndex
        pending.insert(caption, at: index)
    }

    /// Holds the pending captions up to a time, one after the other, and returns those that can no longer change.
    private mutating func show(through time: Int64) -> [Caption] {
        var captions: [Caption] = []
        while let first = pending.first, first.start <= time {
            pending.removeFirst()
            // Another speaker came between two captions of a result.
            let needsName = writesNames && !first.isNamed && held != nil && held?.speaker != first.speaker
            let (caption, rest) = needsName ? cutter.named(first) : (first, nil)
            if let rest { insert(rest) }
            if let last = hold(caption) { captions.append(last) }
        }
        return captions
    }

    /// Returns the end that gives a viewer enough time to read a caption. A caption before lost audio ends before the
    /// audio goes on.
    private func wantedEnd(of caption: Caption) -> Int64 {
        let speed = Int64(style.columnsPerSecond)
        let reading = speed > 0 ? (Int64(caption.width) * 1_000 + speed - 1) / speed : 0
        return latest(caption.start + max(style.minimumDuration.milliseconds, reading), of: caption)
    }

    /// Returns an end that is no earlier than the words of a caption, and no later than the lost audio after them.
    private func latest(_ end: Int64, of caption: Caption) -> Int64 {
        max(caption.end, min(end, lost.end(after: caption.end - offset).map { $0 + offset } ?? .max))
    }

    /// Holds back a caption and returns the previous one. The previous caption is shown until it can be read, but ends when
    /// this one starts. Two speakers at once share the time.
    private mutating func hold(_ caption: Caption) -> Caption? {
        var caption = caption
        let last = held
        caption.start = max(caption.start, last.map { $0.start + 1 } ?? earliest)
        if let last, caption.start < last.end {
            let half = (max(last.end, caption.end) - last.start) / 2
            let length = caption.end - caption.start
            caption.start = max(caption.start, min(wantedEnd(of: last), last.start + half))
            caption.end = latest(caption.start + min(length, style.minimumDuration.milliseconds), of: caption)
        }
        caption.end = max(caption.end, caption.start + 1)
        held = caption
        guard var last else { return nil }
        last.end = min(wantedEnd(of: last), caption.start)
        earliest = last.end
        return last
    }
}
