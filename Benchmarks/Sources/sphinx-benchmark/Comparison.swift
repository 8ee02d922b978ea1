import BenchSpeech
import Foundation

/// Runs all ways, each in a process of its own, one after another.
final class Comparison {
    private let folder: URL
    private let recordings: [Recording]
    private let long: Recording

    static let continuous = "pocketsphinx_continuous"
    private static let priorities = ["speed", "balanced", "accuracy"]
    static let errorWays =
        [continuous] + ["live", "file", "whole"].flatMap { way in priorities.map { "\(way) \($0)" } }
        + ["wholeDefaults balanced"]
    static let speedWays =
        [continuous, "file balanced 1", "file balanced 2", "bare balanced 1", "file speed 1", "bare speed 1"]
        + ["file accuracy 1", "bare accuracy 1"]

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "sphinx-benchmark-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        recordings = try Recording.all(in: folder)
        long = try Recording.threeMinutes(of: recordings, to: folder.appending(path: "long.wav"))
        try Recording.writeList(recordings, to: folder.appending(path: "all"))
        try Recording.writeList([long], to: folder.appending(path: "long"))
    }

    func cleanUp() { try? FileManager.default.removeItem(at: folder) }

    /// The errors of a way over all recordings, by set.
    func errors(of way: String) throws -> [String: WordErrors] {
        guard way == Self.continuous else { return try our(way, "all").outcome.errors }
        var outcome = Outcome()
        for recording in recordings { outcome.count(try continuous(recording).text, of: recording) }
        return outcome.errors
    }

    /// What a way takes for the three-minute recording.
    func speed(of way: String) throws -> Measurements.Run {
        var outcome = Outcome()
        let child: Child
        if way == Self.continuous {
            let text: String
            (text, child) = try continuous(long)
            outcome.count(text, of: long)
            outcome.cpu = child.cpu
        } else {
            (outcome, child) = try our(way, "long")
        }
        return .init(
            wall: child.wall, cpu: outcome.cpu, peakMegabytes: child.peakMegabytes,
            errors: outcome.errors.values.reduce(WordErrors(), +))
    }

    private func continuous(_ recording: Recording) throws -> (text: String, child: Child) {
        let child = try Child(
            ["/usr/bin/pocketsphinx_continuous", "-infile", recording.file.path, "-logfn", "/dev/null"],
            output: folder.appending(path: "output"))
        return (child.output.split(separator: "\n").joined(separator: " "), child)
    }

    private func our(_ way: String, _ list: String) throws -> (outcome: Outcome, child: Child) {
        let words = way.split(separator: " ").map(String.init)
        let child = try Child(
            ["/proc/self/exe", "way", words[0], folder.appending(path: list).path] + words.dropFirst(),
            output: folder.appending(path: "output"))
        return (try JSONDecoder().decode(Outcome.self, from: Data(child.output.utf8)), child)
    }
}
