import DictationCore
import DictationSystem
import DictationTesting
import Foundation
import Glibc
import TestSupport
import Testing

@testable import DictationService

/// Clients that connect, hold a take or take up places, and then say nothing. None of them keeps the microphone on, and none
/// keeps another one from closing it.
@Suite struct SilentClientTests {
    // MARK: Holds

    @Test func aHoldEndsWhenTwoPingsInARowStayUnanswered() {
        var watch = HoldWatch(answersPings: true)
        for _ in 0..<3 {
            #expect([watch.next(), watch.next()] == [.ping, .ping])
            watch.pong()
        }
        #expect([watch.next(), watch.next(), watch.next()] == [.ping, .ping, .end])
        var mute = HoldWatch(answersPings: false)
        #expect(mute.next() == .end)
    }

    @Test func aHolderThatAnswersKeepsItsTakeAndAnotherLosesIt() async throws {
        try await VirtualTime.run { clock in
            let (service, queue) = (countingService(), try MessageQueue())
            let caller = RequestHandler(number: 1, service: service, queue: queue, limits: ServiceListener.Limits())
            let take = TakeID(number: 1)
            #expect(caller.handle(WireRequest(id: 7, kind: .hold(profile: nil, answersPings: true))) == nil)
            /// Lets five seconds pass, and returns what the listener sends for the messages of this time.
            func next() async -> [WireReply] {
                await clock.advance(by: .seconds(5))
                return queue.take().all.compactMap { message in
                    guard case .holdDue(let due) = message.content else { return nil }
                    #expect(due == take && message.client == 1)
                    return caller.checkHold(of: due)
                }
            }
            let ping = WireReply(id: 7, content: .ping)
            for _ in 0..<5 {
                #expect(await next() == [ping])
                #expect(caller.handle(WireRequest(id: 7, kind: .pong)) == nil)
            }
            #expect(try await service.status().state == .recording)
            #expect(await next() == [ping])
            #expect(await next() == [ping])
            let last = await next()
            guard case .failure(let error) = last.first?.content else {
                Issue.record("The hold goes on: \(last)")
                return
            }
            #expect(error.code == .timedOut && last.count == 1 && !caller.isHolding)
            await clock.advance(by: .seconds(20))
            #expect(queue.take().all.isEmpty)
            #expect(try await service.status().state == .idle)
            #expect(try await service.last()?.text.hasPrefix("one two") == true)
        }
    }

