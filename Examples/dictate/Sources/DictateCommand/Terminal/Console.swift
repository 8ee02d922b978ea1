import DictationCore
import Glibc

/// The three streams that a command has, and what is known about them.
struct Console: Sendable {
    let output = OutputStream(descriptor: STDOUT_FILENO, name: "standard output")
    let errors = OutputStream(descriptor: STDERR_FILENO, name: "standard error")
    let signals: Signals

    /// Says something of ours, in as many lines as it has, to the person at the terminal or in the log.
    func say(_ text: String) { try? errors.write(printable(text, keeping: "\n") + "\n") }

    /// Says in a line what went wrong and what to do about it, whatever the names in it are.
    func complain(_ what: String) { say("dictate: " + what.visible) }

    func complain(_ error: DictationError) { complain(error.saidOnce) }

    /// Whether there is anyone to draw for.
    var draws: Bool { errors.isTerminal && !isDumb }

    private var isDumb: Bool { getenv("TERM").map { String(cString: $0) } ?? "dumb" == "dumb" }
}

extension DictationError {
    /// What went wrong and what to do about it, without the system's words where the message has them already.
    var saidOnce: String {
        var error = self
        if let words = underlying?.message, message.contains(words) { error.underlying?.message = nil }
        return error.description
    }
}

/// A descriptor that text goes to, at once and whole.
struct OutputStream: Sendable {
    let descriptor: Int32
    let name: String

    var isTerminal: Bool { isatty(descriptor) == 1 }

    func write(_ text: String) throws(OutputError) {
        var text = text
        let failure = text.withUTF8 { bytes -> Int32? in
            var rest = UnsafeRawBufferPointer(bytes)
            while !rest.isEmpty {
                let count = Glibc.write(descriptor, rest.baseAddress, rest.count)
                if count >= 0 {
                    rest = UnsafeRawBufferPointer(rebasing: rest[count...])
                } else if errno == EAGAIN {
                    var wanted = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                    poll(&wanted, 1, -1)
                } else if errno != EINTR {
                    return errno
                }
            }
            return nil
        }
        guard let failure else { return }
        throw failure == EPIPE ? .closed : .failed(name: name, code: failure)
    }
}

/// Why text could not be written.
enum OutputError: Error, Hashable {
    /// Whoever read it wants no more, as `head` does.
    case closed
    case failed(name: String, code: Int32)

    var text: String {
        switch self {
        case .closed: "The reader of the output is gone."
        case .failed(let name, let code):
            "\(name) can't be written: \(String(cString: strerror(code))). "
                + (code == ENOSPC || code == EDQUOT
                    ? "Free some space, or write to another disk." : "Choose another place with --output.")
        }
    }
}

/// Text without what a terminal would obey, but for the characters that lay it out.
func printable(_ text: String, keeping kept: Unicode.Scalar? = nil) -> String {
    guard let kept else { return text.visible }
    return text.unicodeScalars.split(separator: kept, omittingEmptySubsequences: false)
        .map { String(Substring($0)).visible }.joined(separator: String(kept))
}

/// Text as one word of a command that can be pasted into a shell.
func quotedForShell(_ text: String) -> String {
    let isPlain = text.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "_-./:=,+@%".utf8.contains(byte)
        }
    }
    if isPlain, !text.isEmpty, text.utf8.first != UInt8(ascii: "-") { return text }
    guard text.visible.utf8.elementsEqual(text.utf8) else {
        // What a terminal would obey has to be spelled out, which bash, zsh and ksh understand.
        let spelled = text.utf8.map { byte in
            (0x20..<0x7F).contains(byte) && byte != UInt8(ascii: "'") && byte != UInt8(ascii: "\\")
                ? String(Unicode.Scalar(byte)) : "\\x" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }
        return "$'" + spelled.joined() + "'"
    }
    let quoted = text.unicodeScalars.split(separator: "'", omittingEmptySubsequences: false)
        .map { String(Substring($0)) }.joined(separator: "'\\''")
    // A name that begins with a dash would be taken for an option.
    return (text.utf8.first == UInt8(ascii: "-") ? "./" : "") + "'" + quoted + "'"
}
