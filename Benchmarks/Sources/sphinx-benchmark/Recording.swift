import DictationCapture
import DictationCore
import Foundation

/// A recording, what is said in it, and what it is counted under.
struct Recording {
    var file: URL
    var set: String
    var text: String

    /// The samples: 16 kHz, mono, behind the plain header of 44 bytes that `write` makes.
    func samples() throws -> [Int16] {
        try Data(contentsOf: file).dropFirst(44).withUnsafeBytes { Array($0.bindMemory(to: Int16.self)) }
    }

    /// The recordings that a list names: a file, a set and a text in each line, with tabs between them.
    static func list(_ path: String) throws -> [Recording] {
        try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").map { line in
            let columns = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
            return Recording(file: URL(filePath: columns[0]), set: columns[1], text: columns[2])
        }
    }

    static func writeList(_ recordings: [Recording], to file: URL) throws {
        let lines = recordings.map { "\($0.file.path)\t\($0.set)\t\($0.text)\n" }
        try lines.joined().write(to: file, atomically: true, encoding: .utf8)
    }

    static func write(_ samples: [Int16], to file: URL) throws {
        var data = Data("RIFF".utf8)
        func append(_ value: some FixedWidthInteger) {
            withUnsafeBytes(of: value.littleEndian) { data.append(contentsOf: $0) }
        }
        append(UInt32(36 + 2 * samples.count))
        data.append(contentsOf: "WAVEfmt ".utf8)
        append(UInt32(16))
        append(UInt16(1))
        append(UInt16(1))
        append(UInt32(16_000))
        append(UInt32(32_000))
        append(UInt16(2))
        append(UInt16(16))
        data.append(contentsOf: "data".utf8)
        append(UInt32(2 * samples.count))
        samples.withUnsafeBytes { data.append(contentsOf: $0) }
        try data.write(to: file)
    }

    // MARK: The speech that is at hand

    /// All recordings of `pocketsphinx-testdata` and of DICTATION_AUDIO, as WAV files in a folder.
    static func all(in folder: URL) throws -> [Recording] {
        var found: [(path: String, set: String, text: String)] = [
            "goforward.raw": "go forward ten meters", "something.raw": "go somewhere and do something",
            "numbers.raw": "thirty three four or six ninety two",
        ].sorted { $0.key < $1.key }.map { (testData + $0.key, "testdata: commands", $0.value) }
        for (part, set) in [("librivox/transcription", "librivox"), ("cards/cards.transcription", "cards")] {
            for line in try String(contentsOfFile: testData + part, encoding: .utf8).split(separator: "\n") {
                // What is said, between <s> and </s>, and the file's name in brackets.
                let words = line.split(separator: " ")
                let name = words.last?.dropFirst().dropLast() ?? ""
                let text = words.dropLast().filter { !$0.hasSuffix("s>") }.joined(separator: " ")
                found.append((testData + "\(set)/\(name).wav", "testdata: \(set)", text))
            }
        }
        let audio = ProcessInfo.processInfo.environment["DICTATION_AUDIO"] ?? "../shared/audio"
        for row in try String(contentsOfFile: audio + "/manifest.tsv", encoding: .utf8).split(separator: "\n")
            .dropFirst()
        {
            let columns = row.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
            found.append(("\(audio)/\(columns[1])", "audio: \(columns[3])", columns[6]))
        }
        return try found.enumerated().map { index, item in
            let file = folder.appending(path: "\(index).wav")
            try write(try decoded(item.path), to: file)
            return Recording(file: file, set: item.set, text: item.text)
        }
    }

    /// About three minutes: recordings one after another with a second of faint noise between them.
    static func threeMinutes(of recordings: [Recording], to file: URL) throws -> Recording {
        var samples: [Int16] = []
        var text: [String] = []
        var state: UInt32 = 1
        for recording in recordings where !recording.set.hasSuffix("long") && samples.count < 180 * 16_000 {
            samples += try recording.samples()
            samples += (0..<16_000).map { _ in
                state = state &* 1_664_525 &+ 1_013_904_223
                return Int16(truncatingIfNeeded: Int(state >> 28) - 8)
            }
            text.append(recording.text)
        }
        try write(samples, to: file)
        return Recording(file: file, set: "three minutes", text: text.joined(separator: " "))
    }

    private static let testData = "/usr/share/pocketsphinx/test/data/"

    private static func decoded(_ path: String) throws -> [Int16] {
        var reader = try AudioFileReader(path: path, raw: path.hasSuffix(".raw") ? .speech : nil)
        var samples: [Int16] = []
        while let buffer = try reader.read() { samples += buffer.int16Samples }
        return samples
    }
}
