import DictationCore
import DictationEngines
import Foundation

/// What the arguments of the probe name.
enum ProbeEngine {
    /// Returns the engine of a text such as `zipformer:FOLDER`.
    static func description(_ text: String) throws -> EngineDescription {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        switch (parts[0], parts.last ?? "") {
        case ("scripted", _): return .scripted()
        case ("zipformer", let folder):
            return try .sherpaOnnx(SherpaOnnxEngine.Model(folder: folder), locales: ["en-US"])
        case ("moonshine", let folder):
            return try .sherpaOnnxOffline(SherpaOnnxOfflineEngine.Model(folder: folder), locales: ["en-US"])
        #if PocketSphinx
        case ("pocketsphinx", let folder): return .pocketSphinx([try PocketSphinxModel(folder: folder)])
        #endif
        default: throw DictationError(.invalidInput, "There is no engine '\(text)'.")
        }
    }

    /// Returns the 16-bit samples in a file.
    static func samples(_ file: String) throws -> [Int16] {
        try Data(contentsOf: URL(filePath: file)).withUnsafeBytes { Array($0.bindMemory(to: Int16.self)) }
    }
}

/// The memory of this process that no file backs, so that the system can't take it back: its own, and that shared with a
/// helper.
struct ProbeMemory: CustomStringConvertible {
    let own: Int
    let shared: Int
    let resident: Int
    var description: String { "own \(own) shared \(shared) resident \(resident)" }

    init() throws {
        let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        func kilobytes(_ name: String) -> Int {
            let line = status.split(separator: "\n").first { $0.hasPrefix(name + ":") } ?? ""
            return line.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) } ?? 0
        }
        (own, shared, resident) = (kilobytes("RssAnon"), kilobytes("RssShmem"), kilobytes("VmRSS"))
    }
}
