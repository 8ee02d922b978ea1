/// The first words of a list, and how many more there are.
func abridged(_ words: [String]) -> String {
    let shown = 3
    guard words.count > shown + 1 else { return words.joined(separator: ", ") }
    return words.prefix(shown).joined(separator: ", ") + " and \(words.count - shown) more"
}
