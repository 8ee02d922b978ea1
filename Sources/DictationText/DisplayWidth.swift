extension Character {
    /// The number of columns that the character takes on a terminal: 0, 1 or 2.
    public var displayWidth: Int {
        var width = 0
        for scalar in unicodeScalars {
            if scalar.value == 0xFE0F { return 2 }
            // The voicing marks of half-width katakana take one column each.
            if scalar.value == 0xFF9E || scalar.value == 0xFF9F { return width + 1 }
            width = max(width, scalar.displayWidth)
        }
        return width
    }
}

extension StringProtocol {
    /// The number of columns that the text takes on a terminal.
    public var displayWidth: Int { reduce(0) { $0 + $1.displayWidth } }
}

extension Unicode.Scalar {
    /// The ranges of characters that take two columns. The standard library covers most emoji.
    private static let wide: [ClosedRange<UInt32>] = [
        0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0xA4CF, 0xA960...0xA97F,
        0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1F64F,
        0x1F900...0x1F9FF, 0x20000...0x3FFFD,
    ]

    fileprivate var displayWidth: Int {
        if value < 0x300 { return 1 }
        switch properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format: return 0
        default: break
        }
        return properties.isEmojiPresentation || Self.wide.contains { $0.contains(value) } ? 2 : 1
    }
}
