import DictationCore
import DictationEngines
import DictationTesting
import Foundation
import Glibc
import Synchronization
import TestSupport
import Testing

@testable import DictationService

/// Random messages at a real socket. A few every day; `Scripts/fuzz parsers` sends as many as it is told.
@Suite struct ListenerFuzzTests {
    private static let environment = ProcessInfo.processInfo.environment
    private let count = environment["DICTATION_FUZZ_INPUTS"].flatMap { Int($0) } ?? 2_000
    private let seed = environment["DICTATION_FUZZ_SEED"].flatMap { UInt64($0) } ?? 1

    @Test func noMessageDisturbsTheService() async throws {
        let open = try OpenListener(
            script: [.final("said", at: .milliseconds(20)), .repeats(every: .milliseconds(100))],
            limits: ServiceListener.Limits(clients: 8, requests: 16, unreadBytes: 1 << 20))
        let start = ContinuousClock.now
        let (path, share, seed) = (open.path, count / 4, seed)
        let totals = await withTaskGroup(of: ListenerFuzz.Totals.self) { group in
            for worker in 0..<4 {
                let work = BlockingWork("fuzz-\(worker)")
                group.addTask {
                    let fuzz = ListenerFuzz(path: path, seed: seed &* 4 &+ UInt64(worker))
                    let totals = try? await work.run { () throws(DictationError) in fuzz.run(share) }
                    return totals ?? ListenerFuzz.Totals()
                }
            }
            return await group.reduce(into: ListenerFuzz.Totals()) { $0.add($1) }
        }
        #expect(totals.sent >= share * 4 && totals.stuck == 0, "\(totals)")
        #expect(totals.answers > totals.sent / 20 && totals.errors > totals.sent / 20, "\(totals)")
        // The service is as good as new.
        try await open.service.cancel()
        let client = try open.client()
        try await client.start()
        #expect(await open.waits { $0.finalText.contains("said") })
        #expect(try await client.stop()?.isComplete == true)
        await open.service.waitUntilSettled()
        #expect(open.service.texts.pending == 0)
        await open.listener.close()
        guard Self.environment["DICTATION_FUZZ_KEEP"] != nil else { return }
        let seconds = (ContinuousClock.now - start).components.seconds
        print(
            "fuzzed socket: \(totals.sent) messages, seed \(seed), \(totals.connections) connections, "
                + "\(totals.answers) answers, \(totals.errors) errors, \(seconds) s")
    }
}

/// One client after another, each with random messages.
private struct ListenerFuzz {
    struct Totals: Sendable {
        var (sent, connections, answers, errors, stuck) = (0, 0, 0, 0, 0)

        mutating func add(_ other: Totals) {
            sent += other.sent
            connections += other.connections
            answers += other.answers
            errors += other.errors
            stuck += other.stuck
        }
    }

    let path: String
    let seed: UInt64
    private static let intents = [
        "start", "stop", "toggle", "cancel", "pause", "resume", "last", "status", "hold", "release", "reload",
    ]

    func run(_ count: Int) -> Totals {
        var random = SplitMix64(seed: seed)
        var totals = Totals()
        while totals.sent < count {
            guard let client = try? FuzzClient(path) else { continue }
            totals.connections += 1
            var bytes: [UInt8] = []
            if Int.random(in: 0..<20, using: &random) != 0 { bytes += Array((RawClient.hello + "\n").utf8) }
            let messages = Int.random(in: 1...400, using: &random)
            // Some leave in the middle, some before they have read their answers. Whoever waits for the last answer can't
            // follow the status, which has none.
            let isPolite = Int.random(in: 0..<4, using: &random) != 0
            for _ in 0..<messages { bytes += message(&random, follows: !isPolite) }
            totals.sent += messages
            client.exchange(
                isPolite ? bytes[...] : bytes.prefix(Int.random(in: 0...bytes.count, using: &random)), reads: isPolite)
            totals.answers += client.answers
            totals.errors += client.errors
            totals.stuck += client.isStuck ? 1 : 0
        }
        return totals
    }

    private func message(_ random: inout SplitMix64, follows: Bool) -> [UInt8] {
        let intent =
            follows && Bool.random(using: &random) ? "follow" : Self.intents.randomElement(using: &random) ?? "status"
        var line = Array("{\"id\":\(Int.random(in: 0...9, using: &random)),\"intent\":\"\(intent)\"}".utf8)
        for _ in 0..<Int.random(in: 0...2, using: &random) where !line.isEmpty {
            let place = Int.random(in: line.indices, using: &random)
            switch Int.random(in: 0..<5, using: &random) {
            case 0: line[place] = UInt8.random(in: .min ... .max, using: &random)
            case 1: line.remove(at: place)
            case 2: line.insert(UInt8.random(in: .min ... .max, using: &random), at: place)
            case 3: line.insert(contentsOf: Array(repeating: UInt8(ascii: "["), count: 300), at: place)
            default: line.removeSubrange(place...)
            }
        }
        return line + [UInt8(ascii: "\n")]
    }
}

/// A client that writes and reads at the same time, so that neither side waits for the other forever.
private final class FuzzClient {
    private let socket: Int32
    private(set) var answers = 0
    private(set) var errors = 0
    /// Whether the service neither answered nor ended the conversation.
    private(set) var isStuck = false

    init(_ path: String) throws {
        socket = try connectedSocket(to: path)
    }

    deinit { close(socket) }

    func exchange(_ bytes: ArraySlice<UInt8>, reads: Bool) {
        var rest = bytes
        var block = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let events = rest.isEmpty ? POLLIN : POLLIN | POLLOUT
            var wait = pollfd(fd: socket, events: Int16(events), revents: 0)
            guard poll(&wait, 1, 60_000) > 0 else {
                isStuck = true
                return
            }
            if Int32(wait.revents) & POLLIN != 0 {
                let count = recv(socket, &block, block.count, Int32(MSG_DONTWAIT))
                guard count > 0 else { return }
                for line in String(decoding: block[..<count], as: UTF8.self).split(separator: "\n") {
                    answers += 1
                    errors += line.contains("\"answer\":\"error\"") ? 1 : 0
                }
            } else if Int32(wait.revents) & (POLLHUP | POLLERR) != 0 {
                return
            }
            guard !rest.isEmpty else { continue }
            let count = rest.withUnsafeBytes {
                send(socket, $0.baseAddress, $0.count, Int32(MSG_DONTWAIT | MSG_NOSIGNAL))
            }
            if count > 0 { rest = rest.dropFirst(count) }
            if rest.isEmpty {
                guard reads else { return }
                shutdown(socket, Int32(SHUT_WR))
            }
        }
    }
}
