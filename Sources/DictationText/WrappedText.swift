extension StringProtocol {
    /// Breaks the text into lines of at most `columns` columns: between words, inside a word that is too long, and
    /// between wide characters, which are written without spaces. An empty text makes one empty line.
    public func wrapped(columns: Int) -> [String] {
        let columns = Swift.max(2, columns)
        var lines: [String] = []
        var line = ""
        var width = 0
        /// Where the line can break last.
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
