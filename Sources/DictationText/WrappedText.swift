extension StringProtocol {
    /// Returns the text as lines of limited width. Breaks between words, between wide characters, and inside words that
    /// are too long. An empty text makes one empty line.
    ///
    /// - Parameter columns: The greatest width of a line. A number below 2 counts as 2.
    public func wrapped(columns: Int) -> [String] {
        let columns = Swift.max(2, columns)
        var lines: [String] = []
        var line = ""
        var width = 0
        /// The last position at which the line can break.
        var breakAfter: String.Index?
        for character in self {
            let size = character.displayWidth
            if width + size > columns {
                if character == " " {
                    lines.append(line)
                    (line, width, breakAfter) = ("", 0, nil)
                    continue
                }
                let rest = breakAfter.map { String(line[$0...]) } ?? ""
                let whole = breakAfter.map { line[..<$0] } ?? line[...]
                lines.append(String(whole.last == " " ? whole.dropLast() : whole))
                (line, width, breakAfter) = (rest, rest.displayWidth, nil)
                if width + size > columns {
                    lines.append(line)
                    (line, width) = ("", 0)
                }
            }
            if line.isEmpty, character == " ", !lines.isEmpty { continue }
            line.append(character)
            width += size
            if character == " " || size > 1 { breakAfter = line.endIndex }
        }
        if !line.isEmpty || lines.isEmpty { lines.append(line) }
        return lines
    }
}
