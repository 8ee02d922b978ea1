import DictationCore

extension ModelLayout {
    /// Checks that a vocabulary is for a model. The C library ends the process if some of them are not.
    func check(
        _ table: TokenTable, at path: String, for networks: [OnnxFile]
    ) throws(DictationError) {
        let first = networks[0]
        switch self {
        case .transducer:
            try Self.check(networks.dropFirst().first ?? first, "vocab_size", { $0 == table.count }, table, path)
        case .nemoTransducer, .streamingNemoTransducer:
            // NeMo does not count the blank, which the library expects at the end.
            try Self.check(first, "vocab_size", { $0 + 1 == table.count }, table, path)
            guard table.last == "<blk>" else { throw Self.foreign(path, "its last token is not <blk>") }
        case .nemoCTC, .streamingNemoCTC:
            try Self.check(first, "vocab_size", { ($0...$0 + 1).contains(table.count) }, table, path)
            guard table.pieces.contains("<blk>") else { throw Self.foreign(path, "it has no token <blk>") }
        case .senseVoice:
            try Self.check(first, "vocab_size", { $0 == table.count }, table, path)
        case .whisper:
            try Self.check(first, "n_vocab", { $0 >= table.count }, table, path)
            guard table.isBase64 else { throw Self.foreign(path, "its pieces are not in Base64") }
        case .moonshine:
            // "PC9zPg==" is the end mark of a text, "</s>", in Base64.
            guard table.isBase64, table.pieces.contains("PC9zPg==") else {
                throw Self.foreign(path, "its pieces are not in Base64")
            }
            try Self.checkWidth(of: networks, table, path)
        case .moonshineInFourParts:
            guard table.pieces.isSuperset(of: ["<s>", "</s>"]) else { throw Self.foreign(path, "it has no end mark") }
            try Self.checkWidth(of: networks, table, path)
        }
    }

    private static func check(
        _ file: OnnxFile, _ key: String, _ fits: (Int) -> Bool, _ table: TokenTable, _ path: String
    ) throws(DictationError) {
        guard let count = file.number(key) else {
            throw file.unusable("it does not say the size of its vocabulary")
        }
        guard fits(count) else {
            throw file.unusable("it is for \(count) tokens, but \(path) has \(table.count)")
        }
    }

    /// Checks that the last network, which decodes, has an output for each token. Its file does not say the size of the
    /// vocabulary.
    private static func checkWidth(
        of networks: [OnnxFile], _ table: TokenTable, _ path: String
    ) throws(DictationError) {
        guard let decoder = networks.last, let output = decoder.outputs.first,
            let width = decoder.outputWidths[output], width != table.count
        else { return }
        throw decoder.unusable("it is for \(width) tokens, but \(path) has \(table.count)")
    }

    private static func foreign(_ path: String, _ reason: String) -> DictationError {
        DictationError(
            .modelInvalid, "The vocabulary \(path) is not the model's: \(reason).",
            recovery: "Install the model again, with all files from one source.")
    }
}

extension TokenTable {
    /// Whether all pieces are in Base64. The vocabulary of Whisper has an empty piece, a mere `=`.
    fileprivate var isBase64: Bool {
        pieces.allSatisfy { piece in
            piece == "=" || piece.utf8.count.isMultiple(of: 4) && piece.utf8.allSatisfy(Self.isBase64)
        }
    }

    private static func isBase64(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"): true
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "/"): true
        default: byte == UInt8(ascii: "=")
        }
    }
}
