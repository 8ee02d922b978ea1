/// The features and limits of an engine.
public struct EngineCapabilities: Sendable, Hashable, Codable {
    /// The features that the engine has.
    public var features: Set<Feature>
    /// The number of sessions that may be open at once; `nil` for any number.
    public var maximumSessions: Int?
    /// What the engine's process can't do. Empty for an engine in the process of the app.
    public var restrictions: Set<Restriction> = []

    /// Creates capabilities.
    public init(_ features: Set<Feature> = [], maximumSessions: Int? = nil) {
        self.features = features
        self.maximumSessions = maximumSessions
    }

    /// Decodes capabilities, also those that were encoded before there were restrictions.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        features = try values.decode(Set<Feature>.self, forKey: .features)
        maximumSessions = try values.decodeIfPresent(Int.self, forKey: .maximumSessions)
        restrictions = try values.decodeIfPresent(Set<Restriction>.self, forKey: .restrictions) ?? []
    }

    /// Something that the process of an engine can't do. The kernel enforces it, and not every kernel has all of them.
    @nonexhaustive public enum Restriction: String, Sendable, Hashable, Codable, CaseIterable {
        /// It gets no rights that the app does not have.
        case noNewPrivileges
        /// It makes no connections and accepts none.
        case noNetwork
        /// It starts no programs and no processes, and controls no other process.
        case noPrograms
        /// It reads no files but those of its models and of the system's processors, and changes none.
        case noOtherFiles
        /// A crash leaves no copy of its memory on the disk.
        case noCoreFiles
        /// Its memory has a limit.
        case limitedMemory
    }

    /// A feature that not every engine has.
    @nonexhaustive public enum Feature: String, Sendable, Hashable, Codable, CaseIterable {
        /// Recognition of free speech.
        case dictation
        /// Text that is shown before it is final.
        case volatileResults
        /// The time of each word.
        case wordTimes
        /// The confidence of each word.
        case wordConfidence
        /// Alternative readings of a result.
        case alternatives
        /// Words and phrases that the engine recognizes more readily.
        case contextualStrings
        /// Recognition by a grammar.
        case grammars
        /// Recognition of given phrases within other speech.
        case keyphrases
        /// The times of a known text.
        case alignment
    }
}

extension EngineCapabilities {
    /// Checks that these capabilities cover the options.
    ///
    /// - Parameters:
    ///   - options: The options to check.
    ///   - engine: The engine's name, for the error message.
    /// - Throws: ``DictationError/Code/unsupportedOption`` for the first option that the capabilities don't cover, and
    ///   ``DictationError/Code/invalidInput`` for an option without a usable value.
    public func validate(_ options: RecognitionOptions, engine: String) throws(DictationError) {
        for (feature, option) in Self.needs(of: options) where !features.contains(feature) {
            throw DictationError(
                .unsupportedOption, "The engine “\(engine)” does not support \(option).",
                recovery: "Leave the option out, or choose an engine whose capabilities include it.")
        }
        guard options.maximumAlternatives >= 0 else {
            throw DictationError(
                .invalidInput, "maximumAlternatives is \(options.maximumAlternatives).",
                recovery: "Ask for zero or more.")
        }
        guard options.finalizationTimeout >= .zero else {
            throw DictationError(
                .invalidInput, "finalizationTimeout is \(options.finalizationTimeout).",
                recovery: "Give a time of zero or more.")
        }
        if options.contextualStrings.contains(where: { $0.text.allSatisfy(\.isWhitespace) }) {
            throw DictationError(
                .invalidInput, "A contextual string is empty.", recovery: "Leave empty contextual strings out.")
        }
    }

    private static func needs(of options: RecognitionOptions) -> [(Feature, String)] {
        var needs: [(Feature, String)] = []
        switch options.task {
        case .dictation: needs.append((.dictation, "the task “dictation”"))
        case .grammar: needs.append((.grammars, "the task “grammar”"))
        case .keyphrases: needs.append((.keyphrases, "the task “keyphrases”"))
        case .alignment: needs.append((.alignment, "the task “alignment”"))
        }
        if options.volatileResults { needs.append((.volatileResults, "the option “volatileResults”")) }
        if options.wordTimes { needs.append((.wordTimes, "the option “wordTimes”")) }
        if options.wordConfidence { needs.append((.wordConfidence, "the option “wordConfidence”")) }
        if options.maximumAlternatives > 0 { needs.append((.alternatives, "the option “maximumAlternatives”")) }
        if !options.contextualStrings.isEmpty { needs.append((.contextualStrings, "the option “contextualStrings”")) }
        return needs
    }
}
