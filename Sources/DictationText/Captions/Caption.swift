/// Lines of text, and the time in milliseconds at which they are shown.
struct Caption: Sendable, Hashable {
    var start: Int64
    var end: Int64
    var lines: [String]
    var speaker: String?
    /// Whether the text starts with the speaker's name.
    var isNamed = false

    /// The columns of all lines.
    var width: Int { lines.reduce(0) { $0 + $1.displayWidth } }

    /// Returns the line with the times. The formats differ only in the decimal separator.
    func times(point: String) -> String { "\(time(start, point)) --> \(time(end, point))" }

    private func time(_ milliseconds: Int64, _ point: String) -> String {
        let seconds = milliseconds / 1_000
        let parts = [seconds / 3_600, seconds / 60 % 60, seconds % 60].map { digits($0, count: 2) }
        return parts.joined(separator: ":") + point + digits(milliseconds % 1_000, count: 3)
    }
}
