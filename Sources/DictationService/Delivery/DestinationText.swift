import DictationCore

/// A text as every destination gets it: the characters of text alone.
///
/// A server's engine or a processor may write escape sequences, which a terminal would carry out, also when they are pasted or
/// read from a file. So control characters are left out, and what changes the direction of the text after it. Tabs stay, each
/// line break is a line feed, and so do the marks that set the direction of a neighboring character.
package struct DestinationText {
    package let scalars: [Unicode.Scalar]

    package init(_ text: String) {
        var scalars: [Unicode.Scalar] = []
        var last: Unicode.Scalar?
        for scalar in text.unicodeScalars {
            defer { last = scalar }
            switch scalar {
            case "\n" where last == "\r": break
            case "\n", "\r", "\u{B}", "\u{C}", "\u{85}", "\u{2028}", "\u{2029}": scalars.append("\n")
            case "\t", "\u{200E}", "\u{200F}", "\u{61C}": scalars.append(scalar)
            default:
                if !scalar.isUnseenInNames, !scalar.properties.isNoncharacterCodePoint { scalars.append(scalar) }
            }
        }
        self.scalars = scalars
    }

    package var string: String {
        var text = String.UnicodeScalarView()
        text.append(contentsOf: scalars)
        return String(text)
    }
}

extension DictatedText {
    /// The text as a destination writes it.
    package var forDestination: String { DestinationText(text).string }
}
