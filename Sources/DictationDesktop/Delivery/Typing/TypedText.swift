import DictationService

/// A text as it is typed: pieces that are short enough to look at the focus in between.
struct TypedText {
    enum Piece: Hashable {
        case characters(String)
        case lineBreak
        /// A key and its modifiers, such as `ctrl+v`.
        case key(KeyboardKey)
    }

    /// The greatest number of scalars in a piece. At the speed of a typing program this takes less than a second.
    static let pieceLength = 64

    private(set) var pieces: [Piece] = []

    /// Cuts a text.
    ///
    /// - Parameters:
    ///   - text: The text. What a ``DestinationText`` leaves out is left out.
    ///   - lineBreaks: What line breaks become.
    ///   - apart: Scalars that are a piece each.
    ///   - keys: How many different keys a piece may need that the keyboard does not have.
    ///   - isOnKeyboard: Whether the keyboard has a key for a scalar.
    init(
        _ text: String, lineBreaks: TypedLineBreaks, apart: Set<Unicode.Scalar> = [], keys: Int = .max,
        isOnKeyboard: (Unicode.Scalar) -> Bool = { _ in true }
    ) {
        var piece = String.UnicodeScalarView()
        var length = 0
        var missing: Set<Unicode.Scalar> = []
        func end() {
            if length > 0 { pieces.append(.characters(String(piece))) }
            (piece, length, missing) = (.init(), 0, [])
        }
        for scalar in Self.typeable(text, lineBreaks) {
            if scalar == "\n" {
                end()
                pieces.append(.lineBreak)
                continue
            }
            if apart.contains(scalar) {
                end()
                pieces.append(.characters(String(scalar)))
                continue
            }
            let needsKey = !isOnKeyboard(scalar) && !missing.contains(scalar)
            if length == Self.pieceLength || needsKey && missing.count >= keys { end() }
            if !isOnKeyboard(scalar) { missing.insert(scalar) }
            piece.append(scalar)
            length += 1
        }
        end()
    }

    /// Returns a text as it is pasted: the same characters that would be typed.
    static func plain(_ text: String, _ lineBreaks: TypedLineBreaks) -> String {
        var scalars = String.UnicodeScalarView()
        scalars.append(contentsOf: typeable(text, lineBreaks))
        return String(scalars)
    }

    /// The number of scalars and line breaks.
    static func count(_ pieces: some Sequence<Piece>) -> Int {
        pieces.reduce(0) { count, piece in
            if case .characters(let text) = piece { count + text.unicodeScalars.count } else { count + 1 }
        }
    }

    /// Returns what can be typed. Each line break is a line feed, and a tab is a space, because a tab key moves the focus
    /// in many programs.
    private static func typeable(_ text: String, _ lineBreaks: TypedLineBreaks) -> [Unicode.Scalar] {
        var scalars: [Unicode.Scalar] = []
        for scalar in DestinationText(text).scalars {
            switch scalar {
            case "\n" where lineBreaks == .space: if scalars.last != " " { scalars.append(" ") }
            case "\t": scalars.append(" ")
            default: scalars.append(scalar)
            }
        }
        return scalars
    }
}
