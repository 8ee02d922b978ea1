public import DictationCore

extension SpokenPunctuation {
    /// The names of punctuation marks and line breaks in a language.
    ///
    /// To support another language, write its table:
    ///
    ///     let italian = try SpokenPunctuation.Marks(parsing: """
    ///         previous  ,   virgola
    ///         sentence  .   punto
    ///         paragraph     nuovo paragrafo
    ///         noun          un, una, il, la
    ///         """)
    ///
    /// Each line has a kind, the mark, and its names with commas between them. The kinds are:
    ///
    /// | Kind | The mark |
    /// |---|---|
    /// | `previous` | joins the word before, such as a comma |
    /// | `sentence` | joins the word before and ends a sentence |
    /// | `next` | joins the word after, such as an opening quote |
    /// | `both` | joins both words, such as a hyphen |
    /// | `neither` | has a space on both sides, such as a dash |
    /// | `line`, `paragraph` | a break; without a mark |
    /// | `noun` | words after which a name is an ordinary word, such as “the” in “the period”; without a mark |
    /// | `of` | words before which a name is an ordinary word, such as “of” in “a period of time”; without a mark |
    /// | `literal` | words that make the next name an ordinary word and are left out; without a mark |
    public struct Marks: Sendable {
        /// A mark, and how it joins the words around it.
        struct Mark: Sendable, Hashable {
            var text: String
            var kind: Kind

            var isBreak: Bool { kind == .line || kind == .paragraph }
            var startsSentence: Bool { kind == .sentence || isBreak }
        }

        enum Kind: String, Sendable { case previous, sentence, next, both, neither, line, paragraph, noun, of, literal }

        /// What a phrase stands for.
        enum Meaning: Sendable {
            case mark(Mark)
            /// The phrase itself.
            case words
            /// The phrase without its first words.
            case literal(dropping: Int)
        }

        private(set) var table = PhraseTable<Meaning>()

        /// Reads a table.
        ///
        /// - Throws: `DictationError.Code.invalidInput` with the number of the line that can't be read.
        public init(parsing text: String) throws(DictationError) {
            var names: [(name: String, mark: Mark)] = []
            var extra: [Kind: [String]] = [:]
            for line in TableLine.lines(of: text) {
                guard let kind = Kind(rawValue: line.kind) else { throw line.error("begins with an unknown kind.") }
                let needsMark = [.previous, .sentence, .next, .both, .neither].contains(kind)
                let (mark, rest) = needsMark ? line.firstWord : ("", line.rest)
                let phrases = rest.split(separator: ",").map { $0.trimmed }.filter { !$0.isEmpty }
                guard !phrases.isEmpty, !needsMark || !mark.isEmpty else { throw line.error("has no name of a mark.") }
                switch kind {
                case .noun, .of, .literal: extra[kind, default: []] += phrases
                case .line: names += phrases.map { ($0, Mark(text: "\n", kind: kind)) }
                case .paragraph: names += phrases.map { ($0, Mark(text: "\n\n", kind: kind)) }
                default: names += phrases.map { ($0, Mark(text: mark, kind: kind)) }
                }
            }
            for (name, mark) in names {
                table.insert(name, .mark(mark))
                for word in extra[.noun] ?? [] { table.insert("\(word) \(name)", .words) }
                // A hyphen would join the word “of” with the next one, and then no longer be before “of”.
                for word in extra[.of] ?? [] where mark.kind != .both { table.insert("\(name) \(word)", .words) }
                for word in extra[.literal] ?? [] {
                    table.insert("\(word) \(name)", .literal(dropping: Tokenizer.texts(of: word).count))
                }
            }
        }

        /// Returns the built-in table of a language; `nil` if there is none.
        public init?(_ locale: SpeechLocale) {
            guard let text = Self.builtIn[locale.language], let marks = try? SpokenPunctuation.Marks(parsing: text)
            else { return nil }
            self = marks
        }

        /// The languages that have a built-in table.
        public static var languages: [String] { builtIn.keys.sorted() }

        /// English.
        public static let english = SpokenPunctuation.Marks("en") ?? SpokenPunctuation.Marks()

        private init() {}
    }
}
