import BenchSpeech
import DictationCapture
import DictationCore
import DictationEngines
import Foundation

/// An engine, the ways to use it, and what it is compared with.
protocol Contest: Sendable {
    /// What the tables call the engine.
    var title: String { get }
    /// The ways whose words are counted, references among them.
    var counted: [String] { get }
    /// The ways that are timed over so much speech, in the order of their turns.
    func timed(_ length: Length) -> [String]
    /// The ways that are compared with this one; none for one that is a reference itself.
    func references(of way: Way) -> [String]

    /// The engine for a way that is ours.
    func engine(for way: Way) throws -> any SpeechEngine
    /// What a C loop in this process hears, and its processor seconds; `nil` for any other way.
    func loop(_ way: Way, _ samples: [Int16]) -> (text: String, cpu: Double)?
    /// What another program hears; `nil` for any other way.
    func program(_ way: Way, _ recordings: [SpeechRecording], output: URL) throws -> Outcome?

    /// What the engine promises, as measured.
    func promises(_ measurements: Measurements) -> [Promise]
}

/// So much speech.
enum Length: String, CaseIterable {
    case all = "all recordings"
    case threeMinutes = "three minutes"
    case hour = "an hour"
}

extension Contest {
    func loop(_ way: Way, _ samples: [Int16]) -> (text: String, cpu: Double)? { nil }

    /// Goes a way in this process.
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

/// The contests by the names of their engines.
let contests: [String: any Contest] = ["pocketsphinx": SphinxContest(), "sherpa-onnx": SherpaContest()]
