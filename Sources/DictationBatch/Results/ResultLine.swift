import DictationCore

/// The line of a result in the format of the item's manifest: a line of NeMo with `pred_text`, or a supervision of Lhotse.
struct ResultLine {
    private(set) var json: JSONObject

    /// The members that tell which part of which recording an item is.
    static let places = [
        "audio_filepath", "offset", "duration", "channel_selector", "recording_id", "start", "channel",
    ]

    init(_ result: BatchResult, _ settings: BatchSettings) {
        switch result.item.line?.format {
        case .lhotse: json = Self.supervision(result, settings)
        case .nemo, .paths, nil: json = Self.nemo(result, settings)
        }
    }

    // MARK: NeMo

    private struct Word: Encodable {
        var word: String
        var start: Double?
        var end: Double?
        var confidence: Double?
    }

    /// The members that a result adds. An input that is itself a result loses the old ones.
    private static let added: Set<String> = [
        "pred_text", "words", "engine", "model", "model_hash", "status", "error", "error_code",
    ]

    private static func nemo(_ result: BatchResult, _ settings: BatchSettings) -> JSONObject {
        let transcript = result.transcript
        var json = JSONObject()
        if let line = result.item.line {
            json = line.json.without(added)
        } else if !result.item.path.isEmpty {
            json.add("audio_filepath", result.item.path)
            if result.item.offset > .zero { json.add("offset", result.item.offset.seconds) }
            json.add("duration", transcript.duration.seconds)
        }
        json.add("pred_text", transcript.text)
        let words = transcript.words
        if !words.isEmpty {
            json.add(
                "words",
                words.map {
                    Word(
                        word: $0.text, start: $0.range?.lowerBound.inMilliseconds,
                        end: $0.range?.upperBound.inMilliseconds, confidence: $0.confidence?.rounded4)
                })
        }
        json.add("engine", settings.engine)
        json.add("model", settings.model)
        json.add("model_hash", settings.modelHash)
        json.add("status", transcript.error == nil ? "done" : "failed")
        json.add("error", transcript.error?.message)
        json.add("error_code", transcript.error?.code.rawValue)
        return json
    }

    // MARK: Lhotse

    private struct Recording: Decodable { var id: String }

    /// A word as Lhotse writes it: the word, its start, its duration and its score.
    private struct AlignmentItem: Encodable {
        var word: String
        var range: Range<Duration>
        var score: Double?

        func encode(to encoder: any Encoder) throws {
            var container = encoder.unkeyedContainer()
            try container.encode(word)
            try container.encode(range.lowerBound.inMilliseconds)
            try container.encode((range.upperBound - range.lowerBound).inMilliseconds)
            try container.encode(score)
        }
    }

    private struct Custom: Encodable {
        var engine: String
        var model: String?
        var modelHash: String?
        var status: String
        var error: String?
        var errorCode: String?

        enum CodingKeys: String, CodingKey {
            case engine, model, status, error
            case modelHash = "model_hash"
            case errorCode = "error_code"
        }
    }

    private static func supervision(_ result: BatchResult, _ settings: BatchSettings) -> JSONObject {
        let (item, transcript) = (result.item, result.transcript)
        let cut = item.line?.json ?? JSONObject()
        let recording = cut["recording"].flatMap { JSONText.decoded(Recording.self, from: $0) }
        var json = JSONObject()
        json.add("id", item.id)
        json.add("recording_id", recording?.id ?? item.path)
        json.add("start", item.offset.seconds)
        json.add("duration", (item.duration ?? transcript.duration).seconds)
        json.append(JSONObject([.init(key: "channel", value: cut["channel"] ?? "0")]))
        json.add("text", transcript.text)
        json.add("language", settings.locale.identifier)
        let words = transcript.words.compactMap { word in
            word.range.map {
                AlignmentItem(
                    word: word.text, range: $0.lowerBound + item.offset..<$0.upperBound + item.offset,
                    score: word.confidence?.rounded4)
            }
        }
        if !words.isEmpty { json.add("alignment", ["word": words]) }
        json.add(
            "custom",
            Custom(
                engine: settings.engine, model: settings.model, modelHash: settings.modelHash,
                status: transcript.error == nil ? "done" : "failed", error: transcript.error?.message,
                errorCode: transcript.error?.code.rawValue))
        return json
    }
}

extension JSONObject {
    /// Adds a member, unless the value is `nil`.
    fileprivate mutating func add(_ key: String, _ value: (some Encodable)?) {
        if let value { append(JSONObject([Member(key: key, value: JSONText.encoded(value))])) }
    }
}

extension Duration {
    /// The seconds, rounded to milliseconds.
    fileprivate var inMilliseconds: Double { (seconds * 1_000).rounded() / 1_000 }
}

extension Double {
    /// The number with four decimals.
    fileprivate var rounded4: Double { isFinite ? (self * 10_000).rounded() / 10_000 : 0 }
}
