import DictationCore
import DictationEngines
import Foundation
import Synchronization
import Testing

/// The model and the recordings that these tests need, and what to do when they are missing.
enum SherpaFixtures {
    static let package = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    static func folder(_ variable: String, _ name: String) throws -> URL {
        let folder =
            ProcessInfo.processInfo.environment[variable].map { URL(filePath: $0) }
            ?? package.deletingLastPathComponent().appending(path: "shared/\(name)")
        try #require(
            FileManager.default.fileExists(atPath: folder.path),
            "Set \(variable) to the folder with the test \(name); \(folder.path) is not there.")
        return folder
    }

    static func models() throws -> URL { try folder("DICTATION_MODELS", "models") }

    static func modelFolder() throws -> String {
        try models().appending(path: "sherpa-onnx-kws-zipformer-gigaspeech-3.3M").path
    }

    /// The folder of the installed library; the header's folder is beside it.
    static func library() throws -> URL {
        let prefix =
            ProcessInfo.processInfo.environment["DICTATION_SHERPA_ONNX"].map { URL(filePath: $0) }
            ?? package.appending(path: ".build/sherpa-onnx")
        let folder = prefix.appending(path: "lib")
        try #require(
            FileManager.default.fileExists(atPath: folder.appending(path: "libsherpa-onnx-c-api.so").path),
            "Run Scripts/install sherpa-onnx .build/sherpa-onnx, and set DICTATION_SHERPA_ONNX to that folder.")
        return folder
    }

    static func moonshine(detectors: SherpaOnnxOfflineEngine.Detectors? = nil) throws -> SherpaOnnxOfflineEngine {
        var configuration = SherpaOnnxOfflineEngine.Configuration()
        configuration.detectors = detectors
        return try SherpaOnnxOfflineEngine(
            folder: moonshineFolder(), locales: ["en-US", "en-GB"], configuration: configuration)
    }

    /// The folder of a Moonshine model, which the scripts install.
    static func moonshineFolder() throws -> String {
        let folder = package.appending(path: ".build/moonshine-tiny-en").path
        try #require(
            FileManager.default.fileExists(atPath: folder + "/tokens.txt"),
            "Source Scripts/environment and run install_test_engines first.")
        return folder
    }

    /// The networks that hear speech and the ends of turns, which the scripts install.
    static func detectors() throws -> SherpaOnnxOfflineEngine.Detectors {
        let folder = package.appending(path: ".build/speech-detectors").path
        try #require(
            FileManager.default.fileExists(atPath: folder + "/smart-turn.onnx"),
            "Source Scripts/environment and run install_test_engines first.")
        return SherpaOnnxOfflineEngine.Detectors(folder: folder)
    }

    /// The folder of a tiny model with random weights, which the scripts generate.
    static func generatedFolder(_ name: String) throws -> String {
        let folder = package.appending(path: ".build/generated-models/" + name).path
        try #require(
            FileManager.default.fileExists(atPath: folder),
            "Source Scripts/environment and run install_test_engines first.")
        return folder
    }

    /// The model's text as the C API gives it: no case, no gain.
    static var plain: SherpaOnnxEngine.Configuration {
        var configuration = SherpaOnnxEngine.Configuration()
        configuration.textCase = .asModel
        configuration.normalizesLevel = false
        return configuration
    }

    static func engine(_ configuration: SherpaOnnxEngine.Configuration = .init()) throws -> SherpaOnnxEngine {
        try SherpaOnnxEngine(folder: modelFolder(), locales: ["en-US"], configuration: configuration)
    }

    /// Every recording: its name and what is said in it.
    static func recordings() throws -> [(name: String, kind: String, transcript: String)] {
        let manifest = try String(
            contentsOf: folder("DICTATION_AUDIO", "audio").appending(path: "manifest.tsv"), encoding: .utf8)
        return manifest.split(separator: "\n").dropFirst().map { line in
            let columns = line.split(separator: "\t").map(String.init)
            return (columns[0], columns[3], columns[6])
        }
    }

    static func samples(_ name: String) throws -> [Int16] {
        let file = try folder("DICTATION_AUDIO", "audio").appending(path: name + ".flac")
        let bytes = try run(
            ["flac", "-s", "-d", "-c", "--force-raw-format", "--endian=little", "--sign=signed", file.path])
        return bytes.withUnsafeBytes { Array($0.bindMemory(to: Int16.self)) }
    }

    @discardableResult
    static func run(_ arguments: [String], environment: [String: String] = [:]) throws -> Data {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let data = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0, "\(arguments[0]) failed; is it installed?")
        return data
    }
}

extension [Int16] {
    /// The samples as buffers of a length, one after the other.
    func buffers(of frames: Int = 1_600, from start: Duration = .zero) -> [AudioBuffer] {
        stride(from: 0, to: count, by: frames).map { index in
            AudioBuffer(
                Array(self[index..<Swift.min(count, index + frames)]),
                start: start + AudioFormat.speech.duration(ofFrames: Int64(index)))
        }
    }
}
