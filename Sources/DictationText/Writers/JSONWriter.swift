public import DictationCore
import FoundationEssentials

/// Writes one JSON document with the full content of each transcript.
///
/// `Docs/dictate-json.md` describes the document. A recording's duration and completeness come before its text, so the
/// writer returns no text until the recording ends.
public struct JSONWriter: TranscriptWriter {
    private var source = TranscriptSource()
    private var isOpen = false
    private var isEmpty = true

    /// Creates a writer.
    public init() {}

    /// Starts a recording. Returns the start of the document at the first call.
    public mutating func begin(_ source: TranscriptSource) -> String {
        self.source = source
        return open()
    }

    /// Returns no text, because the recording has not ended.
    public mutating func write(_ result: SpeechResult) -> String { "" }

    /// Returns the JSON of the recording.
    public mutating func end(_ transcript: Transcript) -> String {
        defer { (source, isEmpty) = (TranscriptSource(), false) }
        return open() + (isEmpty ? "" : ",\n") + Self.encode(JSONTranscript(transcript, from: source))
    }

    /// Returns the end of the document.
    public mutating func finish() -> String { open() + "\n]}\n" }

    private mutating func open() -> String {
        defer { isOpen = true }
        return isOpen ? "" : #"{"version":1,"transcripts":["# + "\n"
    }

    /// Returns the JSON of a value on one line, with sorted keys. Escapes control characters and characters that change
    /// the direction of text. Returns `null` if a number in the value can't be written in JSON.
    public static func encode(_ value: some Encodable) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let data = try? encoder.encode(value) else { return "null" }
        return escapingUnseen(String(decoding: data, as: UTF8.self))
    }

    private static func escapingUnseen(_ json: String) -> String {
        guard json.visible != json else { return json }
        // All of these characters have at most four hexadecimal digits.
        return json.unicodeScalars.map { scalar in
            String(scalar).visible == String(scalar)
                ? String(scalar) : "\\u" + padded(String(scalar.value, radix: 16))
        }.joined()
    }

    private static func padded(_ hexadecimal: String) -> String {
        String(repeating: "0", count: max(0, 4 - hexadecimal.utf8.count)) + hexadecimal
    }
}
