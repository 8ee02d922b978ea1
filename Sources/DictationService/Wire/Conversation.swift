import DictationCore
import DictationSystem

/// A service's side of the conversation with one client, as a value: bytes in, steps out.
package struct Conversation {
    /// What a service does next.
    enum Step: Hashable {
        case request(WireRequest)
        /// Answers a line that is no request.
        case refuse(DictationError)
        /// Answers, then ends the conversation.
        case refuseAndClose(DictationError)
    }

    /// The most bytes in a line from a client.
    package static let lineLimit = 65_536

    private var lines = LineBuffer(limit: lineLimit)
    private(set) var isGreeted = false
    private(set) var isOver = false

    mutating func receive(_ bytes: some Sequence<UInt8>) { lines.append(bytes) }

    /// Returns the next step; `nil` until more bytes come.
    mutating func next() -> Step? {
        while !isOver {
            switch lines.next() {
            case .incomplete: return nil
            case .tooLong:
                isOver = true
                return .refuseAndClose(
                    DictationError(
                        .invalidInput, "A line is longer than \(Self.lineLimit) bytes.",
                        recovery: "Send one request on each line."))
            case .line([]): continue
            case .line(let line):
                if isGreeted { return step(line) }
                if let refusal = refusal(of: line) { return refusal }
            }
        }
        return nil
    }

    private func step(_ line: [UInt8]) -> Step {
        do throws(DictationError) { return .request(try WireLine.value(WireRequest.self, in: line)) } catch {
            return .refuse(error)
        }
    }

    private mutating func refusal(of line: [UInt8]) -> Step? {
        let hello = try? WireLine.value(WireHello.self, in: line)
        let error = hello.map(\.refusal) ?? .noHello
        isGreeted = error == nil
        isOver = error != nil
        return error.map { .refuseAndClose($0) }
    }
}
