import DictationTesting
import Foundation
import TestSupport
import Testing

@testable import DictationBatch

struct JSONScannerTests {
    private static let whole = Array(
        #"{"a": [1, -0.5e+3, {"b": []}, [[true], null]], "é\n": "\\ \"x\" é", "d": {"e": {}, "f": false}, "": 0}"#.utf8)

    /// Python's parser is the judge. Foundation's takes commas before an end.
    @Test func aTextIsTakenIfItIsJSON() throws {
        var random = SplitMix64(seed: 18)
        let texts = (0..<2_000).map { _ in Self.changed(using: &random) }
        let lines = texts.map { text in text.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() + "\n" }
        let folder = try TemporaryFolder()
        let path = try folder.write(Array(lines.joined().utf8), to: "texts")
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/python3")
        process.arguments = [
            "-c",
            """
            import json, sys
            for line in open(sys.argv[1]):
                try: print(int(isinstance(json.loads(bytes.fromhex(line).decode("utf-8")), dict)))
                except ValueError: print(0)
            """, path,
        ]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let answers = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
            .split(separator: "\n").map { $0 == "1" }
        process.waitUntilExit()
        try #require(answers.count == texts.count)
        #expect(answers.contains(true) && answers.contains(false))
        for (text, isObject) in zip(texts, answers) {
            #expect((JSONObject(text) != nil) == isObject, "\(String(decoding: text, as: UTF8.self))")
        }
    }

    /// Returns the text with one to three other bytes.
    private static func changed(using random: inout SplitMix64) -> [UInt8] {
        let marks = Array(#"{}[],:"\0e.-+tu5 "#.utf8) + [0x09, 0x0A, 0x01, 0xC3, 0xFF]
        var text = whole
        for _ in 0..<Int.random(in: 1...3, using: &random) {
            let place = Int.random(in: 0..<text.count, using: &random)
            switch Int.random(in: 0..<3, using: &random) {
            case 0: text.remove(at: place)
            case 1: text[place] = marks.randomElement(using: &random) ?? 0
            default: text.insert(marks.randomElement(using: &random) ?? 0, at: place)
            }
        }
        return text
    }

    @Test func valuesStayAsTheyWereWritten() throws {
        let object = try #require(JSONObject(Self.whole))
        #expect(object.members.map(\.key) == ["a", "é\n", "d", ""])
        #expect(object["a"] == #"[1, -0.5e+3, {"b": []}, [[true], null]]"# && object[""] == "0")
        #expect(JSONObject(object.text.utf8) == object)
    }
}
