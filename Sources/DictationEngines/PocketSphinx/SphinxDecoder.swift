#if PocketSphinx
import CPocketSphinx
import DictationCore
import DictationSystem

/// A PocketSphinx decoder with one owner. It keeps no state between utterances.
struct SphinxDecoder: ~Copyable, @unchecked Sendable {  // It can't be copied, so only one task at a time uses it.
    private let handle: OpaquePointer
    private let logarithms: OpaquePointer?
    private let width: Int
    private var isOpen = false
    private var lastFrame: [Float] = []
    private(set) var configuration: SphinxConfiguration

    init(_ configuration: SphinxConfiguration) throws(DictationError) {
        handle = try Self.load(configuration)
        self.configuration = configuration
        logarithms = ps_get_logmath(handle)
        width = configuration.model.parameters.cepstrumWidth
    }

    deinit { sphinx_free(handle) }

    /// Changes to another grammar of the same family, between utterances.
    ///
    /// - Returns: Whether the decoder changed. It can't if it has a word with another pronunciation.
    mutating func change(to other: SphinxConfiguration) throws(DictationError) -> Bool {
        guard other != configuration else { return true }
        let words = configuration.words
        let new = other.words.filter { word in !words.contains { $0.word == word.word && $0.phones == word.phones } }
        guard !new.contains(where: { word in words.contains { $0.word == word.word } }) else { return false }
        try Self.add(new, to: handle)
        try Self.setSearch(of: handle, ps_get_config(handle), other)
        configuration = other
        configuration.words = words + new
        return true
    }

    // MARK: Utterances

    /// Begins an utterance whose cepstra have the given mean. An utterance that is still open ends first, without a
    /// result.
    mutating func begin(mean: [Float]) throws(DictationError) {
        if isOpen { try end() }
        try sphinx_set_mean(handle, mean, Int32(mean.count)).checked("cmn_live_set", while: "setting the mean")
        try ps_start_stream(handle).checked("ps_start_stream", while: "beginning an utterance")
        try ps_start_utt(handle).checked("ps_start_utt", while: "beginning an utterance")
        isOpen = true
    }

    /// Decodes frames that follow one another.
    mutating func process(_ frames: ArraySlice<Float>) throws(DictationError) {
        guard isOpen, !frames.isEmpty else { return }
        var copy = Array(frames)
        let isFirst: Int32 = lastFrame.isEmpty ? 1 : 0
        lastFrame = Array(copy.suffix(width))
        try sphinx_process(handle, &copy, Int32(clamping: copy.count / width), Int32(width), isFirst)
            .checked("ps_process_cep", while: "decoding")
    }

    /// Ends the utterance. Its text and words stay available.
    mutating func end() throws(DictationError) {
        guard isOpen else { return }
        // The features of a frame also depend on the frames after it. Without padding the last frames are not decoded.
        if !lastFrame.isEmpty {
            let padding = lastFrame + lastFrame + lastFrame
            try process(padding[...])
        }
        isOpen = false
        lastFrame = []
        try ps_end_utt(handle).checked("ps_end_utt", while: "ending an utterance")
    }

    // MARK: Results

    /// Returns the text so far, as PocketSphinx spells it.
    func text() -> String {
        var score: Int32 = 0
        return ps_get_hyp(handle, &score).map { String(cString: $0) } ?? ""
    }

    /// Returns the words so far and their frames, without fillers.
    func words(withConfidence: Bool = false) -> [SphinxWord] {
        // PocketSphinx returns a probability of one (a logarithm of 0) when it has not computed any.
        let hasConfidence = withConfidence && !isOpen && ps_get_prob(handle) != 0
        var words: [SphinxWord] = []
        var next = ps_seg_iter(handle)
        while let segment = next {
            defer { next = ps_seg_next(segment) }
            guard let text = ps_seg_word(segment) else { continue }
            // A keyphrase ends with a space.
            let spelling = String(cString: text).split(separator: " ").joined(separator: " ")
            let bare = SphinxWord.withoutVariant(spelling)
            guard !SphinxWord.isFiller(bare) else { continue }
            var first: Int32 = 0
            var last: Int32 = 0
            ps_seg_frames(segment, &first, &last)
            var word = SphinxWord(
                text: bare, frames: Int(first)..<max(Int(first), Int(last)) + 1)
            if hasConfidence {
                var acoustic: Int32 = 0
                var language: Int32 = 0
                var backoff: Int32 = 0
                let probability = ps_seg_prob(segment, &acoustic, &language, &backoff)
                word.confidence = min(1, max(0, logmath_exp(logarithms, probability)))
            }
            words.append(word)
        }
        return words
    }

