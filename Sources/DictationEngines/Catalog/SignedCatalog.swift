#if ModelCatalog
    import CSodium
    public import DictationCore
    import FoundationEssentials

    /// The public key of someone who signs catalogues (Ed25519).
    public struct CatalogKey: Sendable, Hashable, Codable {
        /// The key's 32 bytes in Base64.
        public let base64: String
        let bytes: [UInt8]

        /// Reads a key in Base64. Throws `invalidInput` when it isn't 32 bytes.
        public init(base64: String) throws(DictationError) {
            guard let data = Data(base64Encoded: base64), data.count == Int(crypto_sign_PUBLICKEYBYTES) else {
                throw DictationError(
                    .invalidInput, "'\(base64)' is not a catalogue's public key.",
                    recovery: "Give the 32 bytes of an Ed25519 key in Base64.")
            }
            self.base64 = base64
            bytes = Array(data)
        }

        /// Reads a key.
        public init(from decoder: any Decoder) throws {
            try self.init(base64: decoder.singleValueContainer().decode(String.self))
        }

        /// Writes the key.
        public func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(base64)
        }
    }

    /// A catalogue with a signature: the exact bytes that were signed travel inside, so nothing can be read two ways.
    struct SignedCatalog: Codable {
        var catalog: Data
        var signature: Data
    }

    extension ModelCatalog {
        /// Reads a list that may be signed.
        ///
        /// With keys, only what one of them signed is taken. A signed list is never taken without its key.
        public init(json: [UInt8], trusting keys: [CatalogKey]) throws(DictationError) {
            guard let signed = try? JSONDecoder().decode(SignedCatalog.self, from: Data(json)) else {
                guard keys.isEmpty else {
                    throw Self.refusal("The catalogue is not signed, and a key was given for it.")
                }
                try self.init(json: json)
                return
            }
            try ContentHash.ready()
            guard !keys.isEmpty else { throw Self.refusal("The catalogue is signed, and no key was given for it.") }
            let signature = Array(signed.signature)
            let message = Array(signed.catalog)
            let isGenuine =
                signature.count == Int(crypto_sign_BYTES)
                && keys.contains { key in
                    crypto_sign_verify_detached(signature, message, UInt64(message.count), key.bytes) == 0
                }
            guard isGenuine else { throw Self.refusal("The catalogue's signature does not fit it.") }
            try self.init(json: message)
        }

        /// The list as JSON, signed with a secret key of 64 bytes as libsodium has them (seed, then public key).
        public func signedJSON(secretKey: [UInt8]) throws(DictationError) -> [UInt8] {
            try ContentHash.ready()
            guard secretKey.count == Int(crypto_sign_SECRETKEYBYTES) else {
                throw DictationError(
                    .invalidInput, "A secret key has 64 bytes, and this one has \(secretKey.count).",
                    recovery: "Give the seed and the public key, one after the other.")
            }
            let message = try json()
            var signature = [UInt8](repeating: 0, count: Int(crypto_sign_BYTES))
            crypto_sign_detached(&signature, nil, message, UInt64(message.count), secretKey)
            do {
                let signed = SignedCatalog(catalog: Data(message), signature: Data(signature))
                return Array(try JSONEncoder().encode(signed))
            } catch {
                throw DictationError(.invalidInput, "The catalogue can't be written: \(error).")
            }
        }

        private static func refusal(_ message: String) -> DictationError {
            DictationError(
                .invalidInput, message + " Nothing of it is used.",
                recovery: "Ask who publishes it for the right key, and get the catalogue again.")
        }
    }
#endif
