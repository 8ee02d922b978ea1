#if SystemBus
import CSystemd
import DictationSystem

/// A message of a bus. It belongs to the thread that serves the connection.
final class BusMessage {
    let pointer: OpaquePointer

    /// Takes over a reference.
    init(_ pointer: OpaquePointer) { self.pointer = pointer }

    deinit { sd_bus_message_unref(pointer) }

    var isCall: Bool { type == SD_BUS_MESSAGE_METHOD_CALL }
    /// The number of the call that this message answers; `nil` if it is no answer.
    var answeredCall: UInt64? {
        var number: UInt64 = 0
        guard type == SD_BUS_MESSAGE_METHOD_RETURN || type == SD_BUS_MESSAGE_METHOD_ERROR,
            sd_bus_message_get_reply_cookie(pointer, &number) >= 0
        else { return nil }
        return number
    }
    private var type: Int {
        var type: UInt8 = 0
        sd_bus_message_get_type(pointer, &type)
        return Int(type)
    }

    func isSignal(_ interface: String, _ member: String) -> Bool {
        sd_bus_message_is_signal(pointer, interface, member) > 0
    }

    var path: String? { sd_bus_message_get_path(pointer).map { String(cString: $0) } }
    var interface: String? { sd_bus_message_get_interface(pointer).map { String(cString: $0) } }
    var member: String? { sd_bus_message_get_member(pointer).map { String(cString: $0) } }
    var sender: String? { sd_bus_message_get_sender(pointer).map { String(cString: $0) } }
    var signature: String { sd_bus_message_get_signature(pointer, 1).map { String(cString: $0) } ?? "" }
    /// Whether the caller of a method waits for the answer.
    var expectsReply: Bool { sd_bus_message_get_expect_reply(pointer) > 0 }

    // MARK: Reading

    /// Returns the next argument if it is a string.
    func string() -> String? { text("s") }
    /// Returns the next argument if it is the path of an object.
    func objectPath() -> String? { text("o") }
    /// Returns the next argument if it is a truth value.
    func flag() -> Bool? { basic("b", Int32(0)).map { $0 != 0 } }
    /// Returns the next argument if it is a number of 32 bits.
    func number32() -> UInt32? { basic("u", 0) }
    /// Returns the next argument if it is a number of 64 bits.
    func number64() -> UInt64? { basic("t", 0) }

    /// Returns a copy of the next argument if it is a file descriptor.
    func descriptor() -> Descriptor? {
        guard let number = basic("h", Int32(-1)) else { return nil }
        // The message closes its own.
        let copy = fcntl(number, F_DUPFD_CLOEXEC, 3)
        return copy < 0 ? nil : Descriptor(copy)
    }

    /// Returns the string with a name, if the next argument is a dictionary of named values that has one.
    func entry(_ name: String) -> String? {
        guard sd_bus_message_enter_container(pointer, code("a"), "{sv}") > 0 else { return nil }
        var found: String?
        while sd_bus_message_enter_container(pointer, code("e"), "sv") > 0 {
            let key = string()
            if key == name, sd_bus_message_enter_container(pointer, code("v"), "s") > 0 {
                found = string()
                sd_bus_message_exit_container(pointer)
            } else {
                sd_bus_message_skip(pointer, "v")
            }
            sd_bus_message_exit_container(pointer)
        }
        sd_bus_message_exit_container(pointer)
        return found
    }

    /// Reads the next argument if it is a container with this content; `nil` if it is another.
    func inside<Value>(_ type: Unicode.Scalar, _ content: String, _ read: () -> Value?) -> Value? {
        guard sd_bus_message_enter_container(pointer, code(type), content) > 0 else { return nil }
        let value = read()
        while hasMore, sd_bus_message_skip(pointer, nil) > 0 {}
        sd_bus_message_exit_container(pointer)
        return value
    }

    /// Whether the container that is read has more values.
    var hasMore: Bool { sd_bus_message_at_end(pointer, 0) == 0 }

    /// Skips the next argument of this type.
    func skip(_ signature: String) { sd_bus_message_skip(pointer, signature) }

    private func text(_ type: Unicode.Scalar) -> String? {
        basic(type, UnsafePointer<CChar>?.none).flatMap { $0 }.map { String(cString: $0) }
    }

    private func basic<Value: BitwiseCopyable>(_ type: Unicode.Scalar, _ empty: Value) -> Value? {
        var value = empty
        return sd_bus_message_read_basic(pointer, code(type), &value) > 0 ? value : nil
    }

    // MARK: Writing

    /// Adds an argument.
    ///
    /// - Returns: A negative code if the message can't have it.
    @discardableResult
    func append(_ value: BusValue) -> Int32 {
        switch value {
        case .string(let text), .path(let text):
            // A message can't have the character zero, and would end there.
            let text = text.utf8.contains(0) ? String(decoding: text.utf8.filter { $0 != 0 }, as: UTF8.self) : text
            return text.withCString { sd_bus_message_append_basic(pointer, code(value.signature), $0) }
        case .flag(let flag): return append("b", Int32(flag ? 1 : 0))
        case .number32(let number): return append("u", number)
        case .integer32(let number): return append("i", number)
        case .number64(let number): return append("t", number)
        case .double(let number): return append("d", number)
        case .variant(let value): return append("v", contents: value.signature, [value])
        case .structure(let fields): return append("r", contents: fields.map(\.signature).joined(), fields)
        case .array(let element, let values): return append("a", contents: element, values)
        case .dictionary(let entries):
            var result = sd_bus_message_open_container(pointer, code("a"), "{sv}")
            for entry in entries where result >= 0 {
                result = append("e", contents: "sv", [.string(entry.name), .variant(entry.value)])
            }
            return result < 0 ? result : sd_bus_message_close_container(pointer)
        }
    }

    private func append<Value: BitwiseCopyable>(_ type: Unicode.Scalar, _ value: Value) -> Int32 {
        withUnsafePointer(to: value) { sd_bus_message_append_basic(pointer, code(type), $0) }
    }

    private func append(_ type: Unicode.Scalar, contents: String, _ values: [BusValue]) -> Int32 {
        var result = sd_bus_message_open_container(pointer, code(type), contents)
        for value in values where result >= 0 { result = append(value) }
        return result < 0 ? result : sd_bus_message_close_container(pointer)
    }
}

/// The code of a type, as sd-bus takes it.
private func code(_ type: Unicode.Scalar) -> CChar { CChar(truncatingIfNeeded: type.value) }
private func code(_ signature: String) -> CChar { signature.unicodeScalars.first.map { code($0) } ?? 0 }
#endif
