import DictationCore
import DictationPlatform
import FoundationEssentials

/// A request to a helper: check a library, or a model with it.
struct HelperRequest: Codable, Sendable {
    /// The version of the request's format. A helper refuses any other version.
    static let currentVersion = 3
    var version = Self.currentVersion
    /// A random text that the answer must repeat, so that a model can't forge an answer.
    var nonce = (0..<4).map { _ in String(UInt64.random(in: .min ... .max), radix: 16) }.joined(separator: "-")
    var library: Library
    /// The model to check; `nil` to check only whether the library can be loaded.
    var model: Model?

    /// The C library to load.
    struct Library: Codable, Sendable {
        var path: String
        /// The version that the file must have; `nil` for any that the engines support.
        var version: String?
    }

    struct Model: Codable, Sendable {
        var layout: ModelLayout
        var folder: String
        /// The model's files, in the order that the layout demands.
        var files: [String]
    }
}

/// A helper's answer.
struct HelperAnswer: Codable, Sendable, Equatable {
    var nonce: String
    var outcome: Outcome

    enum Outcome: Codable, Sendable, Equatable {
        case works
        case refused
        /// The library can't be loaded.
        case failed(DictationError)
        case unable(String)
    }
}

/// The error for a message that is incomplete or can't be read.
struct HelperMessageError: Error {}

/// Sends and receives messages. A message is a line of JSON with a limited size, because neither side trusts the other.
extension Decodable where Self: Encodable & Sendable {
    static var helperMessageLimit: Int { 1 << 16 }

    init(helperMessage bytes: [UInt8]) throws(HelperMessageError) {
        guard bytes.last == UInt8(ascii: "\n"), bytes.count <= Self.helperMessageLimit,
            let message = try? JSONDecoder().decode(Self.self, from: Data(bytes))
        else { throw HelperMessageError() }
        self = message
    }

    init(from socket: Int32) throws(HelperMessageError) {
        var bytes: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 4_096)
        while bytes.last != UInt8(ascii: "\n"), bytes.count <= Self.helperMessageLimit {
            let count = read(socket, &part, part.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw HelperMessageError() }
            bytes += part[..<count]
        }
        try self.init(helperMessage: bytes)
    }

    func send(to socket: Int32) throws(HelperMessageError) {
        guard var rest = try? Array(JSONEncoder().encode(self))[...] else { throw HelperMessageError() }
        rest.append(UInt8(ascii: "\n"))
        while !rest.isEmpty {
            // Without this flag, a helper that has ended would also end this process.
            let count = rest.withUnsafeBytes { Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw HelperMessageError() }
            rest = rest.dropFirst(count)
        }
    }
}