    @Test func aHolderThatCannotAnswerHoldsForALimitedTime() async throws {
        #expect(ServiceListener.Limits().silentHoldTimeout == .seconds(600))
        try await VirtualTime.run { clock in
            let (service, queue) = (countingService(), try MessageQueue())
            let limits = ServiceListener.Limits(silentHoldTimeout: .seconds(20))
            let caller = RequestHandler(number: 1, service: service, queue: queue, limits: limits)
            _ = caller.handle(WireRequest(id: 7, kind: .hold(profile: nil)))
            await clock.advance(by: .seconds(19))
            #expect(try await service.status().state == .recording)
            for message in queue.take().all {
                if case .reply(let reply, let request) = message.content { caller.note(reply, to: request) }
            }
            await clock.advance(by: .seconds(1))
            for message in queue.take().all {
                if case .holdDue(let take) = message.content { #expect(caller.checkHold(of: take) == nil) }
            }
            await clock.advance(by: .seconds(1))
            // The text is the answer to the hold.
            let answers = queue.take().all.compactMap { message -> WireReply? in
                if case .reply(let reply, _) = message.content { reply } else { nil }
            }
            guard case .answer(.text(let text)) = answers.first?.content else {
                Issue.record("There is no text: \(answers)")
                return
            }
            #expect(answers.first?.id == 7 && text.text.hasPrefix("one two"))
            #expect(try await service.status().state == .idle)
        }
    }

    @Test func aClientThatLeavesPingsUnansweredIsToldAndDisconnected() async throws {
        let open = try OpenListener(limits: ServiceListener.Limits(pingInterval: .milliseconds(50)))
        let raw = try RawClient(open.path)
        try await raw.send(#"{"id":7,"intent":"hold","answersPings":true}"#)
        var kinds: [String] = []
        while let kind = try await raw.kind() { kinds.append(kind) }
        #expect(kinds.first == "dictation" && kinds.filter { $0 == "ping" }.count == 2, "\(kinds)")
        #expect(kinds.contains("holding") && kinds.last == "timedOut", "\(kinds)")
        #expect(await open.waits { $0.state == .idle })
    }

    /// A service that pings, played by the test.
    @Test func theClientAnswersPingsWhileItHolds() async throws {
        let folder = try TemporaryFolder()
        let listening = try SocketPlace(folder.file("run/socket")).listen()
        let serving = Task {
            try await BlockingWork("pinging-service").run { () throws(DictationError) -> [String] in
                var wait = pollfd(fd: listening.socket.number, events: Int16(POLLIN), revents: 0)
                poll(&wait, 1, 20_000)
                let connection = Descriptor(listening.socket.accept())
                var (lines, seen) = (LineBuffer(limit: 1 << 16), [String]())
                func next() {
                    while true {
                        if case .line(let line) = lines.next() {
                            return seen.append(String(decoding: line, as: UTF8.self))
                        }
                        var wait = pollfd(fd: connection.number, events: Int16(POLLIN), revents: 0)
                        var block = [UInt8](repeating: 0, count: 1_024)
                        guard poll(&wait, 1, 20_000) > 0, let count = connection.receive(into: &block), count > 0 else {
                            return seen.append("nothing")
                        }
                        lines.append(block[..<count])
                    }
                }
                func say(_ line: String) { _ = connection.send(Array((line + "\n").utf8)[...]) }
                next()
                say(#"{"hello":"dictation","version":1}"#)
                next()
                say(#"{"id":1,"answer":"ping"}"#)
                next()
                say(#"{"id":1,"answer":"holding","take":1}"#)
                for _ in 0..<3 {
                    say(#"{"id":1,"answer":"ping"}"#)
                    next()
                }
                next()
                say(#"{"id":2,"answer":"nothing"}"#)
                return seen
            }
        }
        let hold = try await DictationClient(path: folder.file("run/socket")).hold()
        #expect(try await hold.release() == .nothing)
        let seen = try await serving.value
        #expect(seen.count == 7 && seen[1].contains("answersPings"), "\(seen)")
        #expect(seen.filter { $0.contains("pong") }.count == 4 && seen.contains { $0.contains("release") }, "\(seen)")
    }

    // MARK: Places

    @Test func aClientThatDoesNotGreetIsDisconnected() async throws {
        let open = try OpenListener(limits: ServiceListener.Limits(greetingTimeout: .milliseconds(500)))
        let polite = try RawClient(open.path)
        #expect(try await polite.kind() == "dictation")
        let raw = try RawClient(open.path, greets: false)
        try await raw.send(bytes: Array(#"{"hello":"#.utf8))
        let kinds = [try await raw.kind(), try await raw.kind(), try await raw.kind()]
        #expect(kinds == ["dictation", "timedOut", nil])
        try await polite.send(#"{"id":1,"intent":"status"}"#)
        #expect(try await polite.kind() == "status")
    }

    @Test func silentClientsMakeRoom() async throws {
        let open = try OpenListener(limits: ServiceListener.Limits(clients: 4))
        let following = try RawClient(open.path)
        try await following.send(#"{"id":1,"intent":"follow"}"#)
        #expect(try await following.kind() == "dictation")
        #expect(try await following.kind() == "status")
        var silent: [RawClient] = []
        for number in 0..<200 { silent.append(try RawClient(open.path, greets: number % 2 == 0)) }
        try await open.client().start()
        #expect(await open.hasWords())
        #expect(try await open.client().stop()?.text.hasPrefix("one two") == true)
        let kinds = [try await silent[0].kind(), try await silent[0].kind(), try await silent[0].kind()]
        #expect(kinds == ["dictation", "alreadyRunning", nil])
        // A client that asked for something keeps its place.
        var followed = try await following.kind()
        for _ in 0..<3 { followed = try await following.kind() }
        #expect(followed == "status")
    }

    @Test(arguments: ["stop", "cancel"]) func aTakeCanBeEndedHoweverManyAreBusy(intent: String) async throws {
        let open = try OpenListener(limits: ServiceListener.Limits(clients: 4))
        var busy: [RawClient] = []
        for _ in 0..<4 {
            let client = try RawClient(open.path)
            try await client.send(#"{"id":1,"intent":"follow"}"#)
            #expect(try await client.kind() == "dictation")
            #expect(try await client.kind() == "status")
            busy.append(client)
        }
        try await open.service.start()
        for _ in 0..<20 { busy.append(try RawClient(open.path, greets: false)) }
        #expect(await error { _ = try await open.client().status() }?.code == .alreadyRunning)
        let raw = try RawClient(open.path)
        try await raw.send(#"{"id":1,"intent":"\#(intent)"}"#)
        #expect(try await raw.kind() == "dictation")
        #expect(try await raw.kind() == (intent == "stop" ? "text" : "cancelled"))
        #expect(try await open.service.status().state == .idle)
    }
}
