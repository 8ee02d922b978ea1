public import DictationCore
import FoundationEssentials

/// Writes one JSON document with the full content of each transcript.
///
/// `Docs/dictate-json.md` describes the document. The writer returns each segment at once. What is known only at the end
/// of a recording, such as its duration, follows the segments.
public struct JSONWriter: TranscriptWriter {
    private var source = TranscriptSource()
    private var written = WrittenSegments()
    private var starts = ParagraphStarts()
    private var isOpen = false
    private var isEmpty = true
    private var isInRecording = false

    /// Creates a writer.
    public init() {}

    /// Starts a recording. Returns the start of the document at the first call.
    public mutating func begin(_ source: TranscriptSource) -> String {
        self.source = source
        return open()
    }

    /// Returns the segment of a result.
    public mutating func write(_ result: SpeechResult) -> String { written.accept(result) ? segment(result) : "" }

    /// Returns the other segments of the recording, and the rest of its content.
    public mutating func end(_ transcript: Transcript) -> String {
        var text = ""
        for result in written.rest(of: transcript) { text += segment(result) }
        if !isInRecording { text += openRecording() }
        defer { (source, starts, isInRecording) = (TranscriptSource(), ParagraphStarts(), false) }
        return text + "]," + Self.encode(JSONTranscript(transcript, from: source)).dropFirst()
    }

    private mutating func segment(_ result: SpeechResult) -> String {
        let start = isInRecording ? ",\n" : openRecording()
        return start + Self.encode(JSONSegment(result, starts.add(result)))
    }

    private mutating func openRecording() -> String {
        defer { (isInRecording, isEmpty) = (true, false) }
        return open() + (isEmpty ? "" : ",\n") + #"{"segments":["#
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
