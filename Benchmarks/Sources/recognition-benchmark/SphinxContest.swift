import BenchSpeech
import CBareLoop
import DictationBatch
import DictationCore
@_spi(Benchmarks) import DictationEngines
import Foundation

/// Compares PocketSphinxEngine with `pocketsphinx_continuous` and with loops in C.
///
/// `bare` is a plain loop with the engine's settings for recordings. `whole` takes each recording as one utterance, and
/// `wholeDefaults` does so with PocketSphinx's own settings.
struct SphinxContest: Contest {
    let title = "PocketSphinx"
    private let continuous = "pocketsphinx_continuous"
    private let priorities = ["speed", "balanced", "accuracy"]

    var counted: [String] {
        [continuous] + ["live", "file", "whole"].flatMap { way in priorities.map { "\(way) \($0)" } }
            + ["wholeDefaults balanced"]
    }

    func timed(_ length: Length) -> [String] {
        let balanced = [continuous, "file balanced 1", "file balanced 2", "bare balanced 1"]
        return switch length {
        case .all: []
        case .threeMinutes:
            balanced + ["file speed 1", "bare speed 1", "file accuracy 1", "bare accuracy 1"]
        case .hour: balanced
        }
    }

    func references(of way: Way) -> [String] {
        switch way.name {
        case "live": [continuous]
        case "file": [continuous, "bare \(way.priority.rawValue) 1"]
        default: []
        }
    }

    func engine(for way: Way) throws -> any SpeechEngine { PocketSphinxEngine(retention: .processLifetime) }

    func loop(_ way: Way, _ samples: [Int16]) -> (text: String, cpu: Double)? {
        guard way.name == "bare" || way.name.hasPrefix("whole") else { return nil }
        let model = "/usr/share/pocketsphinx/model/en-us/"
        var words = ["-hmm", model + "en-us", "-dict", model + "cmudict-en-us.dict", "-lm", model + "en-us.lm.bin"]
        if way.name != "wholeDefaults" {
            for (name, value) in PocketSphinxEngine.settings(for: way.priority) { words += [name, value] }
        }
        var copies = words.map { strdup($0) }
        defer { copies.forEach { free($0) } }
        var text = [CChar](repeating: 0, count: 1_000_000)
        let loop = way.name == "bare" ? bare_loop : bare_utterance
        let spent = loop(Int32(copies.count), &copies, samples, samples.count, &text, text.count)
        return (String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self), spent)
    }

    func program(_ way: Way, _ recordings: [SpeechRecording], output: URL) throws -> Outcome? {
        guard way.name == continuous else { return nil }
        var outcome = Outcome(texts: [], cpu: 0)
        for recording in recordings {
            let child = try Child(
                ["/usr/bin/\(continuous)", "-infile", recording.path, "-logfn", "/dev/null"], output: output)
            outcome.texts.append(child.output.split(separator: "\n").joined(separator: " "))
            outcome.cpu += child.cpu
            outcome.wall += child.wall
            outcome.peakMegabytes = max(outcome.peakMegabytes, child.peakMegabytes)
        }
        return outcome
    }

    func promises(_ measured: Measurements) -> [Promise] {
        var promises: [Promise?] = []
        for (name, prefix) in [("testdata", "testdata"), ("audio", "audio"), ("all", "")] {
            for priority in priorities {
                for way in ["live \(priority)", "file \(priority)"] {
                    let both = measured.percents(way, continuous) { $0.hasPrefix(prefix) }
                    promises.append(
                        Promise(
                            "\(way), errors on \(name) beside \(continuous), %", both?.0, both?.1,
                            isStrict: way.hasPrefix("file")))
                }
            }
        }
        for priority in priorities {
            // A long recording is not one utterance, so it does not count here.
            let both = measured.percents("live \(priority)", "whole \(priority)") { !$0.hasSuffix("long") }
            promises.append(Promise("live \(priority), points above whole utterances", both.map { $0.0 - $0.1 }, 3))
        }
        for length in Length.allCases {
            for priority in priorities {
                promises.append(
                    Promise(
                        "file \(priority), processor time in that of the C loop with its settings, \(length.rawValue)",
                        measured.ratio(\.cpu, length, "file \(priority) 1", "bare \(priority) 1"), 1.05, digits: 2))
            }
            for (jobs, limit) in [(1, 0.5), (2, 0.25)] {
                promises.append(
                    Promise(
                        "file balanced, \(jobs) at work, wall time in that of \(continuous), \(length.rawValue)",
                        measured.ratio(\.wall, length, "file balanced \(jobs)", continuous), limit, digits: 3))
            }
            promises.append(
                Promise(
                    "file balanced, errors in \(length.rawValue) beside \(continuous), %",
                    measured.runs(length, "file balanced 1").first?.errors.percent,
                    measured.runs(length, continuous).first?.errors.percent))
        }
        return promises.compactMap(\.self)
    }
}
