import DictationCore

/// The line about an item in a file of results.
public struct BatchRecord: Sendable, Hashable {
    /// The item's name.
    public let id: String
    /// The reason why the item failed; `nil` for an item that became text.
    public let error: String?
    /// The length of the audio.
    public let duration: Duration
    /// How long the work took.
    public let workTime: Duration
    /// When the work ended, in seconds since 1970.
    public let time: Int64
    /// The mean confidence of the words; `nil` if the engine tells none.
    public let confidence: Double?
    /// The item's line with its text, in the format of its manifest.
    public let line: String
    /// The text.
    public let text: String
    /// The text that was said, if somebody knows it.
    public let reference: String?
    /// The values of the manifest by which the report can be divided.
    let source: JSONObject

    /// Creates the record of a result.
    ///
    /// - Parameters:
    ///   - result: The result.
    ///   - settings: The settings of the batch.
    ///   - time: When the work ended, in seconds since 1970.
    public init(_ result: BatchResult, settings: BatchSettings, time: Int64) {
        let confidences = result.transcript.words.compactMap(\.confidence)
        id = result.item.id
        error = result.transcript.error?.message
        duration = result.transcript.duration
        workTime = result.workTime
        self.time = time
        confidence = confidences.isEmpty ? nil : confidences.reduce(0, +) / Double(confidences.count)
        source = ResultLine(result, settings).json
        line = source.text
        text = result.transcript.text
        reference = result.item.reference
    }

    /// Reads a line of a file of results. Returns `nil` if it is none, such as a line that was cut off.
    init?(json text: some Collection<UInt8>) {
        guard let json = JSONObject(text), let line = json["line"], let source = JSONObject(Array(line.utf8)),
            let id = Self.value(String.self, "id", json), let seconds = Self.value(Double.self, "duration", json),
            let work = Self.value(Double.self, "work", json), let time = Self.value(Int64.self, "time", json),
            let written = Self.value(String.self, "text", json)
        else { return nil }
        self.id = id
        error = Self.value(String.self, "error", json)
        duration = Duration(recordingSeconds: seconds) ?? .zero
        workTime = Duration(recordingSeconds: work) ?? .zero
        self.time = time
        confidence = Self.value(Double.self, "confidence", json)
        self.line = line
        self.source = source
        self.text = written
        reference = Self.value(String.self, "reference", json)
    }

    private static func value<Value: Decodable>(_ type: Value.Type, _ key: String, _ json: JSONObject) -> Value? {
        json[key].flatMap { JSONText.decoded(type, from: $0) }
    }

    /// The record as JSON on one line.
    var json: String {
        var members: [JSONObject.Member] = []
        func add(_ key: String, _ value: (some Encodable)?) {
            if let value { members.append(JSONObject.Member(key: key, value: JSONText.encoded(value))) }
        }
        add("id", id)
        add("error", error)
        add("duration", duration.seconds)
        add("work", workTime.seconds)
        add("time", time)
        add("confidence", confidence)
        add("text", text)
        add("reference", reference)
        members.append(JSONObject.Member(key: "line", value: line))
        return JSONObject(members).text
    }

    /// Whether the item has the recording, the offset and the duration that this is the result of.
    func isResult(of item: BatchItem, _ settings: BatchSettings) -> Bool {
        guard item.line != nil else { return true }
        let empty = BatchResult(item: item, transcript: Transcript(locale: settings.locale), workTime: .zero)
        let now = ResultLine(empty, settings).json
        return ResultLine.places.allSatisfy { source[$0] == now[$0] }
    }

    /// Returns a value of the manifest as text; `nil` if the item has none.
    func value(of key: String) -> String? {
        source[key].flatMap { $0 == "null" ? nil : JSONText.decoded(String.self, from: $0) ?? $0 }
    }
}
