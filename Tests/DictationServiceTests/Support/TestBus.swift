#if SystemBus
import DictationCore
import Foundation
import TestSupport
import Testing

@testable import DictationDesktop
@testable import DictationService

/// A session bus of its own, which ends with the test.
final class TestBus: Sendable {
    let address: String
    private let daemon: pid_t

    init() throws {
        let (process, output) = (Process(), Pipe())
        process.executableURL = URL(filePath: "/usr/bin/dbus-daemon")
        process.arguments = ["--session", "--nofork", "--print-address"]
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        // The daemon complains where it may not raise its limits.
        process.standardError = FileHandle.nullDevice
        try process.run()
        daemon = process.processIdentifier
        var bytes: [UInt8] = []
        while bytes.last != 10, let byte = try output.fileHandleForReading.read(upToCount: 1)?.first {
            bytes.append(byte)
        }
        address = String(decoding: bytes.dropLast(), as: UTF8.self)
        try #require(address.hasPrefix("unix:"), "dbus-daemon did not start a bus.")
    }

    // The daemon inherits the blocked signals of the thread that started it, so it would ignore a gentler one.
    deinit { kill(daemon, SIGKILL) }

    /// Starts a program on this bus. It ends when it loses the bus.
    func start(_ program: String, _ arguments: [String]) throws {
        let process = Process()
        process.executableURL = URL(filePath: program)
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging(["DBUS_SESSION_BUS_ADDRESS": address]) { $1 }
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
    }

    /// Runs a program on this bus, and returns what it printed without the end of the line.
    func run(_ program: String, _ arguments: [String], environment: [String: String] = [:]) async throws -> String {
        let buses = ["DBUS_SESSION_BUS_ADDRESS": address, "DBUS_SYSTEM_BUS_ADDRESS": address]
        return try await output(of: program, arguments, environment: environment.merging(buses) { $1 })
    }
}

/// A program on the bus that calls a service.
final class BusCaller: Sendable {
    private let connection = Handover<BusConnection>()
    private let work = BlockingWork("bus-caller")

    init(_ bus: TestBus) throws { connection.put(try BusConnection(.address(bus.address))) }

    private func onBus<Answer: Sendable>(
        _ body: @escaping @Sendable (BusConnection) throws(DictationError) -> Answer
    ) async throws -> Answer {
        try await work.run { [connection] () throws(DictationError) in
            guard let bus = connection.take() else { throw .unknownAnswer }
            let answer = Result { () throws(DictationError) in try body(bus) }
            connection.put(bus)
            return try answer.get()
        }
    }

    /// Calls a method of the service; its answer, as the socket would write it.
    func ask(_ method: String, profile: String? = nil) async throws -> WireReply.Content {
        try await onBus { bus throws(DictationError) in
            let reply = try bus.call(
                BusInterface.name, BusInterface.path, BusInterface.name, method, profile.map { [.string($0)] } ?? [])
            guard reply.signature == "stss", let name = reply.string(), let take = reply.number64(),
                let text = reply.string(), let json = reply.string()
            else { throw .unknownAnswer }
            let content = try WireLine.value(WireReply.self, in: Array(json.utf8)).content
            // All ways to read the answer say the same.
            guard BusInterface.values(content).prefix(3) == [.string(name), .number64(take), .string(text)] else {
                throw .unknownAnswer
            }
            return content
        }
    }

    /// Reads a property that is a string.
    func property(_ name: String) async throws -> String? {
        try await onBus { bus throws(DictationError) in
            let reply = try bus.call(
                BusInterface.name, BusInterface.path, BusInterface.properties, "GetAll", [.string(BusInterface.name)])
            return reply.entry(name)
        }
    }

    /// Listens to the changes of the properties.
    func follow() async throws {
        try await onBus { bus throws(DictationError) in
            try bus.listen("type='signal',interface='\(BusInterface.properties)',path='\(BusInterface.path)'")
        }
    }

    /// Returns the next value that a property, which is a string, changes to.
    func change(of name: String) async throws -> String {
        try await onBus { bus throws(DictationError) in
            while true {
                while let message = try bus.next() {
                    guard message.isSignal(BusInterface.properties, "PropertiesChanged"), message.string() != nil,
                        let value = message.entry(name)
                    else { continue }
                    return value
                }
                var wait = bus.wait
                poll(&wait, 1, bus.timeout)
            }
        }
    }
}
#endif
