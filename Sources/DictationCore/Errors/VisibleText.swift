extension Unicode.Scalar {
    /// Whether it shows nothing of its own and changes what is around it: a control character, an end of a line, or one
    /// that turns the direction of text.
    package var isUnseenInNames: Bool {
        switch properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: true
        default: properties.isBidiControl
        }
    }
}

extension StringProtocol {
    /// The text with each character spelled out that a terminal would obey, that ends a line or that turns text around:
    /// `\u{1b}` for an escape.
    ///
    /// For names of files, devices and models: whoever chose them could otherwise forge a message that they stand in.
    /// Errors have it done already.
    public var visible: String {
        // The usual case: nothing to spell out.
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

    /// The text with a space for each character that a terminal would obey, that ends a line or that turns text around.
    ///
    /// For what was recognized. Marks that only say which way the character beside them is read stay: captions need them.
    public var onOneLine: String {
        var text = String.UnicodeScalarView()
        for scalar in unicodeScalars {
            let isMark = scalar == "\u{200E}" || scalar == "\u{200F}" || scalar == "\u{61C}"
            text.append(scalar.isUnseenInNames && !isMark ? " " : scalar)
        }
        return String(text)
    }
}
