import DictationCore

/// How text comes out.
enum OutputFormat: String, Sendable, CaseIterable {
    case text, json, srt, vtt

    /// What the name of a file in this format ends with.
    var ending: String { self == .text ? "txt" : rawValue }

    /// The format that a path's ending stands for.
    init?(endingOf path: String) {
        guard let format = Self.allCases.first(where: { FilePath(path).hasEnding($0.ending) }) else {
            return nil
        }
        self = format
    }

    func makeFormatter(withWords: Bool) -> any TranscriptFormatter {
        switch self {
        case .text: TextFormatter(withWords: withWords)
        case .json: JSONFormatter()
        case .srt: CaptionFormatter(style: .srt)
        case .vtt: CaptionFormatter(style: .vtt)
        }
    }

    /// Whether the texts of several recordings can stand in one document.
    var joinsSources: Bool { self == .text || self == .json }
    /// Whether a recording that could not be read is told of in the document.
    var reportsFailures: Bool { self == .json }
    /// Whether captions need the time of each word to be cut where they should.
    var wantsWordTimes: Bool { self == .srt || self == .vtt }
}

/// Turns what was understood into a document, piece by piece.
protocol TranscriptFormatter: Sendable {
    /// What the document begins with.
    var opening: String { get }
    /// What the document ends with.
    var closing: String { get }
    /// What a recording begins with; its place among how many is known.
    mutating func begin(_ source: String, index: Int, of count: Int) -> String
    /// A piece of final text.
    mutating func add(_ segment: SpeechResult) -> String
    /// What a recording ends with.
    mutating func end(_ report: SourceReport) -> String
}

extension TranscriptFormatter {
    var opening: String { "" }
    var closing: String { "" }
    mutating func begin(_ source: String, index: Int, of count: Int) -> String { "" }
    mutating func end(_ report: SourceReport) -> String { "" }
}

/// What became of a recording.
struct SourceReport: Sendable {
    var source: String
    var index = 0
    var engine: String
    var model: String?
    var transcript: Transcript
}

/// Plain text: a line for each piece, as it becomes final.
struct TextFormatter: TranscriptFormatter {
    let withWords: Bool

    mutating func begin(_ source: String, index: Int, of count: Int) -> String {
        guard count > 1 else { return "" }
        return (index > 0 ? "\n" : "") + "==> \(source.visible) <==\n"
    }

    mutating func add(_ segment: SpeechResult) -> String {
        guard !segment.text.isEmpty else { return "" }
        var text = segment.text.onOneLine + "\n"
        for alternative in segment.alternatives {
            text += "\t~ \(alternative.text.onOneLine)" + (confidence(alternative.confidence)) + "\n"
        }
        guard withWords else { return text }
        for word in segment.words {
            let times = word.range.map { "\(decimal($0.lowerBound))\t\(decimal($0.upperBound))" } ?? "\t"
            text += "\t\(times)\t\(word.text.onOneLine)" + confidence(word.confidence) + "\n"
        }
        return text
    }

    private func confidence(_ value: Double?) -> String {
        value.map { "\t\((($0 * 100).rounded() / 100))" } ?? ""
    }
}

/// A time in seconds with three decimals.
func decimal(_ time: Duration) -> String {
    let (seconds, milliseconds) = (time.milliseconds / 1_000, time.milliseconds % 1_000)
    return "\(seconds).\(threeDigits(milliseconds))"
}

func threeDigits(_ number: Int64) -> String { number < 100 ? "0" + twoDigits(number) : "\(number)" }

extension Duration {
    /// The nearest number of milliseconds; what is negative is none.
    var milliseconds: Int64 {
        let (seconds, attoseconds) = components
        return max(0, seconds * 1_000 + (attoseconds + 500_000_000_000_000) / 1_000_000_000_000_000)
    }
}
