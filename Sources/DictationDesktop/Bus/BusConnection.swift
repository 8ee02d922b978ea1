#if SystemBus
import CSystem
import CSystemd
import DictationCore
import DictationSystem

/// A connection to a message bus.
final class BusConnection {
    /// What to connect to.
    enum Destination: Sendable, Hashable {
        /// The bus of the user's session.
        case session
        /// The bus of the whole computer.
        case system
        /// A bus with an address, such as `unix:path=/run/user/1000/bus`.
        case address(String)
        /// The bus of an input method, whose daemon sends calls without naming their destination.
        case inputMethod(String)
    }

    static let daemon = "org.freedesktop.DBus"
    /// How long a bus or a service on it may take to answer a call of this library, in microseconds.
    private static let callTimeout: UInt64 = 5_000_000
    private let bus: OpaquePointer

    /// Connects to a bus.
    ///
    /// - Throws: `notRunning` if there is no such bus; otherwise the error of the connection.
    init(_ destination: Destination) throws(DictationError) {
        var opened: OpaquePointer?
        var code: Int32
        switch destination {
        case .session: code = sd_bus_open_user(&opened)
        case .system: code = sd_bus_open_system(&opened)
        case .address(let address):
            code = sd_bus_new(&opened)
            if code >= 0 { code = sd_bus_set_address(opened, address) }
            if code >= 0 { code = sd_bus_set_bus_client(opened, 1) }
            if code >= 0 { code = sd_bus_start(opened) }
        case .inputMethod(let address):
            // sd-bus would drop calls to nobody, so it must not know that this is a bus.
            code = sd_bus_new(&opened)
            if code >= 0 { code = sd_bus_set_address(opened, address) }
            if code >= 0 { code = sd_bus_start(opened) }
        }
        guard code >= 0, let opened else {
            sd_bus_unref(opened)
            throw .noBus(destination, code)
        }
        bus = opened
        sd_bus_set_exit_on_disconnect(bus, 0)
        sd_bus_set_method_call_timeout(bus, Self.callTimeout)
        if case .inputMethod = destination {
            _ = try call(Self.daemon, "/org/freedesktop/DBus", Self.daemon, "Hello", [])
            return
        }
        // This waits for the bus's answer.
        var name: UnsafePointer<CChar>?
        code = sd_bus_get_unique_name(bus, &name)
        guard code >= 0 else { throw .noBus(destination, code) }
    }

    deinit { sd_bus_close_unref(bus) }

    /// The user that the bus belongs to; `nil` if it is unknown.
    var owner: uid_t? {
        var credentials: OpaquePointer?
        defer { sd_bus_creds_unref(credentials) }
        var user = uid_t.max
        guard sd_bus_get_owner_creds(bus, UInt64(SD_BUS_CREDS_EUID), &credentials) >= 0,
            sd_bus_creds_get_euid(credentials, &user) >= 0
        else { return nil }
        return user
    }

    /// Takes a name on the bus, so that others find this program.
    ///
    /// - Returns: Whether the name was free.
    func take(name: String) throws(DictationError) -> Bool {
        let code = sd_bus_request_name(bus, name, 0)
        if code == -EEXIST { return false }
        guard code >= 0 else { throw .busFailed("take the name \(name)", code) }
        return true
    }

    /// Gives a name up, and waits until it is free for another program. Does nothing if the bus has gone.
    func giveUp(name: String) { sd_bus_release_name(bus, name) }

    /// Asks for signals that a rule describes.
    func listen(_ rule: String) throws(DictationError) {
        _ = try call(Self.daemon, "/org/freedesktop/DBus", Self.daemon, "AddMatch", [.string(rule)])
    }

    // MARK: Serving

    /// Whether the connection has not ended.
    var isOpen: Bool { sd_bus_is_open(bus) > 0 }

    /// What `poll` waits for.
    var wait: pollfd { pollfd(fd: sd_bus_get_fd(bus), events: Int16(max(0, sd_bus_get_events(bus))), revents: 0) }

    /// How long `poll` may wait, in milliseconds; -1 is forever.
    var timeout: Int32 {
        var end: UInt64 = 0
        guard sd_bus_get_timeout(bus, &end) >= 0, end != .max else { return -1 }
        let microseconds = dictation_monotonic_microseconds()
        return end <= microseconds ? 0 : Int32(min((end - microseconds) / 1_000 + 1, 60_000))
    }

    /// Returns a message that has come and that sd-bus does not answer by itself; `nil` if there is none.
    ///
    /// - Throws: The error that ended the connection.
    func next() throws(DictationError) -> BusMessage? {
        while true {
            var message: OpaquePointer?
            let code = sd_bus_process(bus, &message)
            if let message { return BusMessage(message) }
            if code < 0 { throw .busFailed("go on", code) }
            if code == 0 { return nil }
        }
    }

