/// A text that a client gets part by part.
struct GrowingText: Sendable {
    /// The parts so far.
    private(set) var sent = ""

    /// Grows to a text, and returns its new part; `nil` if the text takes back what was sent, or is as it was.
    mutating func grow(to all: String) -> String? {
        guard all.utf8.count > sent.utf8.count, all.utf8.starts(with: sent.utf8) else { return nil }
        defer { sent = all }
        return String(decoding: all.utf8.dropFirst(sent.utf8.count), as: UTF8.self)
    }
}
