import BenchSpeech
import DictationCore
import DictationEngines
import Foundation

/// Compares SherpaOnnxEngine with `sherpa-reference`, a C program on the C library's API, with the same settings.
///
/// `c` takes each recording as one utterance, like `file` with one job. `c live` ends utterances at pauses, like
/// `live`. An `unlevelled` way does not normalize the level of the audio, like the C program. `moonshine` is
/// SherpaOnnxOfflineEngine, whose model has no presets.
struct SherpaContest: Contest {
    let title = "sherpa-onnx"
    private let priorities = ["balanced", "accuracy"]

    var counted: [String] {
        ["c", "unlevelled file", "file", "c live", "unlevelled live", "live"].flatMap { way in
            priorities.map { "\(way) \($0)" }
        } + moonshine
    }

    private let moonshine = ["moonshine file", "moonshine live"]

    func timed(_ length: Length) -> [String] {
        let balanced = ["c balanced", "unlevelled file balanced 1", "file balanced 1", "file balanced 2"]
        let accuracy = ["c accuracy", "unlevelled file accuracy 1", "file accuracy 1"]
        let live = ["c live balanced", "unlevelled live balanced", "live balanced"]
        return switch length {
        case .all: balanced + accuracy + live
        case .threeMinutes: balanced + accuracy + ["moonshine file"]
        case .hour: balanced
        }
    }

    func references(of way: Way) -> [String] {
        if way.name.hasPrefix("c") || moonshine.contains(way.name) { return [] }
        return [(way.name.hasSuffix("live") ? "c live " : "c ") + way.priority.rawValue]
    }

    func engine(for way: Way) throws -> any SpeechEngine {
        if moonshine.contains(way.name) {
            return try SherpaOnnxOfflineEngine(folder: ".build/moonshine-tiny-en", locales: ["en-US"])
        }
        var configuration = SherpaOnnxConfiguration()
        configuration.normalizesLevel = !way.name.hasPrefix("unlevelled")
        return try SherpaOnnxEngine(
            folder: sherpaOnnxModelFolder(), locales: ["en-US"], configuration: configuration)
    }

    func program(_ way: Way, _ recordings: [SpeechRecording], output: URL) throws -> Outcome? {
        guard way.name == "c" || way.name == "c live" else { return nil }
        let settings = SherpaOnnxConfiguration()
        let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        var words = [URL(filePath: own).deletingLastPathComponent().appending(path: "sherpa-reference").path]
        words += ["-b", "\(settings.beamWidth)", "-t", "\(settings.threadsPerStep)"]
        if way.name == "c live", let rules = settings.endpointing {
            let silences = [rules.silenceWithoutText, rules.silenceAfterText].map { $0 / .seconds(1) }
            let length = rules.maximumLength.map { $0 / .seconds(1) } ?? 1e9
            words += ["-e", (silences + [length]).map { "\($0)" }.joined(separator: ",")]
        }
        words += [way.priority == .accuracy ? "modified_beam_search" : "greedy_search", try sherpaOnnxModelFolder()]
        let child = try Child(words + recordings.map(\.path), output: output)
        // The output has a line for each recording and a last line for the time. Each has a name, a tab and the value.
        var lines = child.output.split(separator: "\n").map { $0.split(separator: "\t").dropFirst().joined() }
        guard lines.count == recordings.count + 1, let cpu = lines.popLast().flatMap({ Double($0) }) else {
            throw DictationError(.engineFailed, "sherpa-reference printed \(lines.count) lines.")
        }
        return Outcome(texts: lines, cpu: cpu, wall: child.wall, peakMegabytes: child.peakMegabytes)
    }

    func promises(_ measured: Measurements) -> [Promise] {
        var promises: [Promise?] = []
        for way in counted.map(Way.init) where way.name.hasPrefix("unlevelled") {
            let different = measured.differences(way.text, references(of: way)[0])
            promises.append(
                Promise("\(way.text), recordings of another text than the C program's", different, 0, digits: 0))
        }
        for length in Length.allCases {
            for way in timed(length).map(Way.init) where way.name.hasPrefix("unlevelled") {
                promises.append(
                    Promise(
                        "\(way.text), processor time in that of the C program, \(length.rawValue)",
                        measured.ratio(\.cpu, length, way.text, references(of: way)[0]), 1.05, digits: 3))
            }
        }
        return promises.compactMap(\.self)
    }
}
