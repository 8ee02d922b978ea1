public import DictationCore
import DictationSystem

/// Writes each text and a line feed to an open file, such as the standard output.
public struct OutputDestination: TextDestination {
    private let descriptor: Int32
    /// How long nobody may read.
    private let readerTimeout: Duration
    private let work = BlockingWork("dictation-output")

    /// Creates a destination.
    ///
    /// - Parameter descriptor: The descriptor of the open file; 1 is the standard output.
    public init(descriptor: Int32 = 1) { self.init(descriptor: descriptor, readerTimeout: .seconds(5)) }

    init(descriptor: Int32, readerTimeout: Duration) {
        (self.descriptor, self.readerTimeout) = (descriptor, readerTimeout)
    }

    /// The name `output`.
    public var name: String { "output" }

    /// Returns `nil`: the file is open.
    public func problem() async -> DictationError? { nil }

    /// Writes the text. See ``TextDestination/deliver(_:into:)``.
    public func deliver(_ text: DictatedText, into field: FocusedField?) async -> TextDelivery.Outcome {
        let bytes = Array((text.forDestination + "\n").utf8)
        let (descriptor, readerTimeout) = (descriptor, readerTimeout)
        let outcome = try? await work.run { () throws(DictationError) in
            var written = 0
            while written < bytes.count {
                var wait = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                guard poll(&wait, 1, Int32(readerTimeout / .milliseconds(1))) != 0 else {
                    let reason = "Nobody reads the output."
                    return written == 0 ? TextDelivery.Outcome.unavailable(reason) : .incomplete(reason)
                }
                // As much as a pipe that can be written takes without waiting.
                let part = bytes[written...].prefix(Int(PIPE_BUF))
                let count = part.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
                if count < 0, errno == EINTR || errno == EAGAIN { continue }
                guard count > 0 else {
                    let reason = String(cString: strerror(errno))
                    return written == 0 ? TextDelivery.Outcome.unavailable(reason) : .incomplete(reason)
                }
                written += count
            }
            return .delivered
        }
        return outcome ?? .incomplete("The call was cancelled.")
    }
}
