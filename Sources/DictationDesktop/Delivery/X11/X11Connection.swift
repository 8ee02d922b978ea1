import DictationCore
import DictationSystem

/// A connection to an X server, for what xdotool can't do: tell the focus and the held keys, give keys to characters, and
/// ask a program whether it has read what was typed.
///
/// Its calls block, so it is used on a thread of its own.
final class X11Connection {
    /// How long the server may take to answer.
    private static let answerTimeout = Duration.seconds(5)
    private let socket: Descriptor
    private var received: [UInt8] = []
    private var sequence: UInt16 = 0
    private var messages: [X11Packet] = []
    private(set) var root: UInt32 = 0
    private(set) var keycodes: ClosedRange<UInt8> = 8...255

    /// Connects to the server of a display on this machine.
    ///
    /// - Parameter environment: Has `DISPLAY`, and `XAUTHORITY` or `HOME`.
    /// - Throws: `unsupportedOption` if there is no such display, or the server refuses.
    convenience init(_ environment: [String: String]) throws(DictationError) {
        let display = try X11Display(environment["DISPLAY"])
        let socket: Descriptor
        do throws(SystemError) { socket = try SocketFile.connect(to: display.socket) } catch {
            throw DictationError(
                .unsupportedOption, "The display “\(visible(display.name))” does not answer.",
                recovery: "Start the service from within the desktop, or set DISPLAY for it.")
        }
        try self.init(socket, to: display, X11Cookie.read(for: display, environment))
    }

    /// Begins the conversation with the server of a display.
    ///
    /// - Throws: `permissionDenied` if the server refuses, and `timedOut` if it does not answer.
    init(_ socket: consuming Descriptor, to display: X11Display, _ cookie: X11Cookie) throws(DictationError) {
        self.socket = socket
        var greeting = X11Bytes([0x6C, 0])
        greeting.append16(11, 0, UInt16(cookie.name.count), UInt16(cookie.data.count), 0)
        greeting.appendPadded(cookie.name)
        greeting.appendPadded(cookie.data)
        try send(greeting.bytes)
        let head = X11Packet(try take(8))
        let body = X11Packet(try take(4 * Int(head.number16(6))))
        guard head.number8(0) == 1 else {
            throw DictationError(
                .permissionDenied, "The display “\(visible(display.name))” refuses this program.",
                recovery: "Set XAUTHORITY as in the desktop.")
        }
        let screens = 32 + (Int(body.number16(16)) + 3) / 4 * 4 + 8 * Int(body.number8(21))
        let (low, high) = (max(8, body.number8(26)), body.number8(27))
        root = body.number32(screens)
        keycodes = low...max(low, high)
    }

    // MARK: Focus and keys

    /// The window that gets what is typed; `nil` if none does.
    func focus() throws(DictationError) -> UInt32? {
        let window = try ask(X11Bytes([43, 0])).number32(8)
        // 0 is none, and 1 is whatever the pointer is on.
        return window > 1 && window != root ? window : nil
    }

    /// The modifiers that are held or locked.
    func modifiers() throws(DictationError) -> X11Modifiers {
        var request = X11Bytes([38, 0])
        request.append32(root)
        return X11Modifiers(rawValue: try ask(request).number16(24))
    }

    /// The codes of the keys that are down.
    func pressedKeys() throws(DictationError) -> [UInt8] {
        let answer = try ask(X11Bytes([44, 0]))
        return keycodes.filter { answer.number8(8 + Int($0 / 8)) >> ($0 % 8) & 1 == 1 }
    }

    /// Whether another program gets all keys, such as a lock screen or an open menu.
    func isKeyboardTaken() throws(DictationError) -> Bool {
        var grab = X11Bytes([31, 1])
        grab.append32(root, 0)
        grab.bytes += [1, 1, 0, 0]
        // 1: another program has it. 4: and has stopped it.
        guard ![1, 4].contains(try ask(grab).number8(1)) else { return true }
        var release = X11Bytes([32, 0])
        release.append32(0)
        try send(numbered(release))
        return false
    }

    /// The symbols of all keys, in the order of their codes.
    func keySymbols() throws(DictationError) -> [[UInt32]] {
        var request = X11Bytes([101, 0])
        request.bytes += [keycodes.lowerBound, UInt8(keycodes.count), 0, 0]
        let answer = try ask(request)
        let width = Int(answer.number8(1))
        return (0..<keycodes.count).map { key in
            (0..<width).map { answer.number32(32 + 4 * (key * width + $0)) }
        }
    }

    /// Gives a key a symbol, with and without Shift. With 0 the key has none.
    func setSymbol(_ symbol: UInt32, of keycode: UInt8) throws(DictationError) {
        var request = X11Bytes([100, 1])
        request.bytes += [keycode, 2, 0, 0]
        request.append32(symbol, symbol)
        try send(numbered(request))
    }

    // MARK: Pings

