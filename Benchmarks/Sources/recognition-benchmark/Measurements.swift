import BenchSpeech
import Foundation

/// All that was measured, as it is kept in a file.
struct Measurements: Codable {
    /// What each way heard in all recordings; it is the same each time.
    var words: [String: Words] = [:]
    /// What each run took, by how much speech it went over, and by way.
    var speed: [String: [String: [Run]]] = [:]

    struct Words: Codable {
        /// By recording.
        var texts: [String: String]
        /// By set.
        var errors: [String: WordErrors]
    }

    /// A run of a process.
    struct Run: Codable {
        /// Seconds from the process's start to its end.
        var wall: Double
        /// Processor seconds without those in which the model was loaded; of `pocketsphinx_continuous`, all of them.
        var cpu: Double
        var peakMegabytes: Int
        var errors: WordErrors
    }

    init() {}

    init(_ file: URL) throws { self = try JSONDecoder().decode(Measurements.self, from: Data(contentsOf: file)) }

    // MARK: Words

    /// The errors of a way over the sets that count.
    func errors(of way: String, where counts: (String) -> Bool = { _ in true }) -> WordErrors? {
        words[way]?.errors.filter { counts($0.key) }.values.reduce(WordErrors(), +)
    }

    /// The percentages of two ways over the sets that count and that both were tried on; `nil` when there are none.
    func percents(
        _ way: String, _ other: String, where counts: (String) -> Bool = { _ in true }
    ) -> (Double, Double)? {
        guard let sets = words[way]?.errors, let others = words[other]?.errors else { return nil }
        let common = Set(sets.keys).intersection(others.keys).filter(counts)
        guard !common.isEmpty, let ours = errors(of: way, where: common.contains),
            let theirs = errors(of: other, where: common.contains)
        else { return nil }
        return (ours.percent, theirs.percent)
    }

    /// How many recordings have another text, however its words are written.
    func differences(_ way: String, _ other: String) -> Double? {
        guard let texts = words[way]?.texts, let others = words[other]?.texts else { return nil }
        func folded(_ text: String?) -> [Substring]? { text.map { $0.lowercased().split(separator: " ") } }
        return Double(Set(texts.keys).union(others.keys).count { folded(texts[$0]) != folded(others[$0]) })
    }

    // MARK: Speed

    func runs(_ length: Length, _ way: String) -> [Run] { speed[length.rawValue]?[way] ?? [] }

    func ratio(_ figure: KeyPath<Run, Double>, _ length: Length, _ way: String, _ other: String) -> Double? {
        let (ours, theirs) = (runs(length, way), runs(length, other))
        guard !ours.isEmpty, !theirs.isEmpty else { return nil }
        return ours.map { $0[keyPath: figure] }.median / theirs.map { $0[keyPath: figure] }.median
    }
}
