import DictationCore

/// Makes the captions of one or more recordings, in order and without overlaps.
struct CaptionTrack: Sendable {
    private let cutter: CaptionCutter
    private let minimum: Int64
    private var written = WrittenSegments()
    /// The last caption, held back until the start of the next caption is known.
    private var held: Caption?
    /// The earliest start of the next caption.
    private var earliest: Int64 = 0
    /// The start of the current recording.
    private var offset: Int64 = 0

    init(style: CaptionStyle) {
        cutter = CaptionCutter(style: style)
        minimum = style.minimumDuration.milliseconds
    }

    /// Adds a result and returns the captions that can no longer change.
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

    /// Holds back a caption and returns the previous one. The previous caption is shown for the minimum time, but ends
    /// when this one starts.
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
