import DictationText

/// The format of the text.
enum OutputFormat: String, Sendable, CaseIterable {
    case text, json, srt, vtt, html

    /// The end of a file's name in this format.
    var ending: String { self == .text ? "txt" : rawValue }

    /// The format that the end of a path stands for.
    init?(endingOf path: String) {
        guard let format = Self.allCases.first(where: { FilePath(path).hasEnding($0.ending) }) else {
            return nil
        }
        self = format
    }

    /// A writer for a document of several recordings or of one.
    func writer(withWords: Bool, showsSources: Bool) -> any TranscriptWriter {
        switch self {
        // Programs read the text. What is missing goes to standard error.
        case .text: TextWriter(showsWords: withWords, showsSources: showsSources, showsLoss: false)
        case .json: JSONWriter()
        case .srt: SRTWriter()
        case .vtt: VTTWriter()
        case .html: HTMLWriter()
        }
    }

    /// Whether one document can hold several recordings. Captions belong to one video.
    var joinsSources: Bool { !isCaptions }
    /// Whether the document shows a title and a summary.
    var showsTitles: Bool { !isCaptions }
    /// Whether the document reports a recording without text, such as one that could not be read.
    var reportsFailures: Bool { self == .json }
    /// Whether the document is better with the time of each word.
    var wantsWordTimes: Bool { isCaptions || self == .html }
    /// Whether the document shows the confidence of each word.
    var wantsConfidence: Bool { self == .html }

    private var isCaptions: Bool { self == .srt || self == .vtt }
}
