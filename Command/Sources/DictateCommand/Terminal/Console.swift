import DictationCore
import Glibc

/// The three standard streams.
struct Console: Sendable {
    let output = OutputStream(descriptor: STDOUT_FILENO, name: "standard output")
    let errors = OutputStream(descriptor: STDERR_FILENO, name: "standard error")
    let signals: Signals

    /// Writes a message of one or more lines to standard error.
    func say(_ text: String) { try? errors.write(printable(text, keeping: "\n") + "\n") }

    /// Writes a problem on one line, with control characters spelled out.
    func complain(_ what: String) { say("dictate: " + what.visible) }

    func complain(_ error: DictationError) { complain(error.saidOnce) }

    /// Whether standard error is a terminal to draw on.
    var draws: Bool { errors.isTerminal && !isDumb }

    private var isDumb: Bool { getenv("TERM").map { String(cString: $0) } ?? "dumb" == "dumb" }
}

extension DictationError {
    /// The message and the recovery in the words of the command, without the system's words if the message has them.
    var saidOnce: String {
        var error = namingTypedOption().advised
        if let words = underlying?.message, message.contains(words) { error.underlying?.message = nil }
        return error.description
    }
}

/// A file descriptor; each write is complete and unbuffered.
struct OutputStream: Sendable {
    let descriptor: Int32
    let name: String

    var isTerminal: Bool { isatty(descriptor) == 1 }

    func write(_ text: String) throws(OutputError) { try write(Array(text.utf8)[...]) }

    func write(_ bytes: ArraySlice<UInt8>) throws(OutputError) {
        let failure = bytes.withUnsafeBytes { bytes -> Int32? in
            var rest = bytes
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

/// The error of a failed write.
enum OutputError: Error, Hashable {
    /// The reader closed the pipe, as `head` does.
    case closed
    case failed(name: String, code: Int32)
    /// The file, or a link in its place, is another user's.
    case belongsToAnother(name: String)

    var text: String {
        switch self {
        case .closed: "The reader of the output is gone."
        case .belongsToAnother(let name):
            "\(name) belongs to another user, so nothing is written there. Write it to another place."
        case .failed(let name, let code):
            "\(name) can't be written: \(String(cString: strerror(code))). "
                + (code == ENOSPC || code == EDQUOT
                    ? "Free some space, or write to another disk." : "Write it to another place.")
        }
    }
}

/// Returns a text with control characters spelled out, except `kept`.
func printable(_ text: String, keeping kept: Unicode.Scalar? = nil) -> String {
    guard let kept else { return text.visible }
    return text.unicodeScalars.split(separator: kept, omittingEmptySubsequences: false)
        .map { String(Substring($0)).visible }.joined(separator: String(kept))
}

/// Returns a text quoted as one word of a shell command.
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
        // bash, zsh and ksh read control characters in this form.
        let spelled = text.utf8.map { byte in
            (0x20..<0x7F).contains(byte) && byte != UInt8(ascii: "'") && byte != UInt8(ascii: "\\")
                ? String(Unicode.Scalar(byte)) : "\\x" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }
        return "$'" + spelled.joined() + "'"
    }
    let quoted = text.unicodeScalars.split(separator: "'", omittingEmptySubsequences: false)
        .map { String(Substring($0)) }.joined(separator: "'\\''")
    // A name that starts with a dash would be an option.
    return (text.utf8.first == UInt8(ascii: "-") ? "./" : "") + "'" + quoted + "'"
}
