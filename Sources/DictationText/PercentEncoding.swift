extension String {
    /// The text with every byte percent-encoded that has, or may have, a meaning in an address.
    ///
    /// - Parameter kept: More characters that stay as they are, such as the slashes of a path.
    package func percentEncoded(keeping kept: String = "") -> String {
        utf8.map { byte in
            Self.unreserved.contains(byte) || kept.utf8.contains(byte)
                ? String(UnicodeScalar(byte)) : "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
        }.joined()
    }

    private static let unreserved = Set(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~".utf8)
}
