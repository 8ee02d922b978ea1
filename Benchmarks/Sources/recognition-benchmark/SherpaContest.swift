import BenchSpeech
import DictationBatch
import DictationCore
@_spi(Benchmarks) import DictationEngines
import Foundation

/// Compares SherpaOnnxEngine with `sherpa-reference`, a C program on the C library's API, with the same settings.
///
/// `c` takes each recording as one utterance, like `file` with one job. `c live` ends utterances at pauses, like
/// `live`. An `unlevelled` way does not normalize the level of the audio, like the C program. `moonshine` is
/// SherpaOnnxOfflineEngine, whose model has no presets. `moonshine c` recognizes the same stretches in the C program.
/// `two-pass live` is PocketSphinx and Moonshine together, with PocketSphinx's text as the preview.
struct SherpaContest: Contest {
    let title = "sherpa-onnx"
    private let priorities = ["balanced", "accuracy"]

    var counted: [String] {
        ["c", "unlevelled file", "file", "c live", "unlevelled live", "live"].flatMap { way in
            priorities.map { "\(way) \($0)" }
        } + moonshine + [twoPass]
    }

    private let moonshine = ["moonshine file", "moonshine live"]
    private let twoPass = "two-pass live"
    private let moonshineFolder = ".build/moonshine-tiny-en"

    func timed(_ length: Length) -> [String] {
        let balanced = ["c balanced", "unlevelled file balanced 1", "file balanced 1", "file balanced 2"]
        let accuracy = ["c accuracy", "unlevelled file accuracy 1", "file accuracy 1"]
        let live = ["c live balanced", "unlevelled live balanced", "live balanced"]
        return switch length {
        case .all: balanced + accuracy + live
        case .threeMinutes: balanced + accuracy + ["moonshine c", "moonshine file 1", "moonshine file 2"]
        case .hour: balanced + ["moonshine file 1", "moonshine file 2"]
        }
    }

    func references(of way: Way) -> [String] {
        if way.name.hasPrefix("c") || way.name.hasPrefix("moonshine") || way.name == twoPass { return [] }
        return [(way.name.hasSuffix("live") ? "c live " : "c ") + way.priority.rawValue]
    }

    func engine(for way: Way) throws -> any SpeechEngine {
        if moonshine.contains(way.name) || way.name == twoPass {
            let moonshine = try SherpaOnnxOfflineEngine(folder: moonshineFolder, locales: ["en-US"])
            return way.name == twoPass
                ? TwoPassEngine(quick: PocketSphinxEngine(retention: .processLifetime), thorough: moonshine) : moonshine
        }
        var configuration = SherpaOnnxEngine.Configuration()
        configuration.normalizesLevel = !way.name.hasPrefix("unlevelled")
        return try SherpaOnnxEngine(
            folder: sherpaOnnxModelFolder(), locales: ["en-US"], configuration: configuration)
    }

    func program(_ way: Way, _ recordings: [SpeechRecording], output: URL) throws -> Outcome? {
        if way.name == "moonshine c" { return try moonshineProgram(recordings, output: output) }
        guard way.name == "c" || way.name == "c live" else { return nil }
        let settings = SherpaOnnxEngine.Configuration()
        var words = [try reference]
        words += ["-b", "\(settings.beamWidth)", "-t", "\(settings.threadsPerStep)"]
        if way.name == "c live", let rules = settings.endpointing {
            let silences = [rules.silenceWithoutText, rules.silenceAfterText].map { $0 / .seconds(1) }
            let length = rules.maximumLength.map { $0 / .seconds(1) } ?? 1e9
            words += ["-e", (silences + [length]).map { "\($0)" }.joined(separator: ",")]
        }
        words += [way.priority == .accuracy ? "modified_beam_search" : "greedy_search", try sherpaOnnxModelFolder()]
        return try outcome(words, of: recordings.map(\.path), output)
    }

    /// Runs the C program on the stretches of some recordings. The text of a recording is that of its stretches.
    private func moonshineProgram(_ recordings: [SpeechRecording], output: URL) throws -> Outcome {
        var files: [String] = []
        var counts: [Int] = []
        defer { files.forEach { try? FileManager.default.removeItem(atPath: $0) } }
        for recording in recordings {
            let stretches = SherpaOnnxOfflineEngine.stretches(of: try recording.samples())
            for stretch in stretches {
                files.append(output.path + ".\(files.count).wav")
                try [stretch].writeWave(to: URL(filePath: files[files.count - 1]))
            }
            counts.append(stretches.count)
        }
        var outcome = try outcome([try reference, "-m", "greedy_search", moonshineFolder], of: files, output)
        var lines = outcome.texts[...]
        outcome.texts = counts.map { count in
            defer { lines = lines.dropFirst(count) }
            return lines.prefix(count).joined(separator: " ")
        }
        return outcome
    }

    /// The path of the C program.
    private var reference: String {
        get throws {
            let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
            return URL(filePath: own).deletingLastPathComponent().appending(path: "sherpa-reference").path
        }
    }

    private func outcome(_ words: [String], of files: [String], _ output: URL) throws -> Outcome {
        let child = try Child(words + files, output: output)
        // The output has a line for each file and a last line for the time. Each has a name, a tab and the value.
        var lines = child.output.split(separator: "\n").map { $0.split(separator: "\t").dropFirst().joined() }
        guard lines.count == files.count + 1, let cpu = lines.popLast().flatMap({ Double($0) }) else {
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
        let (file, live) = (measured.errors(of: "moonshine file"), measured.errors(of: "moonshine live"))
        promises += [
            Promise("moonshine file, word errors in %", file?.percent, 7),
            Promise(
                "moonshine live, points of word errors above files",
                file.flatMap { file in
                    live.map { $0.percent - file.percent }
                }, 1),
            Promise(
                "moonshine file 1, processor time in that of the C program with the same stretches, three minutes",
                measured.ratio(\.cpu, .threeMinutes, "moonshine file 1", "moonshine c"), 1.05, digits: 3),
            Promise(
                "moonshine file 2, wall time in that of one job, three minutes",
                measured.ratio(\.wall, .threeMinutes, "moonshine file 2", "moonshine file 1"), 0.55, digits: 3),
            Promise(
                "moonshine file 2, wall time in that of one job, an hour",
                measured.ratio(\.wall, .hour, "moonshine file 2", "moonshine file 1"), 0.55, digits: 3),
        ]
        return promises.compactMap(\.self)
    }
}
