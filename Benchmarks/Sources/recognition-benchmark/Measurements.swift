import BenchSpeech
import DictationBatch
import Foundation

/// All measurements of an engine, as saved in a file.
struct Measurements: Codable {
    /// The texts and errors of each way, which are the same in every run.
    var words: [String: Words] = [:]
    /// The runs of each way, by the length of speech and then by way.
    var speed: [String: [String: [Run]]] = [:]

    struct Words: Codable {
        /// The text of each recording.
        var texts: [String: String]
        /// The errors in each set.
        var errors: [String: WordErrorCount]
    }

    /// One run of a process.
    struct Run: Codable {
        /// The seconds from the process's start to its end.
        var wall: Double
        /// The processor seconds without loading the model; for `pocketsphinx_continuous`, all processor seconds.
        var cpu: Double
        var peakMegabytes: Int
        var errors: WordErrorCount
    }

    init() {}

    init(_ file: URL) throws { self = try JSONDecoder().decode(Measurements.self, from: Data(contentsOf: file)) }

    // MARK: Words

    /// Returns the errors of a way in the sets for which `counts` is true.
    func errors(of way: String, where counts: (String) -> Bool = { _ in true }) -> WordErrorCount? {
        words[way]?.errors.filter { counts($0.key) }.values.reduce(WordErrorCount(), +)
    }

    /// Returns the error percentages of two ways in the counted sets that both have, or `nil` when there are none.
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

    /// Returns the number of recordings with different texts, without regard to case.
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
