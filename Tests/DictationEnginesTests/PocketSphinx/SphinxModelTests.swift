#if PocketSphinx
    import DictationCore
    import DictationEngines
    import Foundation
    import Testing

    @Suite(.serialized) struct SphinxModelTests {
        private static let installed = "/usr/share/pocketsphinx/model/en-us"
        private static let files = [
            "cmudict-en-us.dict", "en-us.lm.bin", "en-us/feat.params", "en-us/mdef", "en-us/means", "en-us/noisedict",
            "en-us/sendump", "en-us/transition_matrices", "en-us/variances",
        ]

        /// A copy of the model that costs nothing until a file is changed.
        private func copy() throws -> URL {
            let folder = FileManager.default.temporaryDirectory.appending(path: "sphinx-\(UUID().uuidString)/en-us")
            try FileManager.default.createDirectory(
                at: folder.appending(path: "en-us"), withIntermediateDirectories: true)
            for file in Self.files {
                try FileManager.default.createSymbolicLink(
                    at: folder.appending(path: file), withDestinationURL: URL(filePath: Self.installed + "/" + file))
            }
            return folder
        }

        private func replace(_ file: String, in folder: URL, _ data: Data?) throws {
            let url = folder.appending(path: file)
            try FileManager.default.removeItem(at: url)
            if let data { try data.write(to: url) }
        }

        /// What comes of using a model: `nil` when it works.
        private func outcome(_ folder: URL) async -> DictationError? {
            do {
                let model = try PocketSphinxModel(folder: folder.path)
                let engine = PocketSphinxEngine(models: [model], retention: .whileInUse)
                _ = try await engine.text(buffers(Speech.goForward.samples()), Sphinx.options())
                return nil
            } catch { return error as? DictationError ?? DictationError(.engineFailed, "\(error)") }
        }

        @Test func theInstalledModelIsWhole() async throws {
            try Sphinx.model().validate()
            let folder = try copy()
            defer { try? FileManager.default.removeItem(at: folder.deletingLastPathComponent()) }
            #expect(await outcome(folder) == nil)
        }

        @Test(arguments: files) func aMissingFileIsAnError(file: String) async throws {
            let folder = try copy()
            defer { try? FileManager.default.removeItem(at: folder.deletingLastPathComponent()) }
            try replace(file, in: folder, nil)
            let error = await outcome(folder)
            // Without its list of noises a model is still whole.
            if file.hasSuffix("noisedict") {
                #expect(error == nil)
            } else {
                #expect(error?.recovery != nil, "\(file)")
            }
        }

        @Test(arguments: files) func aRandomFileIsAnError(file: String) async throws {
            var random = SystemRandomNumberGenerator()
            let size = try Data(contentsOf: URL(filePath: Self.installed + "/" + file)).count
            let folder = try copy()
            defer { try? FileManager.default.removeItem(at: folder.deletingLastPathComponent()) }
            let noise = (0..<min(size, 300_000)).map { _ in UInt8.random(in: 0...255, using: &random) }
            try replace(file, in: folder, Data(noise))
            let error = await outcome(folder)
            #expect([.modelInvalid, .fileUnreadable].contains(error?.code), "\(file)")
        }

        // MARK: Finding models

        @Test func modelsAreFoundInFoldersWithTheirLocales() throws {
            let root = FileManager.default.temporaryDirectory.appending(path: "models-\(UUID().uuidString)")
            defer { try? FileManager.default.removeItem(at: root) }
            try FileManager.default.createDirectory(
                at: root.appending(path: "nothing"), withIntermediateDirectories: true)
            for name in ["de", "fr_FR", "cmusphinx-en-in-5.2"] {
                let folder = root.appending(path: name)
                try FileManager.default.copyItem(at: try copy(), to: folder)
            }
            let found = PocketSphinxModel.installed(in: [root.path, "/does/not/exist"])
            #expect(found.map(\.locale) == ["en-IN", "de", "fr-FR"])
            #expect(PocketSphinxModel.installed().contains { $0.locale == "en-US" })
        }

        @Test(arguments: ["/does/not/exist", "/etc", "/usr/share/pocketsphinx/model/en-us/en-us/mdef"])
        func whatIsNotAModelIsRefused(folder: String) {
            #expect { try PocketSphinxModel(folder: folder) } throws: { ($0 as? DictationError)?.recovery != nil }
        }
    }
#endif
