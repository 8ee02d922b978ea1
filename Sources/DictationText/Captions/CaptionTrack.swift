import DictationCore

/// The captions of one recording after another: each starts before the next, and none overlap.
struct CaptionTrack: Sendable {
    private let cutter: CaptionCutter
    private let minimum: Int64
    private var written = WrittenSegments()
    /// The last caption, until the next one tells how long it can stay.
    private var held: Caption?
    /// No caption starts before this.
    private var earliest: Int64 = 0
    /// Where the current recording starts.
    private var offset: Int64 = 0

    init(style: CaptionStyle) {
        cutter = CaptionCutter(style: style)
        minimum = style.minimumDuration.milliseconds
    }

    /// Adds a result and returns the captions that can't change any more.
    mutating func add(_ result: SpeechResult) -> [Caption] { written.accept(result) ? append(result) : [] }

    /// Ends a recording and returns its remaining captions.
    mutating func end(_ transcript: Transcript) -> [Caption] {
        var captions = written.rest(of: transcript).flatMap { append($0) }
        offset = min(offset + transcript.duration.milliseconds, Duration.seconds(Int64.max).milliseconds)
        if var last = held {
            last.end = max(last.end, last.start + minimum)
            (held, earliest) = (nil, last.end)
            captions.append(last)
        }
        return captions
    }

    private mutating func append(_ segment: SpeechResult) -> [Caption] {
        cutter.captions(of: segment, offset: offset).compactMap { hold($0) }
    }

    /// Holds a caption and returns the one before, which stays for the minimum at least, but not into this one.
    private mutating func hold(_ caption: Caption) -> Caption? {
        var caption = caption
        let last = held
        caption.start = max(caption.start, last.map { $0.start + 1 } ?? earliest)
        caption.end = max(caption.end, caption.start + 1)
        held = caption
        guard var last else { return nil }
        last.end = min(max(last.end, last.start + minimum), caption.start)
        return last
    }
}
