import DictationCore

/// A model definition, `mdef`, in its binary form: the model's sounds and their states.
struct SphinxDefinition {
    /// The names of the sounds.
    let phones: Set<String>
    let phoneCount: Int
    let senoneCount: Int
    let matrixCount: Int
    let stateCount: Int

    init(file: String) throws(DictationError) {
        var data = try SphinxBytes(file: file)
        guard data.bytes.starts(with: Array("BMDF".utf8)) else {
            throw data.damaged(
                "it is not a binary model definition (pocketsphinx_mdef_convert converts one in text)")
        }
        try data.skip(4)
        _ = try data.number(0...1, "the version")
        try data.skip(try data.number(0...1_000_000, "the length of the header"))
        let phoneCount = try data.number(1...255, "the number of phones")
        let triphoneCount = try data.number(phoneCount...10_000_000, "the number of triphones")
        let stateCount = try data.number(1...5, "the number of states")
        let ownSenones = try data.number(0...32_767, "the number of phones' senones")
        let senoneCount = try data.number(max(1, ownSenones)...32_767, "the number of senones")
        let matrixCount = try data.number(1...32_767, "the number of matrices")
        let sequenceCount = try data.number(1...10_000_000, "the number of sequences")
        _ = try data.number(0...3, "the size of contexts")
        let treeCount = try data.number((triphoneCount > phoneCount ? 4 : 0)...10_000_000, "the size of the tree")
        _ = try data.number(-1...254, "the silence")
        self.phoneCount = phoneCount
        self.stateCount = stateCount
        self.senoneCount = senoneCount
        self.matrixCount = matrixCount

        let names = data.offset
        var phones: Set<String> = []
        for _ in 0..<phoneCount {
            let name = try data.text(until: 0, limit: 64)
            guard !name.isEmpty, name.utf8.allSatisfy({ $0 > 32 && $0 < 127 }) else {
                throw data.damaged("a phone has no name")
            }
            phones.insert(name)
        }
        guard phones.contains("SIL"), phones.count == phoneCount else {
            throw data.damaged("its phones are not distinct, or SIL is missing")
        }
        self.phones = phones
        try data.skip((4 - (data.offset - names) % 4) % 4)
        try Self.checkTree(&data, count: treeCount, phones: phoneCount, triphones: triphoneCount)
        for index in 0..<triphoneCount {
            let sequence = try data.word()
            let matrix = try data.word()
            let info = try data.word()
            guard sequence < UInt32(sequenceCount), matrix < UInt32(matrixCount) else {
                throw data.damaged("phone \(index) has states that don't exist")
            }
            if index >= phoneCount {
                let contexts = [info >> 8 & 255, info >> 16 & 255, info >> 24]
                guard info & 255 < 4, contexts.allSatisfy({ $0 < UInt32(phoneCount) }) else {
                    throw data.damaged("phone \(index) has neighbors that don't exist")
                }
            }
        }
        _ = try data.number((sequenceCount * stateCount)...(sequenceCount * stateCount), "the length of sequences")
        let start = data.offset
        try data.skip(2 * sequenceCount * stateCount)
        let isGood = data.bytes.withUnsafeBytes { all in
            stride(from: start, to: data.offset, by: 2).allSatisfy {
                all.loadUnaligned(fromByteOffset: $0, as: UInt16.self) < UInt16(senoneCount)
            }
        }
        guard isGood else { throw data.damaged("a sequence has senones that don't exist") }
        guard data.left == 0 else { throw data.damaged("it is \(data.left) bytes too long") }
    }

    private static func checkTree(
        _ data: inout SphinxBytes, count: Int, phones: Int, triphones: Int
    ) throws(DictationError) {
        for index in 0..<count {
            let head = try data.word()
            let link = Int(Int32(bitPattern: try data.word()))
            let context = Int(Int16(truncatingIfNeeded: head & 0xFFFF))
            let children = Int(Int16(truncatingIfNeeded: head >> 16))
            let isGood =
                (0..<max(4, phones)).contains(context)
                && (children == 0
                    ? (-1..<triphones).contains(link)
                    : children > 0 && link > index && link + children <= count)
            guard isGood else { throw data.damaged("node \(index) of its tree leads to nothing that exists") }
        }
    }
}
