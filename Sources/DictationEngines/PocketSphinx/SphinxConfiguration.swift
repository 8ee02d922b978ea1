#if PocketSphinx
import CPocketSphinx
import DictationCore
import DictationSystem

/// Everything that a decoder is created from. Decoders with the same configuration are interchangeable, and so are
/// decoders for grammars with the same ``family``.
struct SphinxConfiguration: Sendable, Hashable {
    var model: PocketSphinxModel
    var settings: [SphinxSetting]
    var search: SphinxSearch
    /// The words that the dictionary lacks.
    var words: [PocketSphinxModel.Pronunciation] = []

    /// What the decoder searches for.
    enum SphinxSearch: Sendable, Hashable {
        /// Free speech. A small extra language model can make some phrases likelier.
        case languageModel(extra: String?, weight: Double)
        /// The text of a checked grammar in JSGF.
        case grammar(String)
        /// Checked keyphrases with their detection thresholds.
        case keyphrases([SphinxKeyphrase])
    }

    /// The configuration without its grammar and added words. A decoder can change these in a moment, while loading
    /// another decoder takes half a second.
    var family: SphinxConfiguration {
        guard case .grammar = search else { return self }
        return SphinxConfiguration(model: model, settings: settings, search: .grammar(""))
    }

    /// Creates PocketSphinx's configuration object, which the caller owns.
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

/// A phrase to spot, and the least likelihood ratio that counts as a hit.
struct SphinxKeyphrase: Sendable, Hashable {
    var text: String
    var threshold: String
}

/// PocketSphinx's log, which the whole process shares.
enum SphinxLog {
    private static let isSilent: Bool = {
        sphinx_silence()
        return true
    }()

    static func silence() { _ = isSilent }
}
#endif
