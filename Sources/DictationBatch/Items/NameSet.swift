/// A set of names that needs 32 bytes for each, however long the names are.
///
/// It keeps 128 bits of each name. In a batch of a million items, two names have the same bits with a probability of
/// 1 to 10²⁶.
struct NameSet: Sendable {
    private var hashes: Set<UInt128> = []

    var count: Int { hashes.count }

    /// Adds a name, and returns whether it is new.
    mutating func insert(_ name: String) -> Bool { hashes.insert(Self.hash(name)).inserted }

    func contains(_ name: String) -> Bool { hashes.contains(Self.hash(name)) }

    /// FNV-1a with 128 bits.
    static func hash(_ name: String) -> UInt128 {
        let start: UInt128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d
        let prime: UInt128 = 0x0000_0000_0100_0000_0000_0000_0000_013b
        return name.utf8.reduce(start) { hash, byte in (hash ^ UInt128(byte)) &* prime }
    }
}
