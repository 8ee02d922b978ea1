import FoundationEssentials

/// The bodies of messages, as JSON.
enum HelperJSON {
    static func encode(_ value: some Encodable) -> [UInt8]? {
        let encoder = JSONEncoder()
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        return (try? encoder.encode(value)).map { Array($0) }
    }

    /// Returns a value as text, for a message whose reader need not know its type.
    static func text(_ value: some Encodable) -> String { String(decoding: encode(value) ?? [], as: UTF8.self) }

    /// Returns the value of a text; `nil` if it is another one.
    static func value<Value: Decodable>(_ text: String) -> Value? { decode(Value.self, Array(text.utf8)) }

    static func decode<Value: Decodable>(_ type: Value.Type, _ bytes: [UInt8]) -> Value? {
        let decoder = JSONDecoder()
        decoder.nonConformingFloatDecodingStrategy = .convertFromString(
            positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        return try? decoder.decode(type, from: Data(bytes))
    }
}
