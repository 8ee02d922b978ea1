import DictationCore
import DictationEngines
import Foundation
import Glibc
import TestSupport
import Testing

@testable import DictationService

/// A real socket, with clients that behave.
@Suite struct ListenerTests {
    @Test func aClientDoesWhatTheServiceDoes() async throws {
        let open = try OpenListener()
        let client = try open.client()
        #expect(try await client.perform(.stop) == .nothing)
        #expect(try await client.status().state == .idle)
        let take = try await client.start()
        #expect(try await open.service.status().take == take)
        #expect(await open.hasWords())
        try await client.pause()
        #expect(await open.waits { $0.state == .paused })
        try await client.resume()
        let text = try #require(try await client.stop())
        #expect(text.text.hasPrefix("one two") && text.isComplete && text.take == take)
        #expect(try await client.last() == text)
        #expect(try await open.service.last() == text)
        #expect(try await client.toggle() == nil)
        try await client.cancel()
        #expect(try await client.last() == text)
        await open.listener.close()
    }

    @Test func errorsComeThroughTheSocket() async throws {
        let open = try OpenListener()
        let client = try open.client()
        let found = await error { _ = try await client.start(profile: "letters") }
        #expect(found?.code == .invalidInput && found?.message.contains("letters") == true)
        try await client.start()
        #expect(await error { _ = try await client.hold() }?.code == .alreadyRunning)
        await open.listener.close()
        #expect(await error { _ = try await client.status() }?.code == .notRunning)
    }

    @Test func aHoldThroughTheSocketReturnsItsText() async throws {
        let open = try OpenListener()
        let hold = try await open.client().hold()
        #expect(await open.hasWords())
        #expect(try await hold.release().text?.text.hasPrefix("one two") == true)
        #expect(try await hold.release() == .nothing)
    }

    @Test func aHoldEndsWithItsHolder() async throws {
        let open = try OpenListener()
        var hold: DictationHold? = try await open.client().hold()
        #expect(await open.hasWords() && hold != nil)
        hold = nil
        #expect(await open.waits { $0.state == .idle })
        #expect(await eventually { open.service.texts.hasLast })
        #expect(try await open.service.perform(.stop) == .nothing)
        #expect(try await open.service.last()?.text.hasPrefix("one two") == true)
    }

    @Test func aCancelledStopLeavesTheTextWithTheService() async throws {
        let open = try OpenListener(script: [.final("said", at: .milliseconds(40)), .slowFinish(.milliseconds(700))])
        let client = try open.client()
        try await client.start()
        #expect(await open.waits { $0.finalText == "said" })
        let stopping = Task { await Result.of { () async throws(DictationError) in try await client.stop() } }
        #expect(await open.waits { $0.state == .finalizing })
        stopping.cancel()
        guard case .failure(let found) = await stopping.value else {
            Issue.record("The cancelled call returned a text.")
            return
        }
        #expect(found.code == .cancelled)
        #expect(await eventually { open.service.texts.hasLast })
        #expect(try await client.perform(.stop) == .nothing)
        #expect(try await client.last()?.text == "said")
    }

    @Test func theStatusIsFollowed() async throws {
        let open = try OpenListener()
        let client = try open.client()
        let updates = try await client.statusUpdates()
        var reader = updates.makeAsyncIterator()
        #expect(try await reader.next()?.state == .idle)
        try await client.start()
        var states: Set<ServiceStatus.State> = []
        while let status = try await reader.next() {
            states.insert(status.state)
            if status.finalText.hasPrefix("one two one") { break }
        }
        #expect(states.contains(.recording))
        try await client.stop()
        while let status = try await reader.next(), status.state != .idle {}
        await open.listener.close()
        #expect(await error { _ = try await reader.next() }?.code == .notRunning)
    }

    @Test func intentsOnOneConnectionTakeEffectInOrder() async throws {
        let open = try OpenListener()
        let raw = try RawClient(open.path)
        let lines = ["start", "pause", "resume", "cancel", "cancel", "start", "stop", "stop"].enumerated().map {
            #"{"id":\#($0.offset),"intent":"\#($0.element)"}"#
        }
        try await raw.send(lines.joined(separator: "\n"))
        #expect(try await raw.kind() == "dictation")
        var answers: [Int: String] = [:]
        for _ in lines {
            let answer = try #require(try await raw.answer())
            let id = try #require(answer["id"] as? Int)
            answers[id] = answer["answer"] as? String
        }
        let kinds = lines.indices.map { answers[$0] ?? "" }
        // The first start and the resume were overtaken by the cancel, or not.
        #expect(kinds[1] == "paused" && Array(kinds[3...4]) == ["cancelled", "nothing"], "\(kinds)")
        #expect(kinds[6] == "text" && ["endedByAnother", "nothing"].contains(kinds[7]), "\(kinds)")
    }

