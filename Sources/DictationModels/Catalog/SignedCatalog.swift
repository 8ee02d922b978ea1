#if ModelCatalog
import CSodium
public import DictationCore
import FoundationEssentials

extension ModelCatalog {
    /// The edition of a signed catalog. An older or expired edition never replaces a newer one.
    public struct Edition: Sendable, Hashable, Codable {
        /// The serial number. Increase it with each edition.
        public var serial: Int64
        /// The time at which the edition expires, in seconds since 1970.
        public var expires: Int64

        /// Creates an edition.
        public init(serial: Int64, expires: Int64) {
            self.serial = serial
            self.expires = expires
        }
    }
}

/// A signed catalog. It contains the exact bytes that were signed, so the signature does not depend on how JSON is
/// written.
struct SignedCatalog: Codable {
    /// A ``Content`` as JSON.
    var catalog: Data
    var signature: Data

    struct Content: Codable {
        var edition: ModelCatalog.Edition
        var catalog: ModelCatalog
    }

    /// The prefix of the signed bytes. It prevents data that the same key signed for another purpose from passing as a
    /// catalog.
    private static let context = Array("swift-dictation: a catalogue of models, format 1\n".utf8)

    static func signedBytes(_ catalog: some Sequence<UInt8>) -> [UInt8] { context + catalog }
}

private let askPublisher = "Get the newest edition from its publisher."

/// A catalog with its verified edition.
struct OpenedCatalog: Sendable {
    let catalog: ModelCatalog
    /// The edition; `nil` for an unsigned catalog.
    let edition: ModelCatalog.Edition?

    /// Opens a catalog and checks its signature. With keys, accepts only a catalog that one of them signed. Without
    /// keys, accepts only an unsigned catalog.
    init(json: [UInt8], trusting keys: [ModelCatalog.Key]) throws(DictationError) {
        guard let signed = try? JSONDecoder().decode(SignedCatalog.self, from: Data(json)) else {
            guard keys.isEmpty else { throw .untrusted("A key was given, but the catalog is not signed.") }
            catalog = try ModelCatalog(json: json)
            edition = nil
            return
        }
        try ContentHash.ready()
        guard !keys.isEmpty else { throw .untrusted("The catalog is signed, but no key was given.") }
        let signature = Array(signed.signature)
        let message = SignedCatalog.signedBytes(signed.catalog)
        let isGenuine =
            signature.count == Int(crypto_sign_BYTES)
            && keys.contains { key in
                crypto_sign_verify_detached(signature, message, UInt64(message.count), key.bytes) == 0
            }
        guard isGenuine else { throw .untrusted("The catalog's signature is not valid for the given keys.") }
        guard let content = try? JSONDecoder().decode(SignedCatalog.Content.self, from: signed.catalog),
            let inner = try? JSONEncoder().encode(content.catalog)
        else {
            throw .untrusted(
                "The signed content is not a catalog with an edition, which has a serial number and the time of its end as seconds since 1970.",
                recovery: askPublisher)
        }
        catalog = try ModelCatalog(json: Array(inner))
        edition = content.edition
    }

    /// Throws `invalidInput` if the edition has expired.
    func checkTime(_ now: Int64 = Int64(Date().timeIntervalSince1970)) throws(DictationError) {
        guard let edition, edition.expires <= now else { return }
        throw .untrusted("The catalog “\(catalog.name)” has expired.", recovery: askPublisher)
    }

    /// Throws `invalidInput` unless this catalog may replace an earlier one: the same catalog, or a later edition with
    /// the same name. Any catalog may replace an unsigned one.
    func check(after earlier: OpenedCatalog) throws(DictationError) {
        guard let before = earlier.edition else { return }
        guard let edition, catalog.name.utf8.elementsEqual(earlier.catalog.name.utf8) else {
            throw .untrusted(
                "“\(catalog.name)” is no new edition of the signed catalog “\(earlier.catalog.name)”.",
                recovery: askPublisher)
        }
        guard edition.serial > before.serial || edition.serial == before.serial && catalog == earlier.catalog else {
            throw .untrusted(
                "The catalog has the serial number \(edition.serial), but \(before.serial) has already been used.",
                recovery: askPublisher)
        }
    }
}

extension ModelCatalog {
    /// Creates a catalog from JSON that may be signed.
    ///
    /// - Parameters:
    ///   - json: The signed or unsigned catalog.
    ///   - keys: The keys of which one must have signed the catalog; empty for an unsigned catalog.
    /// - Throws: `invalidInput` if the catalog is not valid, not signed as `keys` demands, or expired.
    public init(json: [UInt8], trusting keys: [ModelCatalog.Key]) throws(DictationError) {
        let opened = try OpenedCatalog(json: json, trusting: keys)
        try opened.checkTime()
        self = opened.catalog
    }

    /// Returns the catalog as signed JSON.
    ///
    /// - Parameters:
    ///   - secretKey: The 64 bytes of a libsodium Ed25519 secret key: the seed, then the public key.
    ///   - edition: The serial number and the time at which the catalog expires.
    /// - Throws: `invalidInput` if the key does not have 64 bytes.
    public func signedJSON(secretKey: [UInt8], edition: ModelCatalog.Edition) throws(DictationError) -> [UInt8] {
        try ContentHash.ready()
        guard secretKey.count == Int(crypto_sign_SECRETKEYBYTES) else {
            throw DictationError(
                .invalidInput, "The secret key has \(secretKey.count) bytes instead of 64.",
                recovery: "Pass the seed followed by the public key.")
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do {
            let content = try encoder.encode(SignedCatalog.Content(edition: edition, catalog: self))
            let message = SignedCatalog.signedBytes(content)
            var signature = [UInt8](repeating: 0, count: Int(crypto_sign_BYTES))
            crypto_sign_detached(&signature, nil, message, UInt64(message.count), secretKey)
            return Array(try encoder.encode(SignedCatalog(catalog: content, signature: Data(signature))))
        } catch {
            throw DictationError(.invalidInput, "The catalog can't be written: \(error).")
        }
    }
}

extension DictationError {
    /// The error for a catalog that is not used because its signature or edition is wrong.
    static func untrusted(
        _ message: String, recovery: String = "Ask its publisher for the right key, and get the catalog again."
    ) -> DictationError {
        DictationError(.invalidInput, message + " It is not used.", recovery: recovery)
    }
}
#endif
