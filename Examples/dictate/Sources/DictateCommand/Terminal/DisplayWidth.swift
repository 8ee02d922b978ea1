/// How many columns text takes on a terminal.
enum DisplayWidth {
    /// The scripts that are written in two columns; emoji are known to the standard library.
    private static let wide: [ClosedRange<UInt32>] = [
        0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0xA4CF, 0xA960...0xA97F,
        0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1F64F,
        0x1F900...0x1F9FF, 0x20000...0x3FFFD,
    ]

    static func of(_ character: Character) -> Int {
        var width = 0
        for scalar in character.unicodeScalars {
            if scalar.value == 0xFE0F { return 2 }
            // The voicing marks of half-width katakana have a column of their own.
            if scalar.value == 0xFF9E || scalar.value == 0xFF9F { return width + 1 }
            width = max(width, of(scalar))
        }
        return width
    }

    static func of(_ text: some StringProtocol) -> Int { text.reduce(0) { $0 + of($1) } }

    private static func of(_ scalar: Unicode.Scalar) -> Int {
        if scalar.value < 0x300 { return 1 }
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format: return 0
        default: break
        }
        let isWide = scalar.properties.isEmojiPresentation || wide.contains { $0.contains(scalar.value) }
        return isWide ? 2 : 1
    }
}

/// As much of the text as fits into so many columns.
func cut(_ text: String, columns: Int) -> String {
    var width = 0
    return String(
        text.prefix { character in
            width += DisplayWidth.of(character)
            return width <= columns
        })
}

/// Breaks text into lines of at most so many columns: between words, inside one that is too long, and between wide
/// characters, which are written without spaces.
func wrap(_ text: String, columns: Int) -> [String] {
    let columns = max(2, columns)
    var lines: [String] = []
    var line = ""
    var width = 0
    /// The line through the last place where it may be broken, and what comes after it.
    var breakAfter: String.Index?
    for character in text {
        let size = DisplayWidth.of(character)
        if width + size > columns {
            if character == " " {
                lines.append(line)
                (line, width, breakAfter) = ("", 0, nil)
                continue
            }
            let rest = breakAfter.map { String(line[$0...]) } ?? ""
            let whole = breakAfter.map { line[..<$0] } ?? line[...]
            lines.append(String(whole.last == " " ? whole.dropLast() : whole))
            (line, width, breakAfter) = (rest, DisplayWidth.of(rest), nil)
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
