import Foundation

/// A batch of parts of one recording, with the engine “scripted”.
struct BatchFolder {
    let folder: Folder
    let manifest: String

    /// Creates a manifest with `count` parts of two seconds, and lines of its own after them.
    init(_ count: Int, extra: [String] = []) throws {
        folder = try Folder()
        let tone = try folder.tone(seconds: 4)
        let lines = (0..<count).map {
            #"{"id": "\#($0)", "audio_filepath": "\#(tone)", "duration": 2, "text": "go forward"}"#
        }
        manifest = folder.file("list.jsonl")
        try Data((lines + extra).map { $0 + "\n" }.joined().utf8).write(to: URL(filePath: manifest))
    }

    /// The root of the repository.
    static let root = URL(filePath: #filePath).appending(path: "../../../..").standardized.path

    var results: String { folder.file("results") }

    func arguments(_ more: [String] = []) -> [String] {
        ["batch", manifest, "--output", results, "--script", Program.script] + more
    }

    func lines(_ name: String = "results.jsonl") throws -> [Substring] {
        try folder.text("results/" + name).split(separator: "\n")
    }
}
