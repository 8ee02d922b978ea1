import BenchSpeech
import DictationCapture
import DictationCore
import DictationEngines
import Foundation

/// An engine, the ways to use it, and the references to compare it with.
protocol Contest: Sendable {
    /// The engine's name in the tables.
    var title: String { get }
    /// The ways whose word errors are counted, including the references.
    var counted: [String] { get }
    /// Returns the ways to time with this length of speech, in the order of their turns.
    func timed(_ length: Length) -> [String]
    /// Returns the references of a way; none for a way that is a reference itself.
    func references(of way: Way) -> [String]

    /// Returns the engine for a way that uses this package.
    func engine(for way: Way) throws -> any SpeechEngine
    /// Returns the text of a C loop in this process and its processor seconds, or `nil` when the way is no C loop.
    func loop(_ way: Way, _ samples: [Int16]) -> (text: String, cpu: Double)?
    /// Runs another program and returns its outcome, or `nil` when the way is no program.
    func program(_ way: Way, _ recordings: [SpeechRecording], output: URL) throws -> Outcome?

    /// Returns the engine's promises with their measured values.
    func promises(_ measurements: Measurements) -> [Promise]
}

/// A length of speech to measure.
enum Length: String, CaseIterable {
    case all = "all recordings"
    case threeMinutes = "three minutes"
    case hour = "an hour"
}

extension Contest {
    func loop(_ way: Way, _ samples: [Int16]) -> (text: String, cpu: Double)? { nil }

    /// Runs a way in this process.
    func outcome(_ way: Way, _ recordings: [SpeechRecording]) async throws -> Outcome {
        var outcome = Outcome(texts: [], cpu: 0)
        guard way.name.hasSuffix("live") || way.name.hasSuffix("file") else {
            for recording in recordings {
                guard let heard = loop(way, try recording.samples()) else {
                    throw DictationError(.invalidInput, "There is no way “\(way.text)”.")
                }
                outcome.texts.append(heard.text)
                outcome.cpu += heard.cpu
            }
            return outcome
        }
        var options = RecognitionOptions(priority: way.priority, finalizationTimeout: .seconds(3_600))
        options.volatileResults = way.name.hasSuffix("live")
        let engine = try engine(for: way)
        try await engine.prepare(options)
        let began = processorSeconds()
        for recording in recordings {
            outcome.texts.append(
                options.volatileResults
                    ? try await live(recording.samples(), engine, options)
                    : try await engine.transcribe(
                        FileCapturer(path: recording.path), options: options, workers: way.jobs
                    ).text())
        }
        outcome.cpu = processorSeconds() - began
        return outcome
    }

    private func live(
        _ samples: [Int16], _ engine: any SpeechEngine, _ options: RecognitionOptions
    ) async throws -> String {
        let session = try await engine.makeSession(options)
        try session.start(AudioInput.pieces(of: samples))
        var text = ""
        for try await case .final(let result) in session.results { text += result.text + " " }
        return text
    }
}

/// The contests, by the names of their engines.
let contests: [String: any Contest] = ["pocketsphinx": SphinxContest(), "sherpa-onnx": SherpaContest()]
