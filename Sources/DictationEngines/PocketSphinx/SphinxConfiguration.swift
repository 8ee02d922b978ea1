#if PocketSphinx
import CPocketSphinx
import DictationCore
import Glibc

/// Everything that one decoder is made from; decoders with the same one are interchangeable.
struct SphinxConfiguration: Sendable, Hashable {
    var model: PocketSphinxModel
    var settings: [SphinxSetting]
    var search: SphinxSearch
    /// Words that the dictionary lacks.
    var words: [PocketSphinxPronunciation] = []

    /// What is searched for.
    enum SphinxSearch: Sendable, Hashable {
        /// Free speech, with phrases made likelier by a small model of their own.
        case languageModel(extra: String?, weight: Double)
        /// A checked grammar in JSGF.
        case grammar(String)
        /// Checked keyphrases with their detection thresholds.
        case keyphrases([SphinxKeyphrase])
    }

    /// The handle of a configuration, which the caller owns.
    func makeHandle() throws(DictationError) -> OpaquePointer {
        var words = ["-hmm", model.acousticModel, "-dict", model.dictionary]
        for setting in model.parameters.settings + settings { words += [setting.name, setting.value] }
        return try Self.makeHandle(words)
    }

    static func makeHandle(_ words: [String]) throws(DictationError) -> OpaquePointer {
        SphinxLog.silence()
        var copies = words.map { strdup($0) }
        defer { copies.forEach { free($0) } }
        let handle = copies.withUnsafeMutableBufferPointer {
            sphinx_configuration(Int32($0.count), $0.baseAddress)
        }
        guard let handle else { throw .sphinx("cmd_ln_parse_r", code: -1, while: "reading its settings") }
        return handle
    }
}

/// A phrase to spot and the likelihood ratio from which it counts.
struct SphinxKeyphrase: Sendable, Hashable {
    var text: String
    var threshold: String
}

/// PocketSphinx's log, which is one for the whole process.
enum SphinxLog {
    private static let isSilent: Bool = {
        sphinx_silence()
        return true
    }()

    static func silence() { _ = isSilent }
}
#endif
