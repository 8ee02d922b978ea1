import DictationCore
import DictationEngines
import Foundation
import TestSupport
import Testing

@testable import DictationRemote
@testable import DictationServer

/// What clients get that want more than their share, with curl as the client.
@Suite struct ServerLimitTests {
    private let folder: TemporaryFolder
    private let tone: String
    /// An engine whose sessions do not end until it is released.
    private let engine = ScriptedEngine([.final("words", at: .seconds(1)), .stall(at: .milliseconds(1_500))])

    init() throws {
        folder = try TemporaryFolder()
        tone = try writeTone(.seconds(2), in: folder.path)
    }

    /// Has a recording transcribed, and returns the status and the header that says when to try again.
    private func answer(_ running: ServerProgram, from client: String = "a") async throws -> String {
        try await run(
            "curl",
            [
                "-q", "--silent", "--max-time", "60", "--form", "file=@\(tone)", "--form", "model=scripted", "--header",
                "X-Forwarded-For: \(client)", "--output", folder.file("answer-\(UUID())"), "--write-out",
                "%{http_code} %header{retry-after}", running.address + "/v1/audio/transcriptions",
            ]
        ).output
    }

    private func wait(_ running: ServerProgram, running count: Int, waiting: Int) async {
        #expect(await eventually { running.server.recordingCounts == (count, waiting) })
    }

    @Test(arguments: [(1, 10, "429 1"), (10, 0, "503 1")])
    func whoComesTooOftenIsToldWhenToTryAgain(perClient: Int, waiting: Int, refusal: String) async throws {
        let running = try ServerProgram(engine) {
            ($0.limits.recordings, $0.limits.waitingRecordings, $0.limits.perClient) = (1, waiting, perClient)
        }
        async let first = answer(running)
        await wait(running, running: 1, waiting: 0)
        #expect(try await answer(running) == refusal)
        #expect(await eventually { engine.sessions.count == 1 })
        engine.releaseStalls()
        #expect(try await first == "200 ")
        #expect(try await answer(running) == "200 ")
        await running.server.stop()
    }

    @Test func clientsTakeTurns() async throws {
        let running = try ServerProgram(engine) {
            ($0.limits.recordings, $0.isBehindProxy) = (1, true)
        }
        try await withThrowingTaskGroup(of: String.self) { group in
            // One client has three recordings there before another one comes.
            for (number, client) in ["a", "a", "a", "b"].enumerated() {
                group.addTask { try await answer(running, from: client) }
                await wait(running, running: 1, waiting: number)
            }
            #expect(await eventually { engine.sessions.count == 1 })
            engine.releaseStalls()
            for try await answer in group { #expect(answer == "200 ") }
        }
        #expect(running.log.value.map(\.client) == ["a", "a", "b", "a"])
        await running.server.stop()
    }
}
