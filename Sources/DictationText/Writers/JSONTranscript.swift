import DictationCore

/// The JSON object of a transcript in a document by ``JSONWriter``.
struct JSONTranscript: Encodable {
    var source: String
    var engine: String
    var model: String?
    var locale: String
    var duration: Double
    var isComplete: Bool
    var text: String
    var gaps: [Gap]
    var error: Problem?
    var title: TranscriptDigest?
    var summary: TranscriptDigest?

    struct Gap: Encodable {
        var start: Double
        var end: Double
        var frames: Int64
        var cause: String
    }

    struct Problem: Encodable {
        var code: String
        var message: String
        var recovery: String?
    }

    init(_ transcript: Transcript, from source: TranscriptSource) {
        self.source = source.name
        engine = source.engine
        model = source.model
        (title, summary) = (source.title, source.summary)
        locale = transcript.locale.identifier
        duration = transcript.duration.inSeconds
        isComplete = transcript.isComplete
        text = transcript.text
        gaps = transcript.gaps.map {
            Gap(
                start: $0.range.lowerBound.inSeconds, end: $0.range.upperBound.inSeconds, frames: $0.frameCount,
                cause: $0.cause.rawValue)
        }
        error = transcript.error.map { Problem(code: $0.code.rawValue, message: $0.message, recovery: $0.recovery) }
    }
}

/// A segment as ``JSONWriter`` encodes it.
struct JSONSegment: Encodable {
    var start: Double
    var end: Double
    var text: String
    var isComplete: Bool
    /// `nil` for the usual case, which is left out.
    var isDoubtful: Bool?
    var speaker: String?
    /// `nil` for a segment that continues a paragraph, and for the first one.
    var startsParagraph: Bool?
    var words: [Word]
    var alternatives: [Alternative]

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

    init(_ result: SpeechResult, _ paragraph: ParagraphStarts.Start?) {
        start = result.range.lowerBound.inSeconds
        end = result.range.upperBound.inSeconds
        text = result.text
        isComplete = result.isComplete
        isDoubtful = result.isDoubtful ? true : nil
        speaker = result.speaker
        startsParagraph = paragraph == .sameSpeaker || paragraph == .newSpeaker ? true : nil
        words = result.words.map {
            Word(
                text: $0.text, start: $0.range?.lowerBound.inSeconds, end: $0.range?.upperBound.inSeconds,
                confidence: rounded($0.confidence))
        }
        alternatives = result.alternatives.map { Alternative(text: $0.text, confidence: rounded($0.confidence)) }
    }
}

/// Returns a confidence from 0 to 1 with four decimals, or `nil` if it is not a finite number.
private func rounded(_ confidence: Double?) -> Double? {
    confidence.flatMap { $0.isFinite ? (min(1, max(0, $0)) * 10_000).rounded() / 10_000 : nil }
}

extension Duration {
    /// The seconds, rounded to milliseconds.
    fileprivate var inSeconds: Double { Double(milliseconds) / 1_000 }
}
