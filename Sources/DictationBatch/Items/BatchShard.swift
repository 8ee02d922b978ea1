public import DictationCore

/// One of the parts into which several workers divide a batch.
///
/// An item belongs to the same part on every machine and in every run:
///
/// ```swift
/// let mine = try BatchShard(2, of: 8)
/// let items = ["a.wav", "b.wav", "c.wav"].filter(mine.contains)
/// ```
public struct BatchShard: Sendable, Hashable, CustomStringConvertible {
    /// Which part, beginning with 0.
    public let index: Int
    /// How many parts exist.
    public let count: Int

    /// Creates a shard.
    ///
    /// - Throws: `unsupportedOption` if `index` is not in `0..<count`.
    public init(_ index: Int, of count: Int) throws(DictationError) {
        guard count > 0, (0..<count).contains(index) else {
            throw DictationError(
                .unsupportedOption,
                "There is no shard \(index) of \(count). Shards count from 0 to one less than their number.")
        }
        self.index = index
        self.count = count
    }

    /// The shard as its index and the count, for example 2/8.
    public var description: String { "\(index)/\(count)" }

    /// Returns whether the item of this name belongs to the shard.
    public func contains(_ name: String) -> Bool { Self.index(of: name, count: count) == index }

    /// Returns the index of the shard that an item belongs to.
    static func index(of name: String, count: Int) -> Int { Int(hash(name) % UInt64(count)) }

    /// FNV-1a, because Swift's own hashes differ in each process.
    private static func hash(_ name: String) -> UInt64 {
        name.utf8.reduce(0xcbf2_9ce4_8422_2325) { hash, byte in (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    }
}
