#if ModelCatalog
import CSodium
public import DictationCore
import DictationSystem
import FoundationEssentials

extension ModelCatalog {
    /// The public key of someone who signs catalogs (Ed25519).
    public struct Key: Sendable, Hashable, Codable {
        /// The key's 32 bytes in Base64.
        public let base64: String
        let bytes: [UInt8]

        /// Creates a key from Base64.
        ///
        /// - Throws: `invalidInput` if the text is not 32 bytes in Base64.
        public init(base64: String) throws(DictationError) {
            guard let data = Data(base64Encoded: base64), data.count == Int(crypto_sign_PUBLICKEYBYTES) else {
                throw DictationError(
                    .invalidInput, "“\(visible(base64))” is not the public key of a catalog.",
                    recovery: "Give the 32 bytes of an Ed25519 key in Base64.")
            }
            self.base64 = base64
            bytes = Array(data)
        }

        /// Decodes a key from Base64.
        public init(from decoder: any Decoder) throws {
            try self.init(base64: decoder.singleValueContainer().decode(String.self))
        }

        /// Encodes the key in Base64.
        public func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(base64)
        }

        /// Returns whether two keys have the same bytes, even if their Base64 differs.
        public static func == (one: ModelCatalog.Key, other: ModelCatalog.Key) -> Bool { one.bytes == other.bytes }

        /// Hashes the key's bytes.
        public func hash(into hasher: inout Hasher) { hasher.combine(bytes) }
    }
}
#endif
