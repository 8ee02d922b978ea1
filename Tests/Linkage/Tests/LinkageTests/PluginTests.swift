import Foundation
import Testing

/// A shared object with the library in it, in a program that knows nothing of Swift.
@Suite struct PluginTests {
    /// The plugin is built without sherpa-onnx. The same file says that the library is missing, and uses it once it is
    /// installed. The model is checked in `dictation-helper`, since the host's program has none of the library's code in
    /// it.
    @Test func aPluginUsesALibraryThatIsInstalledAfterTheBuild() throws {
        let folder = Paths.linkage + "/Plugin"
        let build = try Command("swift", ["build", "--package-path", folder] + Poison.flags()).run()
        try #require(build.status == 0, "\(build.output)")
        let models = try #require(
            ProcessInfo.processInfo.environment["DICTATION_MODELS"], "Set DICTATION_MODELS to a folder with models.")
        let installed = try #require(
            ProcessInfo.processInfo.environment["DICTATION_SHERPA_ONNX"], "Set DICTATION_SHERPA_ONNX to its folder.")
        let temporary = FileManager.default.temporaryDirectory.appending(path: "plugin-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: temporary) }
        try FileManager.default.createDirectory(at: temporary, withIntermediateDirectories: true)
        // Nothing is known there of models that worked before.
        let cache = temporary.appending(path: "cache")
        let library = temporary.appending(path: "sherpa-onnx")
        let program = """
            import ctypes, sys
            ctypes.CDLL(sys.argv[1]).prepareModel(sys.argv[2].encode())
            """
        let host = Command(
            "python3",
            [
                "-c", program, folder + "/.build/debug/libplugin.so",
                models + "/sherpa-onnx-kws-zipformer-gigaspeech-3.3M",
            ],
            environment: [
                "XDG_CACHE_HOME": cache.path, "DICTATION_HELPER": folder + "/.build/debug/dictation-helper",
                "DICTATION_SHERPA_ONNX": library.path,
            ])
        let before = try host.run()
        #expect(before.status == 0 && before.output.contains("EngineFinder.setup() installs the library."))
        try FileManager.default.copyItem(at: URL(filePath: installed), to: library)
        let run = try host.run()
        #expect(run.output == "prepared\n")
        #expect(run.status == 0)
        // The library, and the model.
        let remembered = cache.appending(path: "swift-dictation/sherpa-onnx").path
        #expect(try FileManager.default.contentsOfDirectory(atPath: remembered).count == 2)
    }
}
