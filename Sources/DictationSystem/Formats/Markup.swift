extension StringProtocol {
    /// The text as it stands in HTML, XML, WebVTT and the markup of desktops, which show it as it is.
    ///
    /// Works on scalars, as their readers do. Swift combines `<` and a following combining mark into one character.
    ///
    /// - Parameter quotes: Whether quotation marks are replaced as well, for the value of an attribute.
    package func inMarkup(quotes: Bool = false) -> String {
        unicodeScalars.reduce(into: "") { text, scalar in
            switch scalar {
            case "&": text += "&amp;"
            case "<": text += "&lt;"
            case ">": text += "&gt;"
            case "\"" where quotes: text += "&quot;"
            case "'" where quotes: text += "&#39;"
            // No document may contain these. To a browser, U+FFFF is the end of a caption.
            case _ where scalar.properties.isNoncharacterCodePoint: text += "\u{FFFD}"
            default: text.unicodeScalars.append(scalar)
            }
        }
    }
}
