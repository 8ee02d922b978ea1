import DictationCore
import DictationSystem

/// A pronunciation dictionary. It searches the file's bytes, because a session needs only a few of very many words.
struct SphinxDictionary: Sendable {
    private let bytes: [UInt8]
    private let hasZero: Bool

    init(_ path: String) throws(DictationError) {
        let contents = try FileListing.contents(of: path, limit: 500_000_000)
        // `find` looks for a newline followed by a word, and stops at a zero byte.
        bytes = [10] + contents.filter { $0 != 0 } + [0]
        hasZero = bytes.count != contents.count + 2
    }

    /// Returns the phones of a word with exactly this spelling.
    func phones(of word: String) -> String? {
        guard !word.isEmpty, !word.utf8.contains(where: { $0 <= 32 }) else { return nil }
        let key = [10] + Array(word.utf8)
        var from = 0
        while let found = find(key, from: from) {
            let end = found + key.count
            if end < bytes.count, bytes[end] == 32 || bytes[end] == 9 {
                let line = bytes[end...].prefix { $0 != 10 && $0 != 13 }
                return String(decoding: line, as: UTF8.self).split(whereSeparator: \.isWhitespace)
                    .joined(separator: " ")
            }
            from = found + 1
        }
        return nil
    }

    /// Checks that the dictionary is not empty, and that every line has a word and phones of the model.
    func check(phones: Set<String>, file: String) throws(DictationError) {
        let known = Set(phones.map { Self.key(Array($0.utf8)[...]) })
        var line = 0
        var words = 0
        guard !hasZero else {
            throw DictationError(
                .modelInvalid, "The dictionary “\(file)” is damaged: it is not text.",
                recovery: "Install the model again.")
        }
        let bad = bytes.withUnsafeBufferPointer { all -> Int? in
            var index = 1
            while index < all.count - 1 {
                line += 1
                var field = 0
                let isComment = all[index] == 35 && index + 1 < all.count && all[index + 1] == 35 || all[index] == 59
                while index < all.count - 1, all[index] != 10 {
                    if all[index] <= 32 {
                        guard [9, 13, 32].contains(all[index]) else { return line }
                        index += 1
                        continue
                    }
                    var key: UInt64 = 0
                    while index < all.count - 1, all[index] > 32 {
                        key = key << 8 | key >> 56 ^ UInt64(all[index])
                        index += 1
                    }
                    if !isComment, field > 0, !known.contains(key) { return line }
                    field += 1
                }
                index += 1
                if isComment || field == 0 { continue }
                if field < 2 { return line }
                words += 1
            }
            return nil
        }
        if let bad {
            throw DictationError(
                .modelInvalid,
                "The dictionary “\(file)” is damaged: line \(bad) is not a word followed by phones of the model.",
                recovery: "Install the model again.")
        }
        guard words > 0 else {
            throw DictationError(
                .modelInvalid, "The dictionary “\(file)” is empty.", recovery: "Install the model again.")
        }
    }

    private static func key(_ bytes: ArraySlice<UInt8>) -> UInt64 {
        bytes.reduce(0) { $0 << 8 | $0 >> 56 ^ UInt64($1) }
    }

    /// Returns the dictionary's spelling of a word: as given, in lowercase or in uppercase.
    func spelling(of word: String) -> String? {
        [word, word.lowercased(), word.uppercased()].first { phones(of: $0) != nil }
    }

    private func find(_ key: [UInt8], from start: Int) -> Int? {
        bytes.withUnsafeBytes { all -> Int? in
            guard let base = all.baseAddress?.assumingMemoryBound(to: CChar.self), start < all.count else { return nil }
            let key = key.map { CChar(bitPattern: $0) } + [0]
            return strstr(base + start, key).map { UnsafePointer($0) - base }
        }
    }
}
