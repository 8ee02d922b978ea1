import DictationCore

/// A way to recognise recordings, as the tables call it: "file balanced 2" is `file` with a preset and two jobs.
struct Way {
    let text: String
    let name: String
    let priority: RecognitionOptions.Priority
    let jobs: Int

    init(_ text: String) {
        let words = text.split(separator: " ").map(String.init)
        self.text = text
        priority = words.lazy.compactMap { RecognitionOptions.Priority(rawValue: $0) }.first ?? .balanced
        jobs = words.lazy.compactMap { Int($0) }.first ?? 1
        name = words.filter { RecognitionOptions.Priority(rawValue: $0) == nil && Int($0) == nil }
            .joined(separator: " ")
    }
}

/// What came of a way to recognise recordings.
struct Outcome: Codable {
    /// What was heard in each.
    var texts: [String]
    /// Processor seconds without those in which the model is loaded, where that can be told.
    var cpu: Double
    /// Seconds from the process's start to its end.
    var wall = 0.0
    var peakMegabytes = 0
}
