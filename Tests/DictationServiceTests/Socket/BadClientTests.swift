import DictationCore
import DictationEngines
import Foundation
import TestSupport
import Testing

@testable import DictationService

/// A real socket, with clients that don't behave. None of them disturbs the take that is recorded meanwhile.
@Suite struct BadClientTests {
    /// Opens a listener and starts a take; afterwards checks that the take has lost nothing.
    private func whileRecording(
        _ limits: ServiceListener.Limits = ServiceListener.Limits(), _ body: (OpenListener) async throws -> Void
    ) async throws {
        let open = try OpenListener(limits: limits)
        let take = try await open.service.start()
        try await body(open)
        let status = try await open.service.status()
        #expect(status.state == .recording && status.take == take)
        #expect(await open.hasWords())
        let text = try #require(try await open.service.stop())
        #expect(text.isComplete && text.transcript.gaps == [])
        await open.listener.close()
        #expect(!isThere(open.path))
    }

    @Test func anotherUserIsSentAway() async throws {
        let open = try OpenListener(user: 4_000_000_000)
        let raw = try RawClient(open.path, greets: false)
        #expect(try await raw.kind() == "permissionDenied")
        #expect(try await raw.line() == nil)
        #expect(await error { _ = try await open.client().start() }?.code == .permissionDenied)
        #expect(try await open.service.status().state == .idle)
    }

    @Test func aLineOf100MegabytesIsCutShort() async throws {
        try await whileRecording { open in
            let raw = try RawClient(open.path)
            let sent = try await raw.send(bytes: [UInt8](repeating: UInt8(ascii: "x"), count: 100 << 20))
            #expect(sent < 10 << 20, "\(sent) bytes were read.")
            #expect(try await raw.kind() == "dictation")
            #expect(try await raw.kind() == "invalidInput")
            #expect(try await raw.line() == nil)
        }
    }

    @Test func invalidJSONIsAnErrorAndTheConnectionGoesOn() async throws {
        try await whileRecording { open in
            let raw = try RawClient(open.path)
            try await raw.send("{\"id\":1,\n\u{0}\n{\"id\":2,\"intent\":\"status\"}")
            let kinds = [
                try await raw.kind(), try await raw.kind(), try await raw.kind(), try await raw.kind(),
            ]
            #expect(kinds == ["dictation", "invalidInput", "invalidInput", "status"])
        }
    }

    @Test func aFutureVersionIsToldOfThePresentOne() async throws {
        try await whileRecording { open in
            let raw = try RawClient(open.path, greets: false)
            try await raw.send(#"{"hello":"dictation","version":2,"more":true}"#)
            #expect(try await raw.kind() == "dictation")
            let answer = try #require(try await raw.line())
            #expect(answer.contains("unsupportedOption") && answer.contains("version 1"))
            #expect(try await raw.line() == nil)
        }
    }

    @Test func ofAThousandSilentClientsTheNewestStay() async throws {
        try await whileRecording(ServiceListener.Limits(clients: 8)) { open in
            var clients: [RawClient] = []
            for _ in 0..<1_000 {
                let client = try RawClient(open.path, greets: false)
                #expect(try await client.kind() == "dictation")
                clients.append(client)
            }
            #expect(try await open.client().status().state == .recording)
            for client in clients.dropLast(8) { #expect(try await client.kind() == "alreadyRunning") }
        }
    }

    @Test func aClientThatNeverReadsGetsTheNewestStatusWhenItDoes() async throws {
        try await whileRecording { open in
            let raw = try RawClient(open.path)
            try await raw.send(#"{"id":1,"intent":"follow"}"#)
            // Much more than the kernel holds.
            #expect(await open.waits { $0.elapsed > .seconds(4) })
            let shown = try await open.service.status().elapsed
            #expect(try await raw.kind() == "dictation")
            var (elapsed, count) = (Duration.zero, 0)
            while elapsed < shown, let line = try await raw.line() {
                let reply = try WireLine.value(WireReply.self, in: Array(line.utf8))
                guard case .answer(.status(let status)) = reply.content else { continue }
                #expect(status.elapsed >= elapsed)
                (elapsed, count) = (status.elapsed, count + 1)
            }
            #expect(elapsed >= shown && count < 150, "\(count) statuses in \(shown)")
        }
    }

    @Test func aClientThatNeverReadsItsAnswersIsDisconnected() async throws {
        try await whileRecording(ServiceListener.Limits(unreadBytes: 60_000)) { open in
            let raw = try RawClient(open.path)
            let requests = Array(repeating: #"{"id":1,"intent":"status"}"#, count: 2_000).joined(separator: "\n") + "\n"
            // Beyond the limit, the listener reads no more, and then gives up.
            var sent = 0
            for _ in 0..<400 {
                let count = try await raw.send(bytes: Array(requests.utf8))
                sent += count
                if count < requests.utf8.count { break }
            }
            #expect(sent < 400 * requests.utf8.count)
        }
    }

    /// A client that dies loses nothing but its own answers.
    @Test(arguments: ["start", "stop", "toggle", "cancel", "pause", "hold", "last", "status", "follow", "release", ""])
    func aClientMayDieAtAnyMoment(intent: String) async throws {
        let open = try OpenListener(script: [.final("said", at: .milliseconds(40)), .slowFinish(.milliseconds(100))])
        for prefix in [Int.max, 12, 0] {
            for starts in [false, true] {
                if starts {
                    try await open.service.start()
                    #expect(await open.waits { $0.finalText == "said" })
                }
                do {
                    let raw = try RawClient(open.path)
                    try await raw.send(bytes: Array("{\"id\":1,\"intent\":\"\(intent)\"}\n".utf8.prefix(prefix)))
                }
                // The listener reads in the order of its clients, so the dead one is gone before this answer.
                _ = try await open.client().status()
                let service = open.service
                try await service.cancel()
                try await service.start()
                #expect(await open.waits { $0.finalText == "said" })
                _ = try await service.stop()
                #expect(try await service.last()?.text == "said")
            }
        }
        await open.listener.close()
    }

    @Test func aListenerThatClosesEndsItsClients() async throws {
        let open = try OpenListener()
        let hold = try await open.client().hold()
        let raw = try RawClient(open.path)
        #expect(try await raw.kind() == "dictation")
        await open.listener.close()
        #expect(try await raw.line() == nil)
        #expect(await open.waits { $0.state == .idle })
        #expect(await error { _ = try await hold.release() }?.code == .notRunning)
    }
}
