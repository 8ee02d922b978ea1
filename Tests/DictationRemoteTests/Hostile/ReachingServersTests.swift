#if Remote
import DictationCore
import Foundation
import Glibc
import TestSupport
import Testing

@testable import DictationRemote
@testable import DictationServer

/// Servers that can't be reached, or not be trusted, and numbers that audio can't have.
@Suite(.timeLimit(.minutes(4))) struct ReachingServersTests {
    private let buffers = CodedSpeech.buffers(words: 1..<5)
    private let text = CodedSpeech.text(1..<5)

    /// A port at which nobody ever answers: the queue of its connections is full.
    private final class BlackHole {
        let port: UInt16
        private var sockets: [Int32] = []

        init() throws {
            let listener: Int32
            (listener, port) = try listenOnLoopback()
            listen(listener, 0)
            sockets = [listener]
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            address.sin_port = port.bigEndian
            for _ in 0..<8 {
                let client = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0)
                _ = withUnsafePointer(to: &address) {
                    $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                        connect(client, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
                    }
                }
                sockets.append(client)
            }
        }

        deinit { for socket in sockets { close(socket) } }
    }

    @Test(arguments: RemoteKind.allCases) func anAddressWithoutAnswerIsPassedOver(_ kind: RemoteKind) async throws {
        let holes = try (0..<3).map { _ in try BlackHole() }
        let server = try kind.startServer()
        let engine = try kind.engine(holes[0].port, holes[1].port, holes[2].port, server.port) {
            $0.connectTimeout = .milliseconds(200)
        }
        try await engine.prepare(kind.options)
        for _ in 0..<4 {
            let heard = await hear(buffers, with: engine, kind.options)
            #expect(heard.text == text && heard.error == nil, "\(heard)")
        }
    }

    @Test(arguments: RemoteKind.allCases) func anAddressThatTakesConnectionsAndSaysNothing(_ kind: RemoteKind)
        async throws
    {
        let silent = try LoopbackServer { peer, _ in peer.waitForTheEnd() }
        let server = try kind.startServer()
        let engine = try kind.engine(silent.port, server.port) {
            $0.connectTimeout = .seconds(1)
            $0.responseTimeout = .seconds(1)
            $0.recognitionTimeout = .seconds(2)
        }
        for _ in 0..<2 {
            let heard = await hear(buffers, with: engine, kind.options)
            #expect(heard.text == text && heard.error == nil, "\(heard)")
        }
    }

    @Test(arguments: RemoteKind.allCases) func nobodyThereIsAnErrorInTime(_ kind: RemoteKind) async throws {
        let hole = try BlackHole()
        let engine = try kind.engine(hole.port) { $0.giveUpSoon() }
        #expect(await error { try await engine.prepare(kind.options) }?.code == .serverUnavailable)
        let heard = await hear(buffers, with: engine, kind.options)
        #expect(heard.error?.code == .serverUnavailable && heard.finals.isEmpty, "\(heard)")
    }

    @Test(arguments: [0, -1, .min, .max, 1]) func ratesThatAudioCanNotHave(_ rate: Int) async throws {
        let server = RemoteServer("ws://127.0.0.1:1")
        #expect(throws: DictationError.self) {
            _ = try RemoteEngine(.sherpa, server) { $0.sampleRate = rate }
        }
        #expect(throws: DictationError.self) {
            _ = try RemoteEngine(.openAI, server, locales: ["en-US"]) {
                ($0.isRealtime, $0.sampleRate) = (true, rate)
            }
        }
    }

    @Test(arguments: ["expired", "wrong name", "unknown"]) func certificatesAreChecked(_ fault: String) async throws {
        let folder = try TemporaryFolder()
        try makeCertificate(in: folder, for: fault == "wrong name" ? "DNS:other.example" : "IP:127.0.0.1")
        if fault == "expired" { try expireCertificate(in: folder) }
        let running = try ServerProgram {
            $0.certificateFile = folder.file("certificate.pem")
            $0.keyFile = folder.file("key.pem")
            $0.token = SecretText("swordfish")
        }
        for isRealtime in [false, true] {
            var server = RemoteServer("https://127.0.0.1:\(running.server.httpPort ?? 0)")
            server.token = SecretText("swordfish")
            server.proxy = ""
            if fault != "unknown" { server.authorities = folder.file("certificate.pem") }
            let engine = try RemoteEngine(.openAI, server, locales: ["en-US"]) { $0.isRealtime = isRealtime }
            let thrown = await error { try await engine.prepare(RecognitionOptions()) }
            #expect(thrown?.code == .serverRefused, "\(thrown as Any)")
            #expect(thrown.map { !"\($0)".contains("swordfish") } == true)
        }
        await running.server.stop(within: .milliseconds(100))
    }

    @Test(arguments: ["/nonexistent.pem", "/dev/null", "/"]) func authoritiesThatCanNotBeRead(_ path: String)
        async throws
    {
        var server = RemoteServer("https://127.0.0.1:1")
        server.authorities = path
        server.reconnectTimeout = .milliseconds(100)
        let thrown = await error {
            let engine = try RemoteEngine(.openAI, server, locales: ["en-US"])
            try await engine.prepare(RecognitionOptions())
        }
        #expect(thrown != nil)
    }

    /// Signs the certificate again, for a day that is over.
    private func expireCertificate(in folder: TemporaryFolder) throws {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/openssl")
        process.arguments = [
            "x509", "-in", folder.file("certificate.pem"), "-signkey", folder.file("key.pem"), "-days", "-1", "-out",
            folder.file("certificate.pem"),
        ]
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0)
    }
}
#endif
