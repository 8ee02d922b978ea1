import DictationCore
import DictationSystem

/// The name of a display, such as `:0` or `:1.0`, of an X server on this machine.
struct X11Display {
    let name: String
    /// The number, as in the file of cookies.
    let number: String

    /// - Throws: `unsupportedOption` if the name is missing or means another machine.
    init(_ name: String?) throws(DictationError) {
        guard let name, !name.isEmpty else {
            throw DictationError(
                .unsupportedOption, "There is no X11 display: DISPLAY is not set.",
                recovery: "Start the service from within the desktop, or set DISPLAY for it.")
        }
        let digits = name.utf8.drop { $0 != 0x3A }.dropFirst().prefix { (0x30...0x39).contains($0) }
        guard [":", "unix:"].contains(where: name.hasPrefix), (1...5).contains(digits.count) else {
            throw DictationError(
                .unsupportedOption, "The display “\(visible(name))” is not on this machine.",
                recovery: "Choose the clipboard, a file or a command as the destination.")
        }
        (self.name, number) = (name, String(decoding: digits, as: UTF8.self))
    }

    /// The path of the server's socket.
    var socket: String { "/tmp/.X11-unix/X" + number }
}

/// What an X server wants to see before it lets a program in; empty if the user has none.
struct X11Cookie {
    private(set) var name: [UInt8] = []
    private(set) var data: [UInt8] = []

    /// Reads the cookie for a display from the user's file.
    static func read(for display: X11Display, _ environment: [String: String]) -> X11Cookie {
        let path = environment["XAUTHORITY"] ?? environment["HOME"].map { $0 + "/.Xauthority" }
        guard let path, let bytes = try? OpenFile.reading(path)?.readAll(limit: 1 << 20) else {
            return X11Cookie()
        }
        return X11Cookie(for: display, in: bytes)
    }

    private init() {}

    init(for display: X11Display, in file: [UInt8]) {
        var rest = file[...]
        func number() -> Int? {
            guard rest.count >= 2 else { return nil }
            defer { rest = rest.dropFirst(2) }
            return Int(rest[rest.startIndex]) << 8 | Int(rest[rest.startIndex + 1])
        }
        func field() -> [UInt8]? {
            guard let count = number(), rest.count >= count else { return nil }
            defer { rest = rest.dropFirst(count) }
            return Array(rest.prefix(count))
        }
        // The family and the address name a machine. The socket is this machine's, so only the number matters.
        while number() != nil, field() != nil, let number = field(), let name = field(), let data = field() {
            guard number.isEmpty || number == Array(display.number.utf8), name == Array("MIT-MAGIC-COOKIE-1".utf8)
            else {
                continue
            }
            (self.name, self.data) = (name, data)
            return
        }
    }
}
