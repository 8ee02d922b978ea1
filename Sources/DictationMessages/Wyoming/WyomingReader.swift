package import DictationCore
import DictationSystem
import DictationText

/// Reads messages of the Wyoming protocol from received bytes, however they are cut.
///
/// A message may carry its data in its line, behind its line, or both; the data behind the line wins. After an error the
/// reader reads nothing more, because nobody knows where the next message begins.
package struct WyomingReader: Sendable {
    /// The most bytes of a line, of the data behind it, and of a payload.
    private enum Limit {
        static let line = 1 << 16
        static let data = 1 << 20
        static let payload = 1 << 22
    }

    private struct Header {
        var type: String
        var data: [String: JSONValue]
        var dataCount: Int
        var payloadCount: Int
    }

    private var lines = LineBuffer(limit: Limit.line, keepsReturns: true)
    private var header: Header?
    private var failure: DictationError?

    package init() {}

    /// Whether the received bytes end between two messages.
    package var isBetweenMessages: Bool { header == nil && lines.count == 0 && failure == nil }

    /// The size of the message whose first bytes are there, also of what is still missing after its line.
    package var arriving: Int { max(lines.count, header.map { $0.dataCount + $0.payloadCount } ?? 0) }

    package mutating func append(_ new: some Collection<UInt8>) {
        if failure == nil { lines.append(new) }
    }

    /// Returns the next complete message; `nil` if more bytes are needed.
    package mutating func next() throws(DictationError) -> WyomingMessage? {
        if let failure { throw failure }
        do throws(DictationError) {
            if header == nil { header = try readHeader() }
            guard let header, let body = lines.take(header.dataCount + header.payloadCount) else { return nil }
            self.header = nil
            var data = header.data
            if header.dataCount > 0 { data.merge(try members(of: body.prefix(header.dataCount))) { $1 } }
            return WyomingMessage(type: header.type, data: data, payload: Array(body.dropFirst(header.dataCount)))
        } catch {
            failure = error
            lines = LineBuffer(limit: 0)
            throw error
        }
    }

    private mutating func readHeader() throws(DictationError) -> Header? {
        let text: [UInt8]
        switch lines.next() {
        case .line(let line): text = line
        case .incomplete: return nil
        case .tooLong: throw refusal("a line is too long")
        }
        let line = try members(of: text[...])
        guard let type = line["type"]?.text else { throw refusal("a message has no type") }
        return Header(
            type: type, data: line["data"]?.members ?? [:],
            dataCount: try length("data_length", in: line, limit: Limit.data),
            payloadCount: try length("payload_length", in: line, limit: Limit.payload))
    }

    private func members(of json: ArraySlice<UInt8>) throws(DictationError) -> [String: JSONValue] {
        guard let members = JSONValue(json: json)?.members else { throw refusal("a line is not an object of JSON") }
        return members
    }

    private func length(
        _ name: String, in line: [String: JSONValue], limit: Int
    ) throws(DictationError) -> Int {
        switch line[name] {
        case nil, .null?: return 0
        case let value?:
            guard let count = value.whole, (0...limit).contains(count) else {
                throw refusal("“\(name)” is not a number from 0 to \(limit)")
            }
            return count
        }
    }

    private func refusal(_ reason: String) -> DictationError {
        DictationError(
            .invalidInput, "The other side does not speak the Wyoming protocol: \(reason).",
            recovery: "Check the address and the port.")
    }
}
