import DictationCore
import DictationTesting
import Foundation
import Testing

@testable import DictationEngines

/// The languages of models with many, told by generated models whose text depends on the language.
@Suite struct ModelLanguageTests {
    private func text(_ engine: SherpaOnnxOfflineEngine, _ locale: SpeechLocale) async throws -> String {
        try await engine.text(GeneratedModel.speech().buffers(), .fileTranscription(locale))
    }

    @Test(arguments: ["whisper", "sense-voice"]) func theLocaleReachesTheModel(_ name: String) async throws {
        let engine = try GeneratedModel.offline(name)
        let english = try await text(engine, "en-US")
        #expect(!english.isEmpty)
        #expect(try await text(engine, "en-GB") == english)
        #expect(try await text(engine, "zh-CN") != english)
    }

    @Test(arguments: ["whisper", "sense-voice"]) func aModelFindsOutTheLanguage(_ name: String) async throws {
        let engine = try GeneratedModel.offline(name, detectsLanguage: true)
        let detected = try await text(engine, "en-US")
        #expect(!detected.isEmpty)
        #expect(try await text(engine, "zh-CN") == detected)
    }

    /// The finder's engine, in this process or described for another.
    @Test(arguments: [nil, HelperEngine.Configuration()])
    func aFinderCanAskForDetection(_ helper: HelperEngine.Configuration?) async throws {
        var finder = EngineFinder(
            options: .fileTranscription("de-DE"), candidates: BuiltInEngines.detectingLanguage())
        finder.helper = helper
        finder.modelFolder = try SherpaFixtures.generatedFolder("whisper")
        let engine = try #require(try await finder.engine() as? FoundEngine).engine
        if let helper = engine as? HelperEngine {
            guard case .sherpaOnnxOffline(_, let configuration) = helper.engine.kind else {
                Issue.record("\(helper.engine)")
                return
            }
            #expect(configuration.detectsLanguage)
        } else {
            #expect(try #require(engine as? SherpaOnnxOfflineEngine).configuration.detectsLanguage)
        }
        finder.modelFolder = try SherpaFixtures.generatedFolder("moonshine")
        await #expect { _ = try await finder.engine() } throws: {
            ($0 as? DictationError)?.code == .unsupportedOption
        }
    }

    @Test(arguments: ["whisper-en", "nemo-transducer", "nemo-ctc", "moonshine", "moonshine-in-four-parts"])
    func detectionIsRefusedForOtherModels(_ name: String) throws {
        let error = try #require(throws: DictationError.self) {
            _ = try GeneratedModel.offline(name, detectsLanguage: true)
        }
        #expect(error.code == .unsupportedOption)
    }

    /// The library would end the process.
    @Test(arguments: ["whisper", "sense-voice"])
    func aLanguageThatTheModelDoesNotHaveIsRefused(_ name: String) async throws {
        let model = try SherpaOnnxOfflineEngine.Model(folder: SherpaFixtures.generatedFolder(name))
        let engine = try SherpaOnnxOfflineEngine(model: model, locales: ["fi-FI", "en-US"])
        await #expect { _ = try await engine.makeSession(.fileTranscription("fi-FI")) } throws: {
            ($0 as? DictationError)?.code == .unsupportedLocale
        }
    }

    @Test func theFilesTellTheLocales() throws {
        func locales(_ name: String) throws -> Set<SpeechLocale> {
            Set(try SherpaOnnxOfflineEngine.Model(folder: SherpaFixtures.generatedFolder(name)).locales)
        }
        #expect(try locales("whisper").isSuperset(of: ["en-US", "de-DE", "de", "nb-NO", "yue-HK"]))
        #expect(try !locales("whisper").contains("fi-FI"))
        #expect(Set(try locales("whisper-en").map(\.language)) == ["en"])
        #expect(Set(try locales("sense-voice").map(\.language)) == ["zh", "en", "ja", "ko", "yue"])
        // The generated transducer has the address of Parakeet v3 in its metadata.
        #expect(Set(try locales("nemo-transducer").map(\.language)).count == 25)
        #expect(try locales("nemo-transducer").isSuperset(of: ["de-DE", "en-US", "uk-UA"]))
        #expect(try locales("nemo-ctc").isEmpty)
    }

    @Test func aManifestGoesBeforeTheFiles() throws {
        let copy = try ModelCopy(of: SherpaFixtures.generatedFolder("whisper"))
        defer { copy.delete() }
        try copy.write(Data(#"{"name": "Tiny", "locales": ["de-DE"]}"#.utf8), SherpaOnnxInventory.Manifest.fileName)
        #expect(try SherpaOnnxOfflineEngine.Model(folder: copy.folder.path).locales == ["de-DE"])
    }

    @Test func norwegianHasTwoNames() throws {
        let languages = try SherpaOnnxOfflineEngine.Model(folder: SherpaFixtures.generatedFolder("whisper")).languages
        #expect(languages.code(for: "nb-NO") == "no")
        #expect(languages.code(for: "no") == "no")
        #expect(languages.code(for: "fi-FI") == nil)
    }

    @Test func chineseCharactersAreWordsWithoutSpaces() {
        let tokens = [("你", 0.0), ("好", 0.2), (" hel", 0.4), ("lo", 0.5), ("世", 0.7), ("。", 0.8)].map {
            Token(text: $0.0, time: $0.1)
        }
        let words = tokens.folded()
        #expect(words.map(\.text) == ["你", "好", "hello", "世。"])
        #expect(words.text == "你好 hello世。")
        #expect(words.map(\.start) == [0, 0.2, 0.4, 0.7])
    }
}
