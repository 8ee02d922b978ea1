import DictationCore
import DictationText

/// Reads messages of the Wyoming protocol from received bytes, however they are cut.
///
/// A message may carry its data in its line, behind its line, or both; the data behind the line wins. After an error the
/// reader reads nothing more, because nobody knows where the next message begins.
struct WyomingReader: Sendable {
    /// The most bytes of a line, of the data behind it, and of a payload.
    struct Limits: Sendable, Hashable {
        var line = 1 << 16
        var data = 1 << 20
        var payload = 1 << 22
    }

    private struct Header {
        var type: String
        var data: [String: JSONValue]
        var dataCount: Int
        var payloadCount: Int
    }

    private let limits: Limits
    private var bytes: [UInt8] = []
    /// The beginning of the next message, or of what follows its line.
    private var start = 0
    /// How far the next line was searched for its end.
    private var searched = 0
    private var header: Header?
    private var failure: DictationError?

    init(limits: Limits = Limits()) { self.limits = limits }

    /// Whether the received bytes end between two messages.
    var isBetweenMessages: Bool { header == nil && start == bytes.count && failure == nil }

    /// The size of the message whose first bytes are there, also of what is still missing after its line.
    var arriving: Int { max(bytes.count - start, header.map { $0.dataCount + $0.payloadCount } ?? 0) }

    mutating func append(_ new: some Collection<UInt8>) {
        guard failure == nil else { return }
        if start > 0 {
            bytes.removeFirst(start)
            searched = max(0, searched - start)
            start = 0
        }
        bytes += new
    }

    /// Returns the next complete message; `nil` if more bytes are needed.
    mutating func next() throws(DictationError) -> WyomingMessage? {
        if let failure { throw failure }
        do throws(DictationError) {
            if header == nil { header = try readHeader() }
            guard let header, bytes.count - start >= header.dataCount + header.payloadCount else { return nil }
            let payload = start + header.dataCount
            let end = payload + header.payloadCount
            var data = header.data
            if header.dataCount > 0 { data.merge(try members(of: bytes[start..<payload])) { $1 } }
            let message = WyomingMessage(type: header.type, data: data, payload: Array(bytes[payload..<end]))
            (self.header, start, searched) = (nil, end, end)
            return message
        } catch {
            (failure, bytes, start) = (error, [], 0)
            throw error
        }
    }

    private mutating func readHeader() throws(DictationError) -> Header? {
        let end = bytes[searched...].firstIndex(of: UInt8(ascii: "\n"))
        guard (end ?? bytes.count) - start <= limits.line else { throw refusal("a line is too long") }
        guard let end else {
            searched = bytes.count
            return nil
        }
        let line = try members(of: bytes[start..<end])
        (start, searched) = (end + 1, end + 1)
        guard let type = line["type"]?.text else { throw refusal("a message has no type") }
        return Header(
            type: type, data: line["data"]?.members ?? [:],
            dataCount: try length("data_length", in: line, limit: limits.data),
            payloadCount: try length("payload_length", in: line, limit: limits.payload))
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
