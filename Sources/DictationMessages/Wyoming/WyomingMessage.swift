package import DictationText

/// A message of the Wyoming protocol: its type, its data and some bytes, such as audio.
package struct WyomingMessage: Sendable, Hashable {
    package var type: String
    package var data: [String: JSONValue] = [:]
    package var payload: [UInt8] = []

    package init(type: String, data: [String: JSONValue] = [:], payload: [UInt8] = []) {
        (self.type, self.data, self.payload) = (type, data, payload)
    }

    /// The bytes to send: a line of JSON, then the data, then the payload.
    package var bytes: [UInt8] {
        let data = data.isEmpty ? [] : Array(JSONValue.object(data).json.utf8)
        var header: [String: JSONValue] = ["type": .text(type), "version": .text(Self.version)]
        if !data.isEmpty { header["data_length"] = .number(Double(data.count)) }
        if !payload.isEmpty { header["payload_length"] = .number(Double(payload.count)) }
        return Array(JSONValue.object(header).json.utf8) + [UInt8(ascii: "\n")] + data + payload
    }

    /// The version of the protocol that this code speaks.
    package static let version = "1.10.2"
}
