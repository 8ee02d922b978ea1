public import DictationCore
import FoundationEssentials

/// Writes one JSON document with everything that is known about each transcript.
///
/// `Docs/dictate-json.md` describes the document. A recording's duration and completeness come before its text, so the
/// writer returns nothing until the recording ends.
public struct JSONWriter: TranscriptWriter {
    private var source = TranscriptSource()
    private var isOpen = false
    private var isEmpty = true

    /// Creates a writer.
    public init() {}

    /// Starts a recording.
    public mutating func begin(_ source: TranscriptSource) -> String {
        self.source = source
        return open()
    }

    /// Adds nothing before the recording ends.
    public mutating func write(_ result: SpeechResult) -> String { "" }

    /// Writes the recording.
    public mutating func end(_ transcript: Transcript) -> String {
        defer { (source, isEmpty) = (TranscriptSource(), false) }
        return open() + (isEmpty ? "" : ",\n") + Self.encode(JSONTranscript(transcript, from: source))
    }

    /// Closes the document.
    public mutating func finish() -> String { open() + "\n]}\n" }

    private mutating func open() -> String {
        defer { isOpen = true }
        return isOpen ? "" : #"{"version":1,"transcripts":["# + "\n"
    }

    /// Encodes any value as transcripts are encoded: on one line, with sorted keys, and without characters that a
    /// terminal would obey or that turn text around. A number that JSON can't express makes the value `null`.
    public static func encode(_ value: some Encodable) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let data = try? encoder.encode(value) else { return "null" }
        return escapingUnseen(String(decoding: data, as: UTF8.self))
    }

    private static func escapingUnseen(_ json: String) -> String {
        guard json.visible != json else { return json }
        // None of these characters has more than four digits.
        return json.unicodeScalars.map { scalar in
            String(scalar).visible == String(scalar)
                ? String(scalar) : "\\u" + padded(String(scalar.value, radix: 16))
        }.joined()
    }

    private static func padded(_ hexadecimal: String) -> String {
        String(repeating: "0", count: max(0, 4 - hexadecimal.utf8.count)) + hexadecimal
    }
}
