import DictationText

/// The beginning of a text that fits into `columns` columns.
func cut(_ text: String, columns: Int) -> String {
    var width = 0
    return String(
        text.prefix { character in
            width += character.displayWidth
            return width <= columns
        })
}
