import BenchSpeech
import Foundation

/// All that was measured, as it is kept in a file.
struct Measurements: Codable {
    /// Word errors by way and set; they are the same each time.
    var errors: [String: [String: WordErrors]] = [:]
    /// What each run over the three-minute recording took, by way.
    var speed: [String: [Run]] = [:]

    /// A run of a process.
    struct Run: Codable {
        /// Seconds from the process's start to its end.
        var wall: Double
        /// Processor seconds without those in which the model was loaded; of a foreign program, all of them.
        var cpu: Double
        var peakMegabytes: Int
        var errors: WordErrors
    }

    init() {}

    init(_ file: URL) throws { self = try JSONDecoder().decode(Measurements.self, from: Data(contentsOf: file)) }

    func write(to file: URL) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        try encoder.encode(self).write(to: file)
    }

    /// The errors of a way over the sets that count.
    func errors(of way: String, where counts: (String) -> Bool = { _ in true }) -> WordErrors? {
        errors[way]?.filter { counts($0.key) }.values.reduce(WordErrors(), +)
    }

    func median(_ figure: KeyPath<Run, Double>, of way: String) -> Double? {
        let values = (speed[way] ?? []).map { $0[keyPath: figure] }.sorted()
        guard !values.isEmpty else { return nil }
        return (values[(values.count - 1) / 2] + values[values.count / 2]) / 2
    }
}
