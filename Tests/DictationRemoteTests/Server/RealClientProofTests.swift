import DictationCapture
import DictationCore
import DictationEngines
import DictationText
import Foundation
import TestSupport
import Testing

@testable import DictationRemote
@testable import DictationServer

/// Clients from the Python Package Index, which nobody here wrote, with a server of a real engine.
@Suite struct RealClientProofTests {
    private let folder: TemporaryFolder
    private static let package = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..")
        .standardizedFileURL
    private static let packages = package.appending(path: ".build/remote-clients").path
    private static let clients = package.appending(path: "Tests/RemoteClients")

    init() throws { folder = try TemporaryFolder() }

    /// Runs a client, and returns the JSON that it prints.
    ///
    /// - Parameter authority: The file of the certificate that the client trusts; `nil` for the system's.
    private func client(_ name: String, _ arguments: [String], authority: String? = nil) async throws -> JSONValue {
        let packages = Self.packages
        try #require(
            FileManager.default.fileExists(atPath: packages + "/openai"),
            "Source Scripts/environment and run install_remote_peers first.")
        let (status, output) = try await run(
            "python3", [Self.clients.appending(path: name).path] + arguments,
            environment: ["PYTHONPATH": packages, "PYTHONDONTWRITEBYTECODE": "1"]
                .merging(authority.map { ["SSL_CERT_FILE": $0] } ?? [:]) { $1 })
        try #require(status == 0, "\(output)")
        return try #require(JSONValue(json: output.utf8), "\(output)")
    }

    private func recording(_ name: String, rate: Int) async throws -> String {
        let audio =
            ProcessInfo.processInfo.environment["DICTATION_AUDIO"].map { URL(filePath: $0) }
            ?? Self.package.appending(path: "../shared/audio")
        let path = folder.file("\(name)-\(rate).wav")
        let source = audio.appending(path: name + ".flac").path
        let (status, output) = try await run("sox", [source, "-r", "\(rate)", "-c", "1", "-b", "16", path])
        try #require(status == 0, "\(output)")
        return path
    }

    private func engine() throws -> SherpaOnnxEngine {
        let models =
            ProcessInfo.processInfo.environment["DICTATION_MODELS"].map { URL(filePath: $0) }
            ?? Self.package.appending(path: "../shared/models")
        return try SherpaOnnxEngine(
            folder: models.appending(path: "sherpa-onnx-kws-zipformer-gigaspeech-3.3M").path, locales: ["en-US"])
    }

    @Test func openAIsClientGetsEveryFormat() async throws {
        let engine = try engine()
        let path = try await recording("jfk", rate: 16_000)
        let own = try await engine.transcribe(FileCapturer(path: path), options: .timedTranscription()).transcript()
        let running = try ServerProgram(engine) { $0.token = SecretText("swordfish") }
        let answers = try await client("openai_formats.py", [running.address + "/v1", path, "swordfish"])
        for name in ["json", "verbose", "deltas", "done"] { #expect(answers[name] == .text(own.text), "\(name)") }
        #expect(answers["text"] == .text(own.text + "\n"))
        #expect(answers["srt"] == .text(SRTWriter().document(own)))
        #expect(answers["vtt"] == .text(VTTWriter().document(own)))
        #expect(answers["models"] == .list([.text("scripted")]))
        #expect(answers["duration"] == .number(own.duration.inSeconds) && answers["usage"] == answers["duration"])
        #expect(
            answers["words"]
                == .list(
                    own.words.compactMap { word in
                        word.range.map {
                            .list([
                                .number($0.lowerBound.inSeconds), .number($0.upperBound.inSeconds), .text(word.text),
                            ])
                        }
                    }))
        #expect(!own.text.isEmpty && own.words.count > 5)
        guard case .list(let errors)? = answers["errors"] else { return }
        #expect(errors.suffix(2) == [.text("invalid_api_key"), .text("model_not_found")] && errors.count == 4)
        await running.server.stop()
    }

    /// The client encrypts, and trusts the certificate of the server alone.
    @Test func openAIsClientEncrypts() async throws {
        let engine = try engine()
        try makeCertificate(in: folder)
        let certificate = folder.file("certificate.pem")
        let running = try ServerProgram(engine) {
            ($0.certificateFile, $0.keyFile, $0.token) = (certificate, folder.file("key.pem"), SecretText("swordfish"))
        }
        let address = "https://127.0.0.1:\(running.server.httpPort ?? 0)/v1"
        let path = try await recording("jfk", rate: 16_000)
        let own = try await engine.transcribe(FileCapturer(path: path), options: .timedTranscription()).transcript()
        let answers = try await client("openai_formats.py", [address, path, "swordfish"], authority: certificate)
        for name in ["json", "verbose", "deltas", "done"] { #expect(answers[name] == .text(own.text), "\(name)") }

        let faster = try await recording("jfk", rate: 24_000)
        let live = try await engine.transcribe(FileCapturer(path: faster), options: .liveDictation()).transcript()
        let spoken = try await client(
            "openai_realtime.py", [address, faster, "swordfish", "client", "1"], authority: certificate)
        guard case .list(let texts)? = spoken["texts"] else { return }
        #expect(own.locale.join(texts.compactMap(\.text)) == live.text, "\(spoken.json)")

        // Without the certificate there is no conversation, and no token leaves the client.
        let count = running.log.value.count
        let refused = try await run(
            "python3", [Self.clients.appending(path: "openai_formats.py").path, address, path, "swordfish"],
            environment: ["PYTHONPATH": Self.packages, "PYTHONDONTWRITEBYTECODE": "1"])
        #expect(refused.status != 0 && refused.output.contains("CERTIFICATE_VERIFY_FAILED"), "\(refused.output)")
        await running.server.stop()
        #expect(running.log.value.count == count)
    }

    @Test(arguments: ["server", "client"]) func openAIsClientSpeaksInRealtime(turns: String) async throws {
        let engine = try engine()
        let path = try await recording("jfk", rate: 24_000)
        let running = try ServerProgram(engine) { $0.token = SecretText("swordfish") }
        let own = try await engine.transcribe(FileCapturer(path: path), options: .liveDictation()).transcript()
        let wanted = turns == "server" ? own.segments.count : 1
        let answers = try await client(
            "openai_realtime.py", [running.address + "/v1", path, "swordfish", turns, "\(wanted)"])
        guard case .list(let texts)? = answers["texts"] else { return }
        #expect(own.locale.join(texts.compactMap(\.text)) == own.text, "\(answers.json)")
        await running.server.stop()
    }

    @Test func wyomingsClientGetsTheText() async throws {
        let engine = try engine()
        let path = try await recording("jfk", rate: 16_000)
        let own = try await engine.transcribe(FileCapturer(path: path)).text()
        let running = try ServerProgram(engine, wyoming: true)
        let answers = try await client("wyoming_takes.py", ["\(running.server.wyomingPort ?? 0)", path])
        for take in ["first", "second"] {
            #expect(answers[take]?["text"] == .text(own) && answers[take]?["chunks"] == .text(own), "\(answers.json)")
        }
        #expect(answers["models"] == .list([.list([.text("scripted"), .flag(true), .list([.text("en")])])]))
        #expect(answers["pong"] == .text("there?"))
        #expect(answers["wrong"]?.text?.contains("does not know the language") == true)
        await running.server.stop()
    }
}
