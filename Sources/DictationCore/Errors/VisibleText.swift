extension Unicode.Scalar {
    /// Whether the character is invisible and changes the text around it: a control character, the end of a line, or a
    /// change of the text's direction.
    package var isUnseenInNames: Bool {
        switch properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: true
        default: properties.isBidiControl
        }
    }
}

extension StringProtocol {
    /// The text with control characters, line ends and changes of direction spelled out, such as `\u{1b}` for an
    /// escape.
    ///
    /// Use this for names of files, devices and models. Otherwise whoever chose a name could forge the message that
    /// contains it. ``DictationError`` already does this for its texts.
    public var visible: String {
        // Most texts have nothing to spell out.
        if utf8.allSatisfy({ (0x20..<0x7F).contains($0) }) { return String(self) }
        var text = String.UnicodeScalarView()
        for scalar in unicodeScalars {
            if scalar.isUnseenInNames {
                text.append(contentsOf: "\\u{\(String(scalar.value, radix: 16))}".unicodeScalars)
            } else {
                text.append(scalar)
            }
        }
        return String(text)
    }

    /// The text with a space in place of each control character, line end and change of direction.
    ///
    /// Use this for recognized text. Marks that set the direction of a neighboring character stay, because captions
    /// need them.
    public var onOneLine: String {
        var text = String.UnicodeScalarView()
        for scalar in unicodeScalars {
            let isMark = scalar == "\u{200E}" || scalar == "\u{200F}" || scalar == "\u{61C}"
            text.append(scalar.isUnseenInNames && !isMark ? " " : scalar)
        }
        return String(text)
    }
}
