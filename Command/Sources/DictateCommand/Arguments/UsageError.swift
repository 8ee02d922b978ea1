import DictationCore

/// Wrong usage. The exit code is 2.
struct UsageError: Error, Hashable {
    let message: String
    /// The command whose help explains more.
    var command: String?

    init(_ message: String, command: String? = nil) {
        self.message = message
        self.command = command
    }

    /// The message on one line, and a hint to the help on another.
    var text: String { "\(message.visible)\n\(advice)" }

    /// The hint to the help.
    private var advice: String {
        "See “\(["dictate help", command ?? ""].filter { !$0.isEmpty }.joined(separator: " "))”."
    }
}

/// The candidate closest to a mistyped word.
func nearest(_ word: String, of candidates: [String]) -> String? {
    let near = candidates.map { ($0, editDistance(word, $0)) }.min { $0.1 < $1.1 }
    guard let (candidate, distance) = near, distance <= max(1, candidate.count / 3) else { return nil }
    return candidate
}

/// The number of insertions, deletions, replacements and swaps of neighbors between two words.
private func editDistance(_ a: String, _ b: String) -> Int {
    let (a, b) = (Array(a), Array(b))
    var beforeLast: [Int] = []
    var last = Array(0...b.count)
    for i in a.indices {
        var row = [i + 1]
        for j in b.indices {
            var cost = min(row[j] + 1, last[j + 1] + 1, last[j] + (a[i] == b[j] ? 0 : 1))
            if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] { cost = min(cost, beforeLast[j - 1] + 1) }
            row.append(cost)
        }
        (beforeLast, last) = (last, row)
    }
    return last[b.count]
}
