#if PocketSphinx
import DictationCore
import DictationTesting
import Foundation

@testable import DictationEngines

/// A copy of the installed model that costs nothing until a file is changed.
final class SphinxModelCopy {
    static let installed = "/usr/share/pocketsphinx/model/en-us"
    static let files = [
        "cmudict-en-us.dict", "en-us.lm.bin", "en-us/feat.params", "en-us/mdef", "en-us/means", "en-us/noisedict",
        "en-us/sendump", "en-us/transition_matrices", "en-us/variances",
    ]
    let folder = FileManager.default.temporaryDirectory.appending(path: "sphinx-\(UUID().uuidString)/en-us")

    init() throws {
        try FileManager.default.createDirectory(
            at: folder.appending(path: "en-us"), withIntermediateDirectories: true)
        for file in Self.files {
            try FileManager.default.createSymbolicLink(
                at: folder.appending(path: file), withDestinationURL: URL(filePath: Self.installed + "/" + file))
        }
    }

    deinit { try? FileManager.default.removeItem(at: folder.deletingLastPathComponent()) }

    func replace(_ file: String, _ data: Data?) throws {
        let url = folder.appending(path: file)
        try FileManager.default.removeItem(at: url)
        if let data { try data.write(to: url) }
    }

    /// Returns a file of the acoustic model without its checksum, and with a header that says so.
    static func withoutChecksum(_ name: String) throws -> Data {
        var data = try Data(contentsOf: URL(filePath: installed + "/en-us/" + name)).dropLast(4)
        if let yes = data.range(of: Data("chksum0 yes".utf8)) {
            data.replaceSubrange(yes, with: Data("chksum0 no".utf8))
        }
        return Data(data)
    }

    /// What comes of using the model: `nil` when it works.
    func outcome() async -> DictationError? {
        do {
            let model = try PocketSphinxModel(folder: folder.path)
            let engine = PocketSphinxEngine(models: [model], retention: .whileInUse)
            _ = try await engine.text(buffers(Speech.goForward.samples()), Sphinx.options())
            return nil
        } catch { return error as? DictationError ?? DictationError(.engineFailed, "\(error)") }
    }
}
#endif