    /// Returns the window around another one that answers pings; `nil` if none does.
    func windowWithPing(around window: UInt32) throws(DictationError) -> UInt32? {
        let (protocols, ping) = (try atom("WM_PROTOCOLS"), try atom("_NET_WM_PING"))
        var window = window
        // Windows lie in each other a few times only.
        for _ in 0..<32 where window > 1 && window != root {
            var property = X11Bytes([20, 0])
            property.append32(window, protocols, 0, 0, 64)
            let answer = try ask(property)
            if (0..<min(64, Int(answer.number32(16)))).contains(where: { answer.number32(32 + 4 * $0) == ping }) {
                return window
            }
            var tree = X11Bytes([15, 0])
            tree.append32(window)
            window = try ask(tree).number32(12)
        }
        return nil
    }

    /// Asks the program of a window to answer once it has read everything before.
    ///
    /// - Returns: Whether it answered in time.
    func ping(_ window: UInt32, within limit: Duration) throws(DictationError) -> Bool {
        let (protocols, ping) = (try atom("WM_PROTOCOLS"), try atom("_NET_WM_PING"))
        // Answers go to the root window: GTK sends them to listeners of its children, Qt to listeners of itself.
        var listening = X11Bytes([2, 0])
        listening.append32(root, 1 << 11, 1 << 19 | 1 << 17)
        try send(numbered(listening))
        messages = []
        var event = X11Bytes([25, 0])
        event.append32(window, 0)
        event.bytes += [33, 32, 0, 0]
        event.append32(window, protocols, ping, 0, window, 0, 0)
        try send(numbered(event))
        let end = TimeLimit(limit)
        while true {
            if messages.contains(where: {
                $0.number32(4) == root && $0.number32(8) == protocols && $0.number32(12) == ping
                    && $0.number32(20) == window
            }) {
                return true
            }
            messages = []
            guard let packet = try packet(until: end) else { return false }
            note(packet)
        }
    }

    private func atom(_ name: String) throws(DictationError) -> UInt32 {
        var request = X11Bytes([16, 0])
        request.append16(UInt16(name.utf8.count), 0)
        request.appendPadded(Array(name.utf8))
        return try ask(request).number32(8)
    }

    // MARK: Requests and answers

    /// Sends a request and returns its answer.
    private func ask(_ request: X11Bytes) throws(DictationError) -> X11Packet {
        try send(numbered(request))
        let (number, end) = (sequence, TimeLimit(Self.answerTimeout))
        while let packet = try packet(until: end) {
            guard packet.number8(0) < 2, packet.number16(2) == number else {
                note(packet)
                continue
            }
            guard packet.number8(0) == 1 else {
                throw DictationError(
                    .unsupportedOption, "The X server answered with the error \(packet.number8(1)).",
                    recovery: "Try again: a window may just have closed.")
            }
            return packet
        }
        throw Self.silent
    }

    /// Sets a request's length and counts it.
    private func numbered(_ request: X11Bytes) -> [UInt8] {
        sequence &+= 1
        let words = UInt16(truncatingIfNeeded: (request.bytes.count + 2) / 4)
        var bytes = request.bytes
        bytes.insert(contentsOf: [UInt8(truncatingIfNeeded: words), UInt8(truncatingIfNeeded: words >> 8)], at: 2)
        return bytes
    }

    /// Keeps a message from a program; other events and errors are of no interest.
    private func note(_ packet: X11Packet) {
        if packet.number8(0) & 0x7F == 33, messages.count < 256 { messages.append(packet) }
    }

    private func packet(until end: TimeLimit) throws(DictationError) -> X11Packet? {
        guard let head = try take(32, until: end) else { return nil }
        let packet = X11Packet(head)
        // An answer, and an event of an extension, may be longer.
        guard packet.number8(0) == 1 || packet.number8(0) & 0x7F == 35 else { return packet }
        let rest = 4 * Int(packet.number32(4))
        guard rest <= 1 << 20 else { throw Self.silent }
        return X11Packet(head + (try take(rest)))
    }

    private func take(_ count: Int) throws(DictationError) -> [UInt8] {
        guard let bytes = try take(count, until: TimeLimit(Self.answerTimeout)) else { throw Self.silent }
        return bytes
    }

    private func take(_ count: Int, until end: TimeLimit) throws(DictationError) -> [UInt8]? {
        var block = [UInt8](repeating: 0, count: 1 << 14)
        while received.count < count {
            var wait = pollfd(fd: socket.number, events: Int16(POLLIN), revents: 0)
            guard poll(&wait, 1, end.milliseconds) != 0 else { return nil }
            guard let more = socket.receive(into: &block) else { continue }
            guard more > 0 else { throw Self.silent }
            received += block[..<more]
        }
        defer { received.removeFirst(count) }
        return Array(received[..<count])
    }

    private func send(_ bytes: [UInt8]) throws(DictationError) {
        var rest = bytes[...]
        let end = TimeLimit(Self.answerTimeout)
        while !rest.isEmpty {
            guard let count = socket.send(rest) else { throw Self.silent }
            rest = rest.dropFirst(count)
            guard count == 0 else { continue }
            var wait = pollfd(fd: socket.number, events: Int16(POLLOUT), revents: 0)
            guard poll(&wait, 1, end.milliseconds) != 0 else { throw Self.silent }
        }
    }

    private static let silent = DictationError(
        .timedOut, "The X server does not answer.", recovery: "Check that the desktop still runs.")
}
