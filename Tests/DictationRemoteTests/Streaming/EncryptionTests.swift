#if Remote
import DictationCore
import Foundation
import TestSupport
import Testing

@testable import DictationRemote

/// Encrypted connections, and connections through a proxy.
@Suite struct EncryptionTests {
    private static let scripts = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "SpeechServers")

    /// A program that encrypts the connections to a server.
    private final class Front: Sendable {
        private let process = Process()
        private let input = Pipe()
        let port: Int

        init(_ server: LoopbackServer, _ folder: TemporaryFolder) throws {
            let output = Pipe()
            process.executableURL = EncryptionTests.scripts.appending(path: "encrypt")
            process.arguments = [folder.file("certificate.pem"), folder.file("key.pem"), "\(server.port)"]
            process.standardInput = input
            process.standardOutput = output
            process.standardError = FileHandle.nullDevice
            try process.run()
            let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
            port = try #require(Int(line.trimmingCharacters(in: .whitespacesAndNewlines)))
        }

        deinit {
            try? input.fileHandleForWriting.close()
            process.waitUntilExit()
        }
    }

    private let buffers = CodedSpeech.buffers(words: 1..<7)
    private let text = CodedSpeech.text(1..<7)

    @Test func aTrustedCertificateIsAccepted() async throws {
        let folder = try TemporaryFolder()
        try makeCertificate(in: folder)
        let speech = try FakeSherpaServer().start()
        let front = try Front(speech, folder)
        var server = RemoteServer("wss://127.0.0.1:\(front.port)")
        server.authorities = folder.file("certificate.pem")
        server.proxy = ""
        let heard = await hear(buffers, with: try RemoteEngine(.sherpa, server, locales: ["en-US"]))
        #expect(heard.text == text && heard.error == nil, "\(heard)")
    }

    @Test func requestsAreEncryptedToo() async throws {
        let folder = try TemporaryFolder()
        try makeCertificate(in: folder)
        let fake = FakeOpenAIServer { .init(body: #"{"text":"\#($0.text)"}"#) }
        let speech = try fake.start()
        let front = try Front(speech, folder)
        var server = RemoteServer("https://127.0.0.1:\(front.port)")
        server.authorities = folder.file("certificate.pem")
        server.proxy = ""
        let heard = await hear(
            buffers, with: try RemoteEngine(.openAI, server, locales: ["en-US"]), RecognitionOptions())
        #expect(heard.text == text && heard.error == nil, "\(heard)")
    }

    @Test(arguments: [nil, "DNS:other.example.org"]) func otherCertificatesAreRefused(_ name: String?) async throws {
        let folder = try TemporaryFolder()
        try makeCertificate(in: folder, for: name ?? "IP:127.0.0.1")
        let speech = try FakeSherpaServer().start()
        let front = try Front(speech, folder)
        var server = RemoteServer("wss://127.0.0.1:\(front.port)")
        // Without a name, the certificate is that of an authority which nobody trusts.
        if name != nil { server.authorities = folder.file("certificate.pem") }
        server.proxy = ""
        let engine = try RemoteEngine(.sherpa, server, locales: ["en-US"])
        let thrown = await error { _ = try await engine.makeSession(.liveDictation()) }
        #expect(thrown?.code == .serverRefused && thrown?.underlying?.code == 60, "\(String(describing: thrown))")
        let wyoming = RemoteServer("tls://127.0.0.1:\(front.port)")
        let other = try RemoteEngine(.wyoming, wyoming, locales: ["en-US"])
        #expect(await error { try await other.prepare(RecognitionOptions()) }?.code == .serverRefused)
    }

    @Test func connectionsGoThroughAProxy() async throws {
        let speech = try FakeSherpaServer().start()
        let asked = Counter()
        let proxy = try LoopbackServer { peer, _ in
            guard let request = peer.read() else { return }
            let line = String(decoding: request, as: UTF8.self).split(separator: "\r\n").first ?? ""
            guard line == "CONNECT speech.example.org:6006 HTTP/1.1" else { return }
            asked.add(1)
            peer.write(Array("HTTP/1.1 200 Connection established\r\n\r\n".utf8))
            peer.relay(toPort: speech.port)
        }
        // Only the proxy knows where that is.
        var server = RemoteServer("ws://speech.example.org:6006")
        server.proxy = "http://127.0.0.1:\(proxy.port)"
        let heard = await hear(buffers, with: try RemoteEngine(.sherpa, server, locales: ["en-US"]))
        #expect(heard.text == text && heard.error == nil && asked.value == 1, "\(heard)")
    }

    @Test(arguments: [
        "", "example.org", "http://example.org", "ws://", "ws://user:swordfish@example.org", "ws://exam ple.org",
        "ws://example.org:99999", "unix:relative", "ws://example.org\r\nX: y",
    ])
    func otherAddressesAreRefused(_ address: String) async {
        let thrown = await error {
            _ = try RemoteEngine(.sherpa, RemoteServer(address), locales: ["en-US"])
        }
        #expect(thrown?.code == .invalidInput)
        #expect(thrown.map { !"\($0)".contains("swordfish") } == true)
    }

    @Test func aTokenMustFitIntoALine() async {
        var server = RemoteServer("ws://127.0.0.1:1")
        server.token = SecretText("a\r\nX-Evil: 1")
        let thrown = await error { _ = try RemoteEngine(.sherpa, server, locales: ["en-US"]) }
        #expect(thrown?.code == .invalidInput)
    }
}
#endif
