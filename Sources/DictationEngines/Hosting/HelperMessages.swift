import DictationCore
import FoundationEssentials
import Glibc

/// What a helper is asked to do.
struct HelperRequest: Codable, Sendable {
    /// A helper of another version of the package refuses a request that it does not know.
    var version = 1
    /// The answer has to repeat this: what prints an answer of its own can't know it.
    var nonce = (0..<4).map { _ in String(UInt64.random(in: .min ... .max), radix: 16) }.joined(separator: "-")
    /// The version of the C library that is to load the model afterwards.
    var library: String
    var kind: SherpaOnnxModelKind
    /// The model's files, in the order of the kind.
    var files: [String]
}

/// The kinds of models that a helper can try.
enum SherpaOnnxModelKind: String, Codable, Sendable {
    /// Encoder, decoder, joiner and tokens, for audio as it comes.
    case transducer
    /// Encoder, merged decoder and tokens, for whole stretches.
    case moonshine
}

/// What a helper found.
struct HelperAnswer: Codable, Sendable, Equatable {
    var nonce: String
    var outcome: Outcome

    enum Outcome: Codable, Sendable, Equatable {
        case works
        case refused
        /// The helper has this version of the C library, not the one that was asked for.
        case otherLibrary(String)
        case unable(String)
    }
}

/// A message that did not come whole.
struct HelperMessageError: Error {}

/// A message is a line of JSON, small enough to be read by either side without trust.
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
            // A helper that is gone must not end whoever asks it.
            let count = rest.withUnsafeBytes { Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw HelperMessageError() }
            rest = rest.dropFirst(count)
        }
    }
}
