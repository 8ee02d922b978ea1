import DictationCore

/// The names in a file in ONNX Runtime's own format, which is made of FlatBuffers tables.
struct OrtFile {
    private(set) var inputs: [String] = []
    private(set) var outputs: [String] = []
    private(set) var metadata: [String: String] = [:]
    /// The size of the last dimension of each output that has a fixed one.
    private(set) var outputWidths: [String: Int] = [:]

    private static let mark = Array("ORTM".utf8)

    /// Whether a file has the mark of the format after the offset of its root.
    static func isAt(startOf file: OnnxBytes) throws(DictationError) -> Bool {
        guard file.size > 8 else { return false }
        return try file.bytes(4..<8) == mark
    }

    init(_ file: OnnxBytes) throws(DictationError) {
        let root = FlatTable(file: file, start: try file.unsigned(4, at: 0))
        guard let model = try root.table(1), let graph = try model.table(7) else {
            throw file.damaged("it holds no graph")
        }
        inputs = try graph.texts(5)
        outputs = try graph.texts(6)
        for entry in try model.tables(9) {
            if let key = try entry.text(0), let value = try entry.text(1) { metadata[key] = value }
        }
        // A value has a name and a type; a type its tensor; a tensor its shape; and a shape its dimensions.
        for value in try graph.tables(1) {
            guard let name = try value.text(0), outputs.contains(name) else { continue }
            let dimensions = try value.table(2)?.table(2)?.table(1)?.tables(0) ?? []
            outputWidths[name] = try dimensions.last?.table(0)?.number(1)
        }
    }
}

/// A FlatBuffers table. Reading throws when the table points outside the file.
private struct FlatTable {
    let file: OnnxBytes
    let start: Int

    func table(_ field: Int) throws(DictationError) -> FlatTable? {
        try target(of: field).map { FlatTable(file: file, start: $0) }
    }

    func text(_ field: Int) throws(DictationError) -> String? {
        guard let target = try target(of: field) else { return nil }
        return try text(at: target)
    }

    func texts(_ field: Int) throws(DictationError) -> [String] {
        var texts: [String] = []
        for target in try targets(of: field) { texts.append(try text(at: target)) }
        return texts
    }

    func tables(_ field: Int) throws(DictationError) -> [FlatTable] {
        try targets(of: field).map { FlatTable(file: file, start: $0) }
    }

    /// Returns a number of eight bytes.
    func number(_ field: Int) throws(DictationError) -> Int? {
        guard let place = try place(of: field) else { return nil }
        return try file.unsigned(8, at: place)
    }

    private func text(at target: Int) throws(DictationError) -> String {
        let count = try file.unsigned(4, at: target)
        return try file.text(target + 4..<target + 4 + count)
    }

    private func targets(of field: Int) throws(DictationError) -> [Int] {
        guard let vector = try target(of: field) else { return [] }
        let count = try file.unsigned(4, at: vector)
        guard count <= 100_000 else { throw file.damaged("it has too many values") }
        var targets: [Int] = []
        for place in 0..<count {
            let entry = vector + 4 + 4 * place
            targets.append(entry + (try file.unsigned(4, at: entry)))
        }
        return targets
    }

    /// Returns the place to which a field points; `nil` if the table does not have the field.
    private func target(of field: Int) throws(DictationError) -> Int? {
        guard let place = try place(of: field) else { return nil }
        return place + (try file.unsigned(4, at: place))
    }

    /// Returns the place of a field; `nil` if the table does not have it.
    private func place(of field: Int) throws(DictationError) -> Int? {
        // The distance to the list of fields is the only signed number.
        let distance = Int(Int32(truncatingIfNeeded: try file.unsigned(4, at: start)))
        let fields = start - distance
        guard 4 + 2 * field < (try file.unsigned(2, at: fields)) else { return nil }
        let offset = try file.unsigned(2, at: fields + 4 + 2 * field)
        guard offset > 0 else { return nil }
        return start + offset
    }
}

extension OnnxBytes {
    /// Reads a number of a few bytes, the lowest first.
    fileprivate func unsigned(_ count: Int, at place: Int) throws(DictationError) -> Int {
        guard place >= 0, place <= size - count else { throw damaged("it points outside itself") }
        return try bytes(place..<place + count).reversed().reduce(0) { $0 << 8 | Int($1) }
    }
}
