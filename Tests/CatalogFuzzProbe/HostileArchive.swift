#if ModelCatalog
/// A random archive, and what has to become of it.
struct HostileArchive: CustomStringConvertible {
    /// The folder that becomes the model.
    static let root = "model"

    enum Expectation: Equatable {
        case installed([[UInt8]: [UInt8]])
        case refused
        /// Bytes were changed at random, or libarchive may mend a name: anything but harm is right.
        case unsure
    }

    struct Entry {
        enum Kind: CaseIterable { case file, folder, symbolicLink, hardLink, device, pipe }
        var kind: Kind
        var path: [UInt8]
        var content: [UInt8] = []
        var isHostile = false
        /// Whether a library that composes names makes another one of it.
        var isComposable = false
    }

    let format: ArchiveFormat
    let entries: [Entry]
    /// What the catalogue lists as the model's files; `nil` for all that there are.
    let wanted: [String]?
    let expected: Expectation
    let bytes: [UInt8]

    init(_ random: inout Random) {
        format = random.pick(ArchiveFormat.allCases)
        // In every other archive there is nothing that does harm: what can be installed has to be.
        let hostility = random.chance(50) ? 0 : random.pick([5, 30, 80])
        var entries: [Entry] = []
        for _ in 0..<Int.random(in: 1...24, using: &random) {
            entries.append(Self.entry(hostility, earlier: entries, format, &random))
        }
        var expected = Self.expectation(entries, format)
        var wanted: [String]?
        if random.chance(25), case .installed(let files) = expected {
            let ordered = files.sorted { $0.key.lexicographicallyPrecedes($1.key) }
            let some = Dictionary(uniqueKeysWithValues: ordered.filter { _ in random.chance(60) })
            // A catalogue that names no files is one that says nothing of them.
            if !some.isEmpty {
                wanted = some.keys.map { String(decoding: $0, as: UTF8.self) }
                expected = .installed(some)
            }
        }
        var bytes = format.bytes(entries)
        let layers = random.pick([0, 0, 0, 1, 1, 2])
        for _ in 0..<layers { bytes = gzipped(bytes) }
        // libarchive looks for the end of a zip, which it can't in a stream.
        if layers > (format.isTar ? 1 : 0) { expected = .refused }
        if random.chance(10), !bytes.isEmpty {
            for _ in 0..<Int.random(in: 1...8, using: &random) {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            expected = .unsure
        }
        (self.entries, self.wanted, self.expected, self.bytes) = (entries, wanted, expected, bytes)
    }

    var description: String {
        let fate =
            switch expected {
            case .installed: "to be installed"
            case .refused: "to be refused"
            case .unsure: "to do no harm"
            }
        let lines = entries.map { entry in
            let path = String(decoding: entry.path, as: UTF8.self).debugDescription
            return "  \(entry.kind) \(path)\(entry.isHostile ? ", hostile" : "")"
        }
        return "\(format), \(fate):\n" + lines.joined(separator: "\n")
    }

    // MARK: Names

    private static let plain: [[UInt8]] = [
        "a", "b", "A", "encoder.onnx", "tokens.txt", "...", ".hidden", "..a", "a..", "%2e%2e", "-rf", "a b", "a\\b",
        "~",
        "$HOME", "Zürich", "名前", "한국어", "é", "E", "ß", "ſ", "😀", "می\u{200C}خواهم", "CON", "a:b",
    ].map { Array($0.utf8) }

    private static let hostile: [[UInt8]] =
        [
            "..", "..", "..", "\u{301}x", "x\u{600}", "\u{301}", "\u{301}Z\u{600}", "\u{600}", "a\nb", "\u{1B}[2J",
            "\u{202E}a",
            "a\u{9B}",
            "\u{2066}", "\u{200F}", "\u{2028}", "\u{7F}", "\u{61C}", String(repeating: "n", count: 256), "\u{200D}",
        ].map { Array($0.utf8) } + [
            [0xFF], [0xC0, 0xAE, 0xC0, 0xAE], [0xED, 0xA0, 0x80], [0xC0, 0xAF], [0x61, 0x80],
        ]

    private static let up = Array("..".utf8)
    private static let joining = Array("\u{301}Z\u{600}".utf8)

    /// Not composed, so other bytes for the same text.
    private static let composable: [[UInt8]] = ["e\u{301}", "u\u{308}", "\u{1112}\u{1161}", "\u{212B}"].map {
        Array($0.utf8)
    }

    private static func entry(
        _ hostility: Int, earlier: [Entry], _ format: ArchiveFormat, _ random: inout Random
    ) -> Entry {
        var entry = Entry(kind: .file, path: [])
        if random.chance(hostility / 4) { entry.kind = random.pick(Entry.Kind.allCases) }
        if random.chance(8) { entry.kind = .folder }
        if !format.canHold(entry.kind) { entry.kind = .symbolicLink }
        if random.chance(hostility / 4), let other = earlier.last {
            // The same again, or something below a file.
            let path = other.path.last == 0x2F ? Array(other.path.dropLast()) : other.path
            entry.path = path + (random.chance(50) ? [] : Array("/x".utf8))
            entry.isHostile = other.isHostile
            entry.isComposable = other.isComposable
        } else {
            var names: [[UInt8]] = random.chance(90) ? [Array(root.utf8)] : [random.pick(plain)]
            if random.chance(3) { names.append(Array(".model.json".utf8)) }
            for _ in 0..<Int.random(in: 1...4, using: &random) { names.append(random.pick(plain)) }
            // So that there are few accidents among many entries.
            names.append(random.pick(plain) + Array("\(UInt32.random(in: 0 ... .max, using: &random))".utf8))
            if random.chance(hostility) {
                for _ in 0..<random.pick([1, 1, 2, 6]) {
                    let name = random.chance(90) ? random.pick(hostile) : random.pick(composable)
                    names.insert(name, at: Int.random(in: 0...names.count, using: &random))
                    entry.isComposable = entry.isComposable || composable.contains(name)
                }
                if random.chance(30) {
                    // Climbs a level each time for the system, where the first half makes the folder that the second
                    // leaves by; whoever splits a string at its characters sees two odd names.
                    let climb = (0..<Int.random(in: 1...6, using: &random)).flatMap { _ in
                        [Self.up, Self.joining, [], Self.up, Self.joining, Self.up]
                    }
                    names.insert(contentsOf: climb, at: Int.random(in: 0...1, using: &random))
                }
                entry.isHostile = true
            } else if random.chance(hostility / 10) {
                names = Array(repeating: Array("d".utf8), count: 17) + names
                entry.isHostile = true
            }
            // Which say nothing.
            if random.chance(5) { names.insert([0x2E], at: Int.random(in: 0..<names.count, using: &random)) }
            if random.chance(5) { names.insert([], at: Int.random(in: 1..<names.count, using: &random)) }
            entry.path = Array(names.joined(separator: [0x2F]))
            if random.chance(hostility / 10) {
                entry.path = [0x2F] + entry.path
                entry.isHostile = true
                entry.isComposable = false
            }
        }
        if entry.path.count > format.longestPath {
            entry.path = Array("model/short".utf8) + [UInt8(random.next() % 26) + 97]
        }
        if entry.kind == .folder { entry.path.append(0x2F) }
        if entry.kind == .file {
            entry.content = (0..<Int.random(in: 0...40, using: &random)).map { _ in
                UInt8(truncatingIfNeeded: random.next())
            }
        }
        return entry
    }

    // MARK: What has to become of it

    /// Written apart from the library, on bytes alone.
    private static func expectation(_ entries: [Entry], _ format: ArchiveFormat) -> Expectation {
        var files: [[UInt8]: [UInt8]] = [:]
        var folders: Set<[UInt8]> = []
        if format.composes, entries.contains(where: \.isComposable) { return .unsure }
        for entry in entries {
            if entry.path.isEmpty { return .unsure }
            if entry.kind != .file && entry.kind != .folder { return .refused }
            var names: [[UInt8]] = []
            for part in entry.path.split(separator: 0x2F) where Array(part) != [0x2E] { names.append(Array(part)) }
            let isHarmful = names.contains { hostile.contains($0) || composable.contains($0) } || names.count > 16
            if entry.path.first == 0x2F || entry.path.count > 1_024 || isHarmful { return .refused }
            if entry.kind == .folder || names.isEmpty { continue }
            guard names[0] == Array(root.utf8), names.count > 1 else { continue }
            names.removeFirst()
            if names[0] == Array(".model.json".utf8) {
                if names.count > 1 { return .refused }
                continue
            }
            let path = Array(names.joined(separator: [0x2F]))
            let above = (1..<max(1, names.count)).map { Array(names[..<$0].joined(separator: [0x2F])) }
            if files[path] != nil || folders.contains(path) || above.contains(where: { files[$0] != nil }) {
                return .refused
            }
            folders.formUnion(above)
            files[path] = entry.content
        }
        return files.isEmpty ? .refused : .installed(files)
    }
}
#endif