    /// Returns other readings of an utterance that has ended, the likeliest first.
    func alternatives(_ count: Int, besides best: String) -> [String] {
        guard count > 0, !isOpen else { return [] }
        var found: [String] = []
        var looked = 0
        var next = ps_nbest(handle)
        while let reading = next {
            looked += 1
            var score: Int32 = 0
            if let text = ps_nbest_hyp(reading, &score) {
                let words = String(cString: text).split(separator: " ").map {
                    SphinxWord.withoutVariant(String($0))
                }
                let reading = words.joined(separator: " ")
                if !reading.isEmpty, reading != best, !found.contains(reading) { found.append(reading) }
            }
            // Many readings differ only in pronunciation, so the search has a limit.
            if found.count == count || looked == 20 * count + 50 {
                ps_nbest_free(reading)
                break
            }
            next = ps_nbest_next(reading)
        }
        return found
    }

    // MARK: The search

    private static let searchName = "dictation"

    private static func load(_ configuration: SphinxConfiguration) throws(DictationError) -> OpaquePointer {
        let settings = try configuration.makeHandle()
        defer { cmd_ln_free_r(settings) }
        guard let handle = ps_init(settings) else {
            throw DictationError(
                .modelInvalid, "PocketSphinx can't load the model “\(configuration.model.name)”.",
                recovery: "Install the model again.",
                underlying: .init(domain: "PocketSphinx", code: -1, message: "ps_init"))
        }
        do throws(DictationError) {
            try add(configuration.words, to: handle)
            try setSearch(of: handle, settings, configuration)
        } catch {
            sphinx_free(handle)
            throw error
        }
        return handle
    }

    private static func add(
        _ words: [PocketSphinxModel.Pronunciation], to handle: OpaquePointer
    ) throws(DictationError) {
        for word in words {
            try Int32(ps_add_word(handle, word.word, word.phones, 0))
                .checked("ps_add_word", while: "adding the word “\(word.word)”")
        }
    }

    private static func setSearch(
        of handle: OpaquePointer, _ settings: OpaquePointer, _ configuration: SphinxConfiguration
    ) throws(DictationError) {
        switch configuration.search {
        case .languageModel(let extra, let weight):
            let model = try languageModel(of: handle, settings, configuration.model, extra: extra, weight: weight)
            defer { ngram_model_free(model) }
            try ps_set_lm(handle, searchName, model).checked("ps_set_lm", while: "setting the language model")
        case .grammar(let text):
            try sphinx_set_grammar(handle, settings, searchName, text)
                .checked("ps_set_fsg", while: "setting the grammar")
        case .keyphrases(let phrases):
            let lines = phrases.map { "\($0.text) /\($0.threshold)/\n" }.joined()
            let file = try TemporaryFile(lines)
            try ps_set_kws(handle, searchName, file.path).checked("ps_set_kws", while: "setting the keyphrases")
        }
        try ps_set_search(handle, searchName).checked("ps_set_search", while: "choosing the search")
    }

    private static func languageModel(
        of handle: OpaquePointer, _ settings: OpaquePointer, _ model: PocketSphinxModel, extra: String?,
        weight: Double
    ) throws(DictationError) -> OpaquePointer {
        let logarithms = ps_get_logmath(handle)
        guard let path = model.languageModel else {
            throw DictationError(
                .unsupportedOption, "The model “\(model.name)” has no language model, which dictation needs.",
                recovery: "Use a grammar or keyphrases, or install a language model for it.")
        }
        guard let base = ngram_model_read(settings, path, NGRAM_AUTO, logarithms) else {
            throw DictationError(
                .modelInvalid, "PocketSphinx can't read the language model “\(path)”.",
                recovery: "Install the model again.")
        }
        guard let extra else { return base }
        // The mixed model retains both models for as long as it needs them.
        defer { ngram_model_free(base) }
        let file = try TemporaryFile(extra)
        guard let small = ngram_model_read(settings, file.path, NGRAM_ARPA, logarithms) else {
            throw .sphinx("ngram_model_read", code: -1, while: "reading the contextual strings")
        }
        defer { ngram_model_free(small) }
        guard let both = sphinx_interpolate(settings, base, small, Float(weight)) else {
            throw .sphinx("ngram_model_set_interp", code: -1, while: "weighing the contextual strings")
        }
        return both
    }
}

/// A word and its frames in the utterance.
struct SphinxWord: Sendable, Hashable {
    var text: String
    var frames: Range<Int>
    var confidence: Double?

    /// Whether a word stands for silence or noise.
    static func isFiller(_ text: String) -> Bool {
        text.hasPrefix("<") || text.hasPrefix("[") || text.hasPrefix("++") || text == "(NULL)"
    }

    /// Returns the word of a pronunciation variant: `a` for `a(2)`.
    static func withoutVariant(_ text: String) -> String {
        guard text.hasSuffix(")"), let bracket = text.lastIndex(of: "("), bracket > text.startIndex else {
            return text
        }
        let number = text[text.index(after: bracket)...].dropLast()
        return number.allSatisfy(\.isNumber) ? String(text[..<bracket]) : text
    }
}
#endif
