#if ModelCatalog
import CSodium
import DictationCore
import DictationSystem

/// Computes SHA-256 hashes of files and bytes, in lowercase hexadecimal.
enum ContentHash {
    static func sha256(of bytes: [UInt8]) throws(DictationError) -> String {
        try ready()
        var digest = [UInt8](repeating: 0, count: Int(crypto_hash_sha256_BYTES))
        crypto_hash_sha256(&digest, bytes, UInt64(bytes.count))
        return hexadecimal(digest)
    }

    /// Returns the hash and size of the rest of a file. Calls `isCancelled` before each block, and throws if it returns
    /// `true`.
    static func sha256(
        of file: borrowing OpenFile, isCancelled: () -> Bool = { false }
    ) throws(DictationError) -> (hash: String, byteCount: Int64) {
        try ready()
        var state = crypto_hash_sha256_state()
        crypto_hash_sha256_init(&state)
        var block = [UInt8](repeating: 0, count: 1 << 18)
        var total: Int64 = 0
        while true {
            if isCancelled() { throw .installationCancelled }
            let count = try file.read(into: &block)
            if count == 0 { break }
            crypto_hash_sha256_update(&state, block, UInt64(count))
            total += Int64(count)
        }
        var digest = [UInt8](repeating: 0, count: Int(crypto_hash_sha256_BYTES))
        crypto_hash_sha256_final(&state, &digest)
        return (hexadecimal(digest), total)
    }

    /// Initializes libsodium. Must run once before other calls; later calls do nothing.
    static func ready() throws(DictationError) {
        guard sodium_init() >= 0 else {
            throw DictationError(
                .engineFailed, "libsodium can't be used on this machine.", recovery: "Reinstall libsodium.")
        }
    }

    private static func hexadecimal(_ bytes: [UInt8]) -> String {
        let digits = Array("0123456789abcdef".unicodeScalars)
        var text = String.UnicodeScalarView()
        for byte in bytes {
            text.append(digits[Int(byte >> 4)])
            text.append(digits[Int(byte & 15)])
        }
        return String(text)
    }
}

extension DictationError {
    static let installationCancelled = DictationError(
        .cancelled, "The installation was cancelled.", recovery: "Start it again. It continues where it stopped.")
}
#endif
