import BenchSpeech
import DictationBatch
import DictationCore
import Foundation

/// Runs the ways of a contest one after another, each in a separate process.
final class Comparison {
    private let name: String
    private let contest: any Contest
    private let folder: URL
    private let recordings: [SpeechRecording]

    init(_ name: String, _ contest: any Contest) throws {
        self.name = name
        self.contest = contest
        folder = FileManager.default.temporaryDirectory.appending(path: "recognition-benchmark-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        var found = try SpeechRecording.testData() + SpeechRecording.audio()
        // For a quick trial, the variable TRY limits the number of recordings. They are spread over all sets.
        if let count = ProcessInfo.processInfo.environment["TRY"].flatMap({ Int($0) }), 0 < count {
            found = found.indices.filter { $0 % max(1, found.count / count) == 0 }.map { found[$0] }
        }
        for index in found.indices {
            let file = folder.appending(path: "\(index).wav")
            try [found[index].samples()].writeWave(to: file)
            found[index].path = file.path
        }
        recordings = found
    }

    func cleanUp() { try? FileManager.default.removeItem(at: folder) }

    /// Returns the texts and errors of a way for all recordings.
    func words(of way: Way) throws -> Measurements.Words {
        let texts = try outcome(of: way, recordings).texts
        return .init(
            texts: Dictionary(uniqueKeysWithValues: zip(recordings.map { "\($0.set), \($0.name)" }, texts)),
            errors: errors(texts, recordings))
    }

    /// Returns the time, memory and errors of a way for some speech.
    func run(of way: Way, over speech: [SpeechRecording]) throws -> Measurements.Run {
        let outcome = try outcome(of: way, speech)
        return .init(
            wall: outcome.wall, cpu: outcome.cpu, peakMegabytes: outcome.peakMegabytes,
            errors: errors(outcome.texts, speech).values.reduce(WordErrorCount(), +))
    }

    private func outcome(of way: Way, _ recordings: [SpeechRecording]) throws -> Outcome {
        let output = folder.appending(path: "output")
        if let outcome = try contest.program(way, recordings, output: output) { return outcome }
        let list = folder.appending(path: "list.json")
        try recordings.writeJSON(to: list)
        let child = try Child(["/proc/self/exe", "way", name, list.path, way.text], output: output)
        var outcome = try JSONDecoder().decode(Outcome.self, from: Data(child.output.utf8))
        outcome.wall = child.wall
        outcome.peakMegabytes = child.peakMegabytes
        return outcome
    }

    private func errors(_ texts: [String], _ recordings: [SpeechRecording]) -> [String: WordErrorCount] {
        var errors: [String: WordErrorCount] = [:]
        for (text, recording) in zip(texts, recordings) {
            errors[recording.set, default: WordErrorCount()].count(text, reference: recording.text)
        }
        return errors
    }

    // MARK: Speech of a length

    func speech(_ length: Length) throws -> [SpeechRecording] {
        switch length {
        case .all: recordings
        case .threeMinutes: [try joined(minutes: 3)]
        case .hour: [try joined(minutes: 60)]
        }
    }

    /// Joins recordings to a file of this length. Repeats them if needed, and puts the same second of faint noise after
    /// each.
    private func joined(minutes: Int) throws -> SpeechRecording {
        let parts = try recordings.filter { !$0.isLong }.map { (try $0.samples(), $0.text) }
        guard !parts.isEmpty else { throw DictationError(.invalidInput, "There are only long recordings.") }
        var state: UInt32 = 1
        let noise = (0..<16_000).map { _ in
            state = state &* 1_664_525 &+ 1_013_904_223
            return Int16(truncatingIfNeeded: Int(state >> 28) - 8)
        }
        var pieces: [[Int16]] = []
        var text: [String] = []
        var frames = 0
        while frames < minutes * 60 * 16_000 {
            for part in parts where frames < minutes * 60 * 16_000 {
                pieces += [part.0, noise]
                frames += part.0.count + noise.count
                text.append(part.1)
            }
        }
        let file = folder.appending(path: "\(minutes) minutes.wav")
        try pieces.writeWave(to: file)
        return SpeechRecording(name: "joined", path: file.path, set: "joined", text: text.joined(separator: " "))
    }
}
