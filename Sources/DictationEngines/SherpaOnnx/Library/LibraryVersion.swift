/// The version of a C library: three numbers, such as 2.0.1.
struct LibraryVersion: Comparable, Sendable, CustomStringConvertible {
    let numbers: [Int]

    init(_ major: Int, _ minor: Int, _ patch: Int) { numbers = [major, minor, patch] }

    /// Reads a version. Returns `nil` for anything but three numbers.
    init?(_ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false).map { Int($0) }
        numbers = parts.compactMap(\.self)
        guard parts.count == 3, numbers.count == 3, numbers.allSatisfy({ $0 >= 0 }) else { return nil }
    }

    static func < (one: LibraryVersion, other: LibraryVersion) -> Bool {
        one.numbers.lexicographicallyPrecedes(other.numbers)
    }

    var description: String { numbers.map(String.init).joined(separator: ".") }
}
