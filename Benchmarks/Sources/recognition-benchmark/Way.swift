import DictationCore

/// A way to recognize recordings, by its name in the tables: "file balanced 2" is `file` with a preset and two jobs.
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

/// The outcome of recognizing recordings in one way.
struct Outcome: Codable {
    /// The text of each recording.
    var texts: [String]
    /// The processor seconds, without loading the model where the loading can be measured apart.
    var cpu: Double
    /// The seconds from the process's start to its end.
    var wall = 0.0
    var peakMegabytes = 0
}
