import DictationText

/// The format of the text.
enum OutputFormat: String, Sendable, CaseIterable {
    case text, json, srt, vtt

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
        case .text: TextWriter(showsWords: withWords, showsSources: showsSources)
        case .json: JSONWriter()
        case .srt: SRTWriter()
        case .vtt: VTTWriter()
        }
    }

    /// Whether one document can hold several recordings. Captions belong to one video.
    var joinsSources: Bool { self == .text || self == .json }
    /// Whether the document reports a recording that could not be read.
    var reportsFailures: Bool { self == .json }
    /// Whether the text breaks better with the time of each word.
    var wantsWordTimes: Bool { self == .srt || self == .vtt }
}