    /// The number of messages that the bus has not taken yet.
    var unsentCount: UInt64 {
        var count: UInt64 = 0
        return sd_bus_get_n_queued_write(bus, &count) < 0 ? 0 : count
    }

    /// Answers a call. A message that the bus can't carry becomes an error.
    func answer(_ call: BusMessage, _ values: [BusValue]) {
        var pointer: OpaquePointer?
        guard call.expectsReply, sd_bus_message_new_method_return(call.pointer, &pointer) >= 0, let pointer else {
            return
        }
        let reply = BusMessage(pointer)
        let isComplete = values.allSatisfy { reply.append($0) >= 0 }
        guard isComplete, sd_bus_send(bus, pointer, nil) >= 0 else {
            return refuse(call, "\(Self.daemon).Error.LimitsExceeded", "The answer is too long for the bus.")
        }
    }

    /// Answers a call with an error.
    func refuse(_ call: BusMessage, _ name: String, _ message: String) {
        guard call.expectsReply else { return }
        name.withCString { name in
            message.withCString { message in
                var error = sd_bus_error(name: name, message: message, _need_free: 0)
                sd_bus_reply_method_error(call.pointer, &error)
            }
        }
    }

    /// Sends a signal to everybody who listens.
    func signal(_ path: String, _ interface: String, _ member: String, _ values: [BusValue]) {
        var pointer: OpaquePointer?
        guard sd_bus_message_new_signal(bus, &pointer, path, interface, member) >= 0, let pointer else { return }
        let message = BusMessage(pointer)
        if values.allSatisfy({ message.append($0) >= 0 }) { sd_bus_send(bus, pointer, nil) }
    }

    // MARK: Calling

    /// Calls a method and waits for its answer.
    func call(
        _ destination: String, _ path: String, _ interface: String, _ member: String, _ values: [BusValue]
    ) throws(DictationError) -> BusMessage {
        let message = try message(destination, path, interface, member, values)
        var error = sd_bus_error()
        defer { sd_bus_error_free(&error) }
        var reply: OpaquePointer?
        let code = sd_bus_call(bus, message.pointer, 0, &error, &reply)
        guard code >= 0, let reply else {
            throw .busFailed("call \(member)", code, error.message.map { String(cString: $0) })
        }
        return BusMessage(reply)
    }

    /// Calls a method without waiting. The answer is one of the messages that ``next()`` returns.
    ///
    /// - Returns: The number that the answer has as ``BusMessage/answeredCall``.
    func send(
        _ destination: String, _ path: String, _ interface: String, _ member: String, _ values: [BusValue]
    ) throws(DictationError) -> UInt64 {
        let message = try message(destination, path, interface, member, values)
        var number: UInt64 = 0
        let code = sd_bus_send(bus, message.pointer, &number)
        guard code >= 0 else { throw .busFailed("call \(member)", code) }
        return number
    }

    private func message(
        _ destination: String, _ path: String, _ interface: String, _ member: String, _ values: [BusValue]
    ) throws(DictationError) -> BusMessage {
        var pointer: OpaquePointer?
        var code = sd_bus_message_new_method_call(bus, &pointer, destination, path, interface, member)
        guard code >= 0, let pointer else { throw .busFailed("call \(member)", code) }
        let message = BusMessage(pointer)
        for value in values where code >= 0 { code = message.append(value) }
        guard code >= 0 else { throw .busFailed("call \(member)", code) }
        return message
    }
}

extension DictationError {
    fileprivate static func noBus(_ destination: BusConnection.Destination, _ code: Int32) -> DictationError {
        let words = String(cString: strerror(-code))
        let name =
            switch destination {
            case .session: "session bus"
            case .system: "system bus"
            case .address(let address), .inputMethod(let address): "bus at “\(address)”"
            }
        return DictationError(
            .notRunning, "The \(name) can't be reached.",
            recovery: "Start a D-Bus daemon, for instance with dbus-run-session.",
            underlying: Underlying(domain: "sd-bus", code: Int(code), message: words))
    }

    fileprivate static func busFailed(_ action: String, _ code: Int32, _ words: String? = nil) -> DictationError {
        DictationError(
            code == -ETIMEDOUT ? .timedOut : .engineFailed, "The bus can't \(action).",
            recovery: "Check that the D-Bus daemon runs, then start this program again.",
            underlying: Underlying(
                domain: "sd-bus", code: Int(code), message: words ?? String(cString: strerror(-code))))
    }
}
#endif
