import DictationCore
import DictationText
import FoundationEssentials

/// Lines of JSON.
enum WireLine {
    /// Returns a value as a line, with its end.
    static func bytes(_ value: some Encodable) -> [UInt8] {
        Array(JSONWriter.encode(value).utf8) + [UInt8(ascii: "\n")]
    }

    /// Reads a value from a line.
    static func value<Value: Decodable>(_ type: Value.Type, in line: [UInt8]) throws(DictationError) -> Value {
        do { return try JSONDecoder().decode(type, from: Data(line)) } catch {
            let words = (error as? DecodingError)?.words ?? "it is not JSON"
            throw DictationError(
                .invalidInput, "A line can't be understood: \(words).",
                recovery: "The article “Talking to the service” describes each line.")
        }
    }
}
