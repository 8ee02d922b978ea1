import DictationCapture
import DictationCore
import FoundationEssentials

/// A recording of speech, its text, and the set that it belongs to.
package struct SpeechRecording: Codable {
    package var name: String
    package var path: String
    /// The source and the kind of the speech, such as "audio: noisy".
    package var set: String
    package var text: String

    package init(name: String, path: String, set: String, text: String) {
        self.name = name
        self.path = path
        self.set = set
        self.text = text
    }

    /// Whether the recording is too long for a single utterance.
    package var isLong: Bool { self.set.hasSuffix("long") }

    /// Returns the samples at 16 kHz.
    package func samples() throws -> [Int16] {
        var reader = try AudioFileReader(path: path, raw: path.hasSuffix(".raw") ? .speech : nil)
        let converter = try BasicConverter(from: reader.format, to: .speech)
        var samples: [Int16] = []
        while let buffer = try reader.read() { samples += try converter.convert(buffer).int16Samples }
        return samples
    }

    /// Returns the recordings in DICTATION_AUDIO that its manifest lists.
    package static func audio() throws -> [SpeechRecording] {
        let folder = try folder("DICTATION_AUDIO", "recordings and their manifest.tsv")
        let table = try String(contentsOfFile: folder + "/manifest.tsv", encoding: .utf8)
        return table.split(separator: "\n").dropFirst().compactMap { line in
            let cells = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
            guard cells.count >= 7 else { return nil }
            return SpeechRecording(
                name: cells[0], path: "\(folder)/\(cells[1])", set: "audio: \(cells[3])", text: cells[6])
        }
    }

    /// Returns the recordings in Debian's `pocketsphinx-testdata` that are whole utterances.
    package static func testData() throws -> [SpeechRecording] {
        let folder = "/usr/share/pocketsphinx/test/data/"
        var found = [
            ("goforward", "go forward ten meters"), ("numbers", "thirty three four or six ninety two"),
            ("something", "go somewhere and do something"),
            ("tidigits/dhd.2934z", "two nine three four zero"),
        ].map { SpeechRecording(name: $0, path: "\(folder)\($0).raw", set: "testdata: commands", text: $1) }
        for (list, set) in [("librivox/transcription", "librivox"), ("cards/cards.transcription", "cards")] {
            for line in try String(contentsOfFile: folder + list, encoding: .utf8).split(separator: "\n") {
                // A line has the text between <s> and </s>, and then the file's name in brackets.
                let words = line.split(separator: " ")
                let name = String(words.last?.dropFirst().dropLast() ?? "")
                let text = words.dropLast().filter { !$0.hasSuffix("s>") }.joined(separator: " ")
                found.append(
                    SpeechRecording(
                        name: name, path: "\(folder)\(set)/\(name).wav", set: "testdata: \(set)", text: text))
            }
        }
        return found
    }
}

/// Returns the folder of the sherpa-onnx model in DICTATION_MODELS.
package func sherpaOnnxModelFolder() throws -> String {
    let folder = try folder("DICTATION_MODELS", "a model of sherpa-onnx")
    let names = try FileManager.default.contentsOfDirectory(atPath: folder)
    guard let name = names.sorted().first(where: { $0.hasPrefix("sherpa-onnx") }) else {
        throw DictationError(
            .modelNotInstalled, "There is no sherpa-onnx model in \(folder).",
            recovery: "Put a model there, in a folder whose name begins with “sherpa-onnx”.")
    }
    return "\(folder)/\(name)"
}

private func folder(_ variable: String, _ content: String) throws -> String {
    guard let folder = ProcessInfo.processInfo.environment[variable] else {
        throw DictationError(
            .fileUnreadable, "\(variable) is not set.", recovery: "Set it to a folder with \(content).")
    }
    return folder
}
