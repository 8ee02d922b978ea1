#if Remote
import DictationCore
import DictationEngines
import TestSupport
import Testing

@testable import DictationRemote

/// The engine with `wyoming-faster-whisper`, which Home Assistant's users run.
@Suite(.serialized) struct RealWyomingServerProofTests {
    private static func start() throws -> RealServer {
        let model = try Fixtures.model().split(separator: "/")
        let folder = "/" + model.dropLast().joined(separator: "/")
        return try RealServer(
            [
                "python3", "-m", "wyoming_faster_whisper", "--uri", "tcp://127.0.0.1:10300", "--stt-library", "sherpa",
                "--sherpa-streaming", "--beam-size", "1", "--model", String(model.last ?? ""), "--download-dir", folder,
                "--data-dir", folder, "--language", "en",
            ], port: 10_300)
    }

    private func engine(_ server: RealServer) throws -> RemoteEngine {
        try RemoteEngine(.wyoming, RemoteServer("unix:\(server.socket)"), locales: ["en-US"])
    }

    private func inProcess() throws -> SherpaOnnxEngine {
        var configuration = SherpaOnnxEngine.Configuration()
        configuration.normalizesLevel = false
        // The server takes the files in int8.
        let model = try SherpaOnnxEngine.Model(folder: Fixtures.model(), precision: .int8)
        return try SherpaOnnxEngine(model: model, locales: ["en-US"], configuration: configuration)
    }

    private static func words(_ text: String) -> [String] {
        text.lowercased().split(whereSeparator: \.isWhitespace).map(String.init)
    }

    /// The server's library differs from ours, so on some processors a few words differ.
    @Test func theTextIsThatOfTheSameModelInProcess() async throws {
        let server = try Self.start()
        var (count, differences) = (0, 0)
        for name in ["jfk", "lj-LJ001-0001", "mfa-ipa_us_2"] {
            let buffers = try Fixtures.buffers(name)
            let here = Self.words(await hear(buffers, with: try inProcess(), RecognitionOptions()).text)
            let there = await hear(buffers, with: try engine(server), RecognitionOptions())
            #expect(there.error == nil && !there.text.isEmpty)
            count += here.count
            differences += Self.words(there.text).difference(from: here).count
        }
        #expect(differences * 6 <= count, "\(differences) differences in \(count) words")
    }

    @Test func itTellsItsModels() async throws {
        let server = try Self.start()
        let models = try await engine(server).models()
        #expect(models.contains { $0.languages.contains("en") }, "\(models)")
    }

    @Test func itConforms() async throws {
        let server = try Self.start()
        try await RealPeerPromises.expectConformance(of: try engine(server), options: RecognitionOptions())
    }

    @Test func manyRequestsAtOnceKeepTheOrder() async throws {
        let server = try Self.start()
        try await RealPeerPromises.expectOrder(of: try engine(server))
    }

    @Test func twoPassesWorkWithTheServerAsTheThoroughEngine() async throws {
        let server = try Self.start()
        let engine = TwoPassEngine(quick: try inProcess(), thorough: try engine(server))
        let heard = await hear(try Fixtures.buffers("jfk"), with: engine)
        #expect(heard.error == nil && heard.volatileCount > 0)
        #expect(
            Self.words(heard.text).joined(separator: " ").contains("ask not what your country can do for you"),
            "\(heard.text)")
    }
}
#endif
