#if SystemBus
import CSystemd
import DictationCore
import DictationTesting
import Foundation
import TestSupport
import Testing

@testable import DictationDesktop
@testable import DictationService

@Suite struct BusFuzzTests {
    @Test func anyCallIsAnswered() async throws { try await CallFuzz(seed: 1).run(2_000) }
}

@Suite struct BusFuzzProofTests {
    /// `DICTATION_BUS_CALLS` sets the number of calls.
    @Test func manyCallsAreAnswered() async throws {
        let count = ProcessInfo.processInfo.environment["DICTATION_BUS_CALLS"].flatMap { Int($0) } ?? 100_000
        try await CallFuzz(seed: 2).run(count)
    }
}

/// Calls the listener of a real service with random names and values, many calls at a time.
private struct CallFuzz {
    let seed: UInt64

    func run(_ count: Int) async throws {
        let (bus, open) = (try TestBus(), try OpenListener())
        let listener = try BusListener.open(open.service, at: bus.address)
        let (address, seed) = (bus.address, seed)
        let answers = try await BlockingWork("fuzz").run { () throws(DictationError) in
            try Self.call(count, at: address, seed)
        }
        #expect(answers.values + answers.errors == answers.expected)
        #expect(answers.values > count / 50 && answers.errors > count / 10, "\(answers)")
        // Its caller is gone, and so is what it held.
        #expect(await open.waits { _ in open.service.texts.pending == 0 })
        try await open.service.cancel()
        try await open.service.start()
        #expect(await open.hasWords())
        #expect(try await open.service.stop()?.isComplete == true)
        await listener.close()
        await open.listener.close()
    }

    struct Answers: Sendable { var expected = 0, values = 0, errors = 0 }

    private static func call(_ count: Int, at address: String, _ seed: UInt64) throws(DictationError) -> Answers {
        var random = SplitMix64(seed: seed)
        var connection: OpaquePointer?
        sd_bus_new(&connection)
        defer { sd_bus_flush_close_unref(connection) }
        sd_bus_set_address(connection, address)
        sd_bus_set_bus_client(connection, 1)
        var name: UnsafePointer<CChar>?
        guard sd_bus_start(connection) >= 0, sd_bus_get_unique_name(connection, &name) >= 0 else {
            throw .connectionLost
        }
        var answers = Answers()
        for _ in 0..<count {
            guard let message = message(connection, &random) else { continue }
            let expectsReply = Int.random(in: 0..<10, using: &random) != 0
            sd_bus_message_set_expect_reply(message.pointer, expectsReply ? 1 : 0)
            // sd-bus asks for no reply if nobody keeps the number.
            var number: UInt64 = 0
            let code =
                expectsReply
                ? sd_bus_send(connection, message.pointer, &number) : sd_bus_send(connection, message.pointer, nil)
            guard code >= 0 else { throw .connectionLost }
            if expectsReply { answers.expected += 1 }
            while answers.expected - answers.values - answers.errors > 16 { try take(from: connection, &answers) }
        }
        while answers.expected > answers.values + answers.errors { try take(from: connection, &answers) }
        return answers
    }

    private static func take(from connection: OpaquePointer?, _ answers: inout Answers) throws(DictationError) {
        while true {
            var pointer: OpaquePointer?
            let code = sd_bus_process(connection, &pointer)
            guard code >= 0 else { throw .connectionLost }
            guard let pointer else {
                guard code == 0 else { continue }
                sd_bus_wait(connection, .max)
                continue
            }
            let message = BusMessage(pointer)
            var type: UInt8 = 0
            sd_bus_message_get_type(message.pointer, &type)
            switch Int(type) {
            case SD_BUS_MESSAGE_METHOD_RETURN: answers.values += 1
            case SD_BUS_MESSAGE_METHOD_ERROR: answers.errors += 1
            default: continue
            }
            return
        }
    }

    // MARK: Random calls

    private static let paths = [BusInterface.path, BusInterface.path, BusInterface.path, "/", "/org", "/org/other"]
    private static let interfaces: [String?] = [
        BusInterface.name, BusInterface.name, BusInterface.properties, BusInterface.introspectable, nil, "org.other",
    ]
    private static let members =
        BusInterface.methods.map(\.name) + ["Get", "GetAll", "Set", "Introspect", "Ping", "Sing", "stop", "_"]

    private static func message(_ connection: OpaquePointer?, _ random: inout SplitMix64) -> BusMessage? {
        var pointer: OpaquePointer?
        let (path, member) = (
            paths.randomElement(using: &random) ?? "/", members.randomElement(using: &random) ?? "Stop"
        )
        let interface = interfaces.randomElement(using: &random) ?? nil
        let code = sd_bus_message_new_method_call(connection, &pointer, BusInterface.name, path, interface, member)
        guard code >= 0, let pointer else { return nil }
        let message = BusMessage(pointer)
        let isRight = Bool.random(using: &random)
        let values: [BusValue] =
            switch member {
            case _ where !isRight: (0..<Int.random(in: 0...3, using: &random)).map { _ in value(&random, depth: 0) }
            case "Start", "Toggle", "Hold": [.string(Bool.random(using: &random) ? "" : "letters")]
            case "Get": [.string(BusInterface.name), .string("State")]
            case "GetAll": [.string("")]
            default: []
            }
        // A value that no message can have leaves a message that can't be sent.
        return values.allSatisfy { message.append($0) >= 0 } ? message : nil
    }

    private static func value(_ random: inout SplitMix64, depth: Int) -> BusValue {
        switch Int.random(in: 0..<(depth < 20 ? 10 : 6), using: &random) {
        case 0: return .string(["", "State", BusInterface.name, "ü\n\u{202E}"].randomElement(using: &random) ?? "")
        case 1: return .path(paths.randomElement(using: &random) ?? "/")
        case 2: return .flag(Bool.random(using: &random))
        case 3: return .number32(.random(in: .min ... .max, using: &random))
        case 4: return .number64(.random(in: .min ... .max, using: &random))
        case 5: return .double(Bool.random(using: &random) ? .nan : .infinity)
        case 6: return .string(String(repeating: "p", count: .random(in: 0...100_000, using: &random)))
        case 7: return .variant(value(&random, depth: depth + 1))
        case 8:
            let fields = 0...Int.random(in: 0...2, using: &random)
            return .structure(fields.map { _ in value(&random, depth: depth + 1) })
        default:
            let entries = (0..<Int.random(in: 0...3, using: &random)).map {
                BusValue.Entry(name: "\($0)", value: value(&random, depth: depth + 1))
            }
            return .dictionary(entries)
        }
    }
}
#endif
