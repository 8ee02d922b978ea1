import BenchSpeech
import DictationCore
import DictationEngines
import FoundationEssentials
import Glibc

// usage: Bench SUBJECT RUNS FILE.json      measures, prints and writes the figures
//        Bench check LIMITS.json           fails when the allocations are above the limits
//        Bench serve FOLDER                serves a model, for the subjects “serving” and “streams”
//        Bench table FILE.json…            prints figures as a table in Markdown

DictationHelper.runIfAsked()

/// Returns sherpa-onnx with the model in `DICTATION_MODELS`, and PocketSphinx with the system's model.
func engines() throws -> [any SpeechEngine] {
    [
        try SherpaOnnxEngine(folder: sherpaOnnxModelFolder(), locales: ["en-US"]),
        PocketSphinxEngine(retention: .processLifetime),
    ]
}

/// Returns the engine that is chosen for live dictation: Moonshine with PocketSphinx.
///
/// - Parameter detectors: Whether networks hear where speech is and where a turn ends.
func liveEngine(detectors: Bool = true) throws -> any SpeechEngine {
    var setup = SherpaOnnxOfflineEngine.Configuration()
    if detectors { setup.detectors = SherpaOnnxOfflineEngine.Detectors(folder: ".build/speech-detectors") }
    let thorough = try SherpaOnnxOfflineEngine(
        folder: ".build/moonshine-tiny-en", locales: ["en-US"], configuration: setup)
    return TwoPassEngine(
        quick: PocketSphinxEngine(retention: .processLifetime), thorough: thorough, preview: .thorough)
}

func measurements(of subject: String, runs: Int) async throws -> [Measurement] {
    switch subject {
    case "pipeline": return try await Pipeline.measure(runs: runs)
    case "recordings": return try await Recordings.measure(runs: runs)
    case "converter": return try await Converter.measure(runs: runs)
    case "text": return TextSpeed.measure(runs: runs)
    case "allocations": return try await Allocations.measure()
    case "memory":
        var all = try await Memory.measure()
        for engine in try engines() { all.append(try await Memory.measure(engine, minutes: max(1, runs))) }
        return all
    case "latency":
        var all: [Measurement] = []
        for engine in try engines() { all += try await Latency.measure(engine, recordings: runs) }
        return all
    case "live":
        return try await Live.measure(liveEngine(), sentences: runs)
            + Live.measureRead(liveEngine(detectors: false), sentences: runs, "loudness and a fixed pause")
    case "helper": return try await HelperCost.measure(runs: runs)
    case "serving": return try await Serving.measureDelay(runs: runs)
    case "streams": return try await Serving.measureMostStreams(runs: runs)
    default: throw DictationError(.invalidInput, "There is no benchmark “\(subject)”.")
    }
}

let arguments = Array(CommandLine.arguments.dropFirst())
do {
    switch (arguments.first, arguments.count) {
    case ("check", 2):
        let found = try await Allocations.measure()
        print(Table.text(found))
        try Allocations.check(found, limits: arguments[1])
    case ("table", 2...):
        let all = try arguments.dropFirst().flatMap {
            try JSONDecoder().decode([Measurement].self, from: Data(contentsOf: URL(filePath: $0)))
        }
        print(Table.text(all))
    case ("serve", 2): try await serve(arguments[1])
    case (let subject?, 3):
        let found = try await measurements(of: subject, runs: max(1, Int(arguments[1]) ?? 5))
        print(Table.text(found))
        try found.writeJSON(to: URL(filePath: arguments[2]))
    default:
        print(
            "usage: Bench pipeline|converter|recordings|text|allocations|memory|latency|live|helper|serving|streams RUNS FILE.json | check LIMITS.json | table FILE.json…"
        )
        exit(2)
    }
} catch {
    print("Bench: \(error)")
    exit(1)
}