    @Test func aClientThatStopsSendingGetsItsAnswers() async throws {
        let open = try OpenListener()
        let raw = try RawClient(open.path)
        try await raw.send(#"{"id":1,"intent":"hold"}"#)
        #expect(try await raw.kind() == "dictation")
        #expect(try await raw.kind() == "holding")
        #expect(await open.hasWords())
        raw.endSending()
        let answer = try #require(try await raw.answer())
        #expect(answer["id"] as? Int == 1 && (answer["text"] as? String)?.hasPrefix("one two") == true)
        #expect(try await raw.line() == nil)
    }

    @Test func theLastLineNeedsNoEnd() async throws {
        let open = try OpenListener()
        let raw = try RawClient(open.path)
        try await raw.send(bytes: Array(#"{"id":1,"intent":"status"}"#.utf8))
        raw.endSending()
        #expect(try await raw.kind() == "dictation")
        #expect(try await raw.kind() == "status")
        #expect(try await raw.line() == nil)
    }

    @Test func onlyTheUserCanReachTheSocket() async throws {
        let open = try OpenListener()
        func mode(_ path: String) throws -> Int? {
            try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        }
        #expect(try mode(open.path) == 0o600)
        #expect(try mode(open.folder.file("run")) == 0o700)
        #expect(try mode(open.folder.file("run/lock")) == 0o600)
    }

    @Test func aSecondServiceIsToldOfTheFirst() async throws {
        let open = try OpenListener()
        let second = countingService()
        let found = await error { _ = try ServiceListener.open(second, at: open.path) }
        #expect(found?.code == .alreadyRunning)
        #expect(try await open.client().status().state == .idle)
        await open.listener.close()
        let listener = try ServiceListener.open(second, at: open.path)
        #expect(try await open.client().status().state == .idle)
        await listener.close()
        #expect(!isThere(open.path))
    }

    /// A program that this process starts has copies of all descriptors for a moment.
    @Test func copiesOfDescriptorsDoNotKeepAListenerOpen() async throws {
        let open = try OpenListener()
        let numbers = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap { Int32($0) }
        let lock = open.folder.file("run/lock")
        let copies = numbers.filter { number in
            let file = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(number)")
            return file == lock || boundPath(of: number) == open.path
        }.map { fcntl($0, F_DUPFD_CLOEXEC, 0) }
        #expect(copies.count == 2)
        defer { for copy in copies { Glibc.close(copy) } }
        await open.listener.close()
        let listener = try ServiceListener.open(countingService(), at: open.path)
        #expect(try await open.client().status().state == .idle)
        await listener.close()
    }

    @Test func aSocketThatAKilledServiceLeftIsReplaced() async throws {
        let folder = try TemporaryFolder()
        let path = folder.file("run/socket")
        _ = try SocketPlace(path).listen()
        #expect(isThere(path))
        #expect(await error { _ = try await DictationClient(path: path).status() }?.code == .notRunning)
        let listener = try ServiceListener.open(countingService(), at: path)
        #expect(try await DictationClient(path: path).status().state == .idle)
        await listener.close()
    }

    /// Nobody could end a take any more.
    @Test(arguments: ["run/socket", "run"]) func aListenerWithoutItsSocketCloses(removing name: String) async throws {
        let open = try OpenListener()
        try await open.client().start()
        // What happens to other files in the folder changes nothing.
        try Data().write(to: URL(filePath: open.folder.file("run/log")))
        try FileManager.default.removeItem(atPath: open.folder.file("run/log"))
        #expect(try await open.client().status().state == .recording)
        try FileManager.default.removeItem(atPath: open.folder.file(name))
        await open.listener.closed()
    }

    @Test(arguments: [
        "", "socket", "run/socket", "/", "/socket", "/tmp/", "/tmp/" + String(repeating: "x", count: 103),
    ])
    func aPathThatCannotBeASocketsIsRefused(path: String) async throws {
        #expect(await error { _ = try DictationClient(path: path) }?.code == .invalidInput)
        #expect(await error { _ = try ServiceListener.open(countingService(), at: path) }?.code == .invalidInput)
    }
}

/// The path of a listening socket.
private func boundPath(of number: Int32) -> String? {
    var address = sockaddr_un()
    var size = socklen_t(MemoryLayout<sockaddr_un>.size)
    var isListening: Int32 = 0
    var length = socklen_t(MemoryLayout<Int32>.size)
    guard getsockopt(number, SOL_SOCKET, SO_ACCEPTCONN, &isListening, &length) == 0, isListening == 1 else {
        return nil
    }
    let status = withUnsafeMutablePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(number, $0, &size) }
    }
    guard status == 0 else { return nil }
    return withUnsafeBytes(of: address.sun_path) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
}
