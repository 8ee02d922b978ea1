import DictationCore
import DictationMessages
import DictationText

/// Writes a transcript in the formats of the OpenAI interface.
struct TranscriptionAnswer: Sendable {
    var contentType: String
    var text: String

    /// - Parameter loss: What the text lacks; `nil` for a complete one.
    init(_ transcript: Transcript, loss: String?, for request: TranscriptionRequest) {
        switch request.format {
        case .text: (contentType, text) = (Self.plain, transcript.text + "\n")
        // The original has no type of its own for it.
        case .srt: (contentType, text) = (Self.plain, SRTWriter().document(transcript))
        case .vtt: (contentType, text) = ("text/vtt; charset=utf-8", VTTWriter().document(transcript))
        case .json:
            let usage = OpenAIUsage(seconds: transcript.duration.inSeconds)
            let answer = OpenAITranscript(text: transcript.text, usage: usage, loss: loss)
            (contentType, text) = (Self.json, JSONWriter.encode(answer))
        case .verbose:
            var answer = OpenAITranscript(transcript, for: request)
            answer.loss = loss
            (contentType, text) = (Self.json, JSONWriter.encode(answer))
        }
    }

    private static let plain = "text/plain; charset=utf-8"
    private static let json = "application/json"
}

extension OpenAITranscript {
    fileprivate init(_ transcript: Transcript, for request: TranscriptionRequest) {
        self.init(
            task: "transcribe", language: transcript.locale.language, duration: transcript.duration.inSeconds,
            text: transcript.text, usage: OpenAIUsage(seconds: transcript.duration.inSeconds))
        if request.hasSegments {
            segments = transcript.segments.enumerated().map { index, result in
                Segment(
                    id: index, start: result.range.lowerBound.inSeconds, end: result.range.upperBound.inSeconds,
                    text: result.text, averageLogProbability: 0, noSpeechProbability: 0)
            }
        }
        if request.hasWords {
            words = transcript.words.compactMap { word in
                word.range.map {
                    Word(word: word.text, start: $0.lowerBound.inSeconds, end: $0.upperBound.inSeconds)
                }
            }
        }
    }
}

extension Duration {
    /// The seconds, rounded to milliseconds.
    var inSeconds: Double {
        let (seconds, attoseconds) = onTimeline.components
        return Double(seconds) + (Double(attoseconds) / 1e15).rounded() / 1_000
    }
}
