#if PocketSphinx
import DictationCore
import DictationEngines
import Foundation
import Testing

/// Recordings of Debian's `pocketsphinx-testdata`, and what is said in them.
struct Speech: Sendable, CustomTestStringConvertible {
    var name: String
    var text: String
    var testDescription: String { name }

    static let goForward = Speech(name: "goforward.raw", text: "go forward ten meters")
    static let ill = librivox("0880", "he was not an ill disposed young man")
    static let unless = librivox(
        "0890", "unless to be rather cold hearted and rather selfish is to be ill disposed")
    static let dashwood = librivox(
        "0870",
        "and mister john dashwood had then leisure to consider how much there might be prudently in his power to do "
            + "for them")
    static let married = librivox(
        "0920",
        "had he married a more a amiable woman he might have been made still more respectable than he was")
    static let himself = librivox("0930", "he might even have been made amiable himself")
    static let cards = [
        "ten of clubs", "four queen of clubs", "seven of clubs", "five five",
        "eight of spades four of clubs seven of hearts",
    ].enumerated().map { Speech(name: "cards/00\($0.offset + 1).wav", text: $0.element) }
    static let numbers = Speech(name: "numbers.raw", text: "thirty three four or six ninety two")
    static let all = [goForward, dashwood, ill, unless, married, himself] + cards

    private static func librivox(_ number: String, _ text: String) -> Speech {
        Speech(name: "librivox/sense_and_sensibility_01_austen_64kb-\(number).wav", text: text)
    }

    /// The samples: 16 kHz, mono.
    func samples() throws -> [Int16] {
        let path = "/usr/share/pocketsphinx/test/data/" + name
        guard let data = FileManager.default.contents(atPath: path) else {
            Issue.record("\(path) is missing: apt-get install pocketsphinx-testdata")
            throw DictationError(.fileUnreadable, path)
        }
        // The package's WAV files have the plain header of 44 bytes.
        let bytes = name.hasSuffix(".wav") ? data.dropFirst(44) : data
        return bytes.withUnsafeBytes { bytes in
            (0..<(bytes.count / 2)).map { bytes.loadUnaligned(fromByteOffset: 2 * $0, as: Int16.self) }
        }
    }

    /// The samples from the first loud one to the last.
    func loudSamples() throws -> ArraySlice<Int16> {
        let samples = try samples()
        let first = samples.firstIndex { $0.magnitude > 1_500 } ?? 0
        let last = samples.lastIndex { $0.magnitude > 1_500 } ?? samples.count - 1
        return samples[first...last]
    }
}

/// Samples as buffers of some length.
func buffers(_ samples: [Int16], of length: Int = 1_600, at start: Duration = .zero) -> [AudioBuffer] {
    stride(from: 0, to: samples.count, by: length).map { first in
        AudioBuffer(
            Array(samples[first..<min(samples.count, first + length)]),
            start: start + AudioFormat.speech.duration(ofFrames: Int64(first)))
    }
}

/// Faint noise, as from a microphone in a quiet room.
func quiet(_ seconds: Double) -> [Int16] {
    var state: UInt32 = 1
    return (0..<Int(seconds * 16_000)).map { _ in
        state = state &* 1_664_525 &+ 1_013_904_223
        return Int16(truncatingIfNeeded: Int(state >> 28) - 8)
    }
}

/// An engine with the installed model, shared by the tests so that it is loaded once.
enum Sphinx {
    static let engine = PocketSphinxEngine(retention: .processLifetime)

    static func model() throws -> PocketSphinxModel {
        do { return try PocketSphinxModel(folder: "/usr/share/pocketsphinx/model/en-us") } catch {
            Issue.record("No model: apt-get install pocketsphinx-en-us. \(error)")
            throw error
        }
    }

    static func options(_ change: (inout RecognitionOptions) -> Void = { _ in }) -> RecognitionOptions {
        var options = RecognitionOptions(finalizationTimeout: .seconds(900))
        change(&options)
        return options
    }

    /// The words of a sentence that nothing stands beside, with their times.
    static func wordsAlone(_ speech: Speech) async throws -> [SpeechResult.Word] {
        try await engine.results(buffers(quiet(1) + speech.samples() + quiet(1)), options { $0.wordTimes = true }).words
    }

    static func isNear(_ a: Duration, _ b: Duration) -> Bool { abs((a - b) / .milliseconds(1)) <= 50 }
}
#endif
