import DictationCore

extension String {
    /// The text on one line, with single spaces.
    var oneLine: String { onOneLine.split(separator: " ").joined(separator: " ") }
}
