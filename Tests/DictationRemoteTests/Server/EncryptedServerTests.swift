#if Remote
import DictationCore
import DictationEngines
import Foundation
import TestSupport
import Testing

@testable import DictationRemote
@testable import DictationServer

/// A server with a certificate.
@Suite struct EncryptedServerTests {
    private let folder: TemporaryFolder
    private let running: ServerProgram

    init() throws {
        let folder = try TemporaryFolder()
        try makeCertificate(in: folder)
        self.folder = folder
        running = try ServerProgram {
            $0.certificateFile = folder.file("certificate.pem")
            $0.keyFile = folder.file("key.pem")
            $0.token = SecretText("swordfish")
        }
    }

    private var port: UInt16 { running.server.httpPort ?? 0 }

    @Test func onlyWhoTrustsItsAuthorityTalksToIt() async throws {
        let address = "https://127.0.0.1:\(port)/v1/models"
        let token = ["--header", "Authorization: Bearer swordfish"]
        let curl = ["-q", "--silent", "--max-time", "60", address] + token
        let trusted = try await run("curl", curl + ["--cacert", folder.file("certificate.pem")])
        #expect(trusted.status == 0 && trusted.output.contains(#""id":"scripted""#), "\(trusted)")
        // 60 is the error for an unknown authority, and 52 that of a server that answers nothing.
        #expect(try await run("curl", curl).status == 60)
        #expect(try await run("curl", ["-q", "--silent", "http://127.0.0.1:\(port)/health"]).status != 0)
        await running.server.stop()
    }

    @Test(arguments: [false, true])
    func anEngineTalksToIt(_ isRealtime: Bool) async throws {
        var server = RemoteServer("https://127.0.0.1:\(port)/v1")
        (server.authorities, server.token, server.proxy) = (folder.file("certificate.pem"), SecretText("swordfish"), "")
        let engine = try RemoteEngine(.openAI, server, locales: ["en-US"]) {
            ($0.isRealtime, $0.model, $0.sampleRate) = (isRealtime, "scripted", 16_000)
        }
        let options: RecognitionOptions = isRealtime ? .liveDictation() : RecognitionOptions()
        let heard = await hear(CodedSpeech.buffers(words: 0..<5), with: engine, options)
        #expect(heard.text == "one two three four" && heard.error == nil, "\(heard)")
        await running.server.stop()
    }

    @Test func aCertificateThatCannotBeUsedIsAnErrorAtOnce() throws {
        let folder = folder
        _ = try folder.write(Array("no key".utf8), to: "broken.pem")
        #expect(throws: DictationError.self) {
            _ = try ServerProgram {
                $0.certificateFile = folder.file("certificate.pem")
                $0.keyFile = folder.file("broken.pem")
            }
        }
    }
}
#endif
