import DictationCore
import FoundationEssentials

/// The JSON document that `Docs/dictate-json.md` describes.
struct JSONFormatter: TranscriptFormatter {
    private var isFirst = true

    var opening: String { #"{"version":1,"transcripts":["# + "\n" }
    var closing: String { "\n]}\n" }

    mutating func begin(_ source: String, index: Int, of count: Int) -> String { index > 0 ? ",\n" : "" }
    mutating func add(_ segment: SpeechResult) -> String { "" }
    mutating func end(_ report: SourceReport) -> String { jsonText(JSONTranscript(report)) }
}

/// A value as JSON in one line.
func jsonText(_ value: some Encodable) -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    // Nothing that is written has numbers that JSON doesn't know.
    guard let data = try? encoder.encode(value) else { return "null" }
    return escapingUnseen(String(decoding: data, as: UTF8.self))
}

/// JSON whose texts hold no character that a terminal obeys or that turns text around: a document may be shown as it is.
private func escapingUnseen(_ json: String) -> String {
    guard json.visible != json else { return json }
    // None of them has more than four digits.
    return json.unicodeScalars.map { scalar in
        let digits = String(scalar.value, radix: 16)
        return String(scalar).visible == String(scalar)
            ? String(scalar) : "\\u" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }.joined()
}

struct JSONTranscript: Encodable {
    var source: String
    var engine: String
    var model: String?
    var locale: String
    var duration: Double
    var isComplete: Bool
    var text: String
    var segments: [Segment]
    var gaps: [Gap]
    var error: JSONError?

    struct Segment: Encodable {
        var start: Double
        var end: Double
        var text: String
        var isComplete: Bool
        var words: [Word]
        var alternatives: [Alternative]
    }

    struct Word: Encodable {
        var text: String
        var start: Double?
        var end: Double?
        var confidence: Double?
    }

    struct Alternative: Encodable {
        var text: String
        var confidence: Double?
    }

    struct Gap: Encodable {
        var start: Double
        var end: Double
        var frames: Int64
        var cause: String
    }

    init(_ report: SourceReport) {
        let transcript = report.transcript
        source = report.source
        engine = report.engine
        model = report.model
        locale = transcript.locale.identifier
        duration = transcript.duration.inSeconds
        isComplete = transcript.isComplete
        text = transcript.text
        error = transcript.error.map(JSONError.init)
        segments = transcript.segments.map { segment in
            Segment(
                start: segment.range.lowerBound.inSeconds, end: segment.range.upperBound.inSeconds, text: segment.text,
                isComplete: segment.isComplete,
                words: segment.words.map {
                    Word(
                        text: $0.text, start: $0.range?.lowerBound.inSeconds, end: $0.range?.upperBound.inSeconds,
                        confidence: part($0.confidence))
                },
                alternatives: segment.alternatives.map { Alternative(text: $0.text, confidence: part($0.confidence)) })
        }
        gaps = transcript.gaps.map {
            Gap(
                start: $0.range.lowerBound.inSeconds, end: $0.range.upperBound.inSeconds, frames: $0.frameCount,
                cause: $0.cause.rawValue)
        }
    }
}

struct JSONError: Encodable {
    var code: String
    var message: String
    var recovery: String?

    init(_ error: DictationError) {
        code = error.code.rawValue
        message = error.message
        recovery = error.recovery
    }
}

/// A confidence to the ten-thousandth; what is none is left out.
private func part(_ value: Double?) -> Double? {
    value.flatMap { $0.isFinite ? (min(1, max(0, $0)) * 10_000).rounded() / 10_000 : nil }
}

extension Duration {
    /// Seconds to the millisecond.
    var inSeconds: Double { Double(milliseconds) / 1_000 }
}
