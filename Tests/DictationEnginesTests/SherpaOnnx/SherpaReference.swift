import DictationCore
import DictationEngines
import Foundation
import Testing

/// The C program that the engine is compared with, built once.
enum SherpaReference {
    static let program = Result { () throws -> URL in
        let folder = FileManager.default.temporaryDirectory.appending(path: "sherpa-reference-\(getpid())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let library = try SherpaFixtures.library()
        let header = library.deletingLastPathComponent().appending(path: "include")
        let source = SherpaFixtures.package.appending(path: "Benchmarks/Reference/sherpa-reference.c")
        let program = folder.appending(path: "sherpa-reference")
        try SherpaFixtures.run([
            "cc", "-O2", "-I" + header.path, source.path, "-o", program.path, "-L" + library.path,
            "-lsherpa-onnx-c-api",
            "-lm", "-Wl,-rpath," + library.path, "-Wl,-rpath-link," + library.path,
        ])
        return program
    }

    /// What the C API makes of each recording. One process does them all, because it loads the model.
    static func texts(_ recordings: [[Int16]], method: String) throws -> [String] {
        try lines(recordings, method: method).dropLast().map { fields in
            fields.count > 1 ? fields[1].trimmingCharacters(in: .whitespaces) : ""
        }
    }

    /// The CPU time that the C API takes for some audio, loading aside.
    static func seconds(_ samples: [Int16], method: String, isLive: Bool) throws -> Double {
        try #require(Double(lines([samples], method: method, isLive: isLive)[1].last ?? ""))
    }

    private static func lines(
        _ recordings: [[Int16]], method: String, isLive: Bool = false
    ) throws -> [[String]] {
        let folder = FileManager.default.temporaryDirectory.appending(path: "sherpa-reference-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let files = try recordings.enumerated().map { number, samples in
            let file = folder.appending(path: "\(number).raw")
            try samples.withUnsafeBytes { Data($0) }.write(to: file)
            return file.path
        }
        var live: [String] = []
        if isLive {
            let rules = try #require(SherpaFixtures.plain.endpointing)
            try #require(rules.maximumLength == nil)
            live = ["-e", "\(rules.silenceWithoutText / .seconds(1)),\(rules.silenceAfterText / .seconds(1)),1e9"]
        }
        let output = try SherpaFixtures.run(
            [program.get().path] + live + [method, SherpaFixtures.modelFolder()] + files)
        let lines = String(decoding: output, as: UTF8.self).split(separator: "\n")
        try #require(lines.count == files.count + 1)
        return lines.map { $0.split(separator: "\t").map(String.init) }
    }
}
