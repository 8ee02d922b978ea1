#if ModelCatalog
import CSodium
public import DictationCore
import FoundationEssentials

/// Which issue of a signed catalogue it is, and how long it holds: an older issue, or one whose time is over, is not taken
/// in the place of a newer one.
public struct CatalogEdition: Sendable, Hashable, Codable {
    /// Grows with each issue.
    public var serial: Int64
    /// When it stops being valid, in seconds since 1970.
    public var expires: Int64

    /// Makes an edition.
    public init(serial: Int64, expires: Int64) {
        self.serial = serial
        self.expires = expires
    }
}

/// A catalogue with a signature: the exact bytes that were signed travel inside, so nothing can be read two ways.
struct SignedCatalog: Codable {
    /// A `Content` as JSON.
    var catalog: Data
    var signature: Data

    struct Content: Codable {
        var edition: CatalogEdition
        var catalog: ModelCatalog
    }

    /// Comes before the signed bytes: what was signed with the same key for another purpose is no catalogue.
    private static let context = Array("swift-dictation: a catalogue of models, format 1\n".utf8)

    static func signedBytes(_ catalog: some Sequence<UInt8>) -> [UInt8] { context + catalog }
}

/// A catalogue that was read, and what its signature promised.
struct OpenedCatalog: Sendable {
    let catalog: ModelCatalog
    /// `nil` for a catalogue that isn't signed.
    let edition: CatalogEdition?

    /// With keys, only what one of them signed is taken. A signed list is never taken without its key.
    init(json: [UInt8], trusting keys: [CatalogKey]) throws(DictationError) {
        guard let signed = try? JSONDecoder().decode(SignedCatalog.self, from: Data(json)) else {
            guard keys.isEmpty else { throw .untrusted("The catalogue is not signed, and a key was given for it.") }
            catalog = try ModelCatalog(json: json)
            edition = nil
            return
        }
        try ContentHash.ready()
        guard !keys.isEmpty else { throw .untrusted("The catalogue is signed, and no key was given for it.") }
        let signature = Array(signed.signature)
        let message = SignedCatalog.signedBytes(signed.catalog)
        let isGenuine =
            signature.count == Int(crypto_sign_BYTES)
            && keys.contains { key in
                crypto_sign_verify_detached(signature, message, UInt64(message.count), key.bytes) == 0
            }
        guard isGenuine else { throw .untrusted("The catalogue's signature does not fit it.") }
        guard let content = try? JSONDecoder().decode(SignedCatalog.Content.self, from: signed.catalog),
            let inner = try? JSONEncoder().encode(content.catalog)
        else { throw .untrusted("What was signed is not a catalogue with an edition.") }
        catalog = try ModelCatalog(json: Array(inner))
        edition = content.edition
    }

    /// Throws `invalidInput` when its time is over.
    func checkTime(_ now: Int64 = Int64(Date().timeIntervalSince1970)) throws(DictationError) {
        guard let edition, edition.expires <= now else { return }
        throw .untrusted("The catalogue '\(catalog.name)' has expired.")
    }

    /// Throws `invalidInput` when it is no later issue of an earlier one.
    func check(after earlier: OpenedCatalog) throws(DictationError) {
        guard let before = earlier.edition else { return }
        guard let edition, catalog.name.utf8.elementsEqual(earlier.catalog.name.utf8) else {
            throw .untrusted("The catalogue '\(earlier.catalog.name)' has become another one, '\(catalog.name)'.")
        }
        guard edition.serial > before.serial || edition.serial == before.serial && catalog == earlier.catalog else {
            throw .untrusted(
                "The catalogue has the serial number \(edition.serial), and number \(before.serial) is known already."
            )
        }
    }
}

extension ModelCatalog {
    /// Reads a list that may be signed.
    ///
    /// With keys, only what one of them signed is taken, until it expires. A signed list is never taken without its key.
    public init(json: [UInt8], trusting keys: [CatalogKey]) throws(DictationError) {
        let opened = try OpenedCatalog(json: json, trusting: keys)
        try opened.checkTime()
        self = opened.catalog
    }

    /// The list as JSON, signed with a secret key of 64 bytes as libsodium has them (seed, then public key).
    public func signedJSON(secretKey: [UInt8], edition: CatalogEdition) throws(DictationError) -> [UInt8] {
        try ContentHash.ready()
        guard secretKey.count == Int(crypto_sign_SECRETKEYBYTES) else {
            throw DictationError(
                .invalidInput, "A secret key has 64 bytes, and this one has \(secretKey.count).",
                recovery: "Give the seed and the public key, one after the other.")
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
            throw DictationError(.invalidInput, "The catalogue can't be written: \(error).")
        }
    }
}

extension DictationError {
    /// A catalogue that is not used.
    static func untrusted(_ message: String) -> DictationError {
        DictationError(
            .invalidInput, message + " Nothing of it is used.",
            recovery: "Ask who publishes it for the right key, and get the catalogue again.")
    }
}
#endif
