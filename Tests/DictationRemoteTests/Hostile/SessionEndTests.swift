#if Remote
import DictationCore
import TestSupport
import Testing

@testable import DictationRemote

/// Sessions that end at odd moments, and results that nobody reads.
@Suite(.timeLimit(.minutes(4))) struct SessionEndTests {
    private let buffers = CodedSpeech.buffers(words: 0..<8)
    private let text = CodedSpeech.text(0..<8)

    /// Cancels a session after each number of updates, also before the first one.
    @Test(arguments: RemoteKind.allCases, 0..<6)
    func aSessionCanBeCancelledAtAnyMoment(_ kind: RemoteKind, after count: Int) async throws {
        let server = try kind.startServer()
        let session = try await kind.engine(server.port).makeSession(kind.options)
        try session.start(AudioInput(buffers))
        var (seen, finals) = (0, 0)
        if count == 0 { await session.cancel() }
        for try await update in session.results {
            seen += 1
            if update.finalResult != nil { finals += 1 }
            if seen == count { await session.cancel() }
        }
        #expect(finals <= 8)
        #expect(await eventually { server.endedConnections == server.connections })
    }

    /// Cancels while the server has said nothing yet, or nothing after a while.
    @Test(arguments: RemoteKind.allCases, [0, 1, 200])
    func aSilentServerDoesNotHoldACancelledSession(_ kind: RemoteKind, after count: Int) async throws {
        let server = try LoopbackServer { peer, _ in
            var received = 0
            while received < count, let bytes = peer.read(atMost: count - received) { received += bytes.count }
            peer.waitForTheEnd()
        }
        let engine = try kind.engine(server.port) {
            $0.connectTimeout = .seconds(3_600)
            $0.responseTimeout = .seconds(3_600)
            $0.recognitionTimeout = .seconds(3_600)
            $0.reconnectTimeout = .seconds(3_600)
        }
        let work = Task { [buffers] in await hear(buffers, with: engine, kind.options) }
        #expect(await eventually { server.connections > 0 })
        work.cancel()
        #expect(await work.value.finals.isEmpty)
        #expect(await eventually { server.endedConnections == server.connections })
    }

    @Test(arguments: RemoteKind.allCases) func aReleasedSessionLeavesItsServer(_ kind: RemoteKind) async throws {
        let server = try kind.startServer()
        for isStarted in [false, true] {
            let session = try await kind.engine(server.port).makeSession(kind.options)
            if isStarted {
                try session.start(AudioInput(buffers))
                _ = try await session.finalize(through: .seconds(1))
            }
        }
        #expect(await eventually { server.endedConnections == server.connections })
    }

    @Test(arguments: RemoteKind.allCases) func resultsWaitForALateReader(_ kind: RemoteKind) async throws {
        let server = try kind.startServer()
        let session = try await kind.engine(server.port).makeSession(kind.options)
        try session.start(AudioInput(buffers))
        #expect(try await session.finish() == .complete)
        var finals: [String] = []
        for try await update in session.results { if let result = update.finalResult { finals.append(result.text) } }
        #expect(finals.joined(separator: " ") == text)
    }
}
#endif
