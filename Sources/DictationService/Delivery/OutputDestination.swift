public import DictationCore
import DictationFiles
import DictationPlatform

/// Writes each text and a line feed to an open file, such as the standard output.
public struct OutputDestination: TextDestination {
    private let descriptor: Int32
    private let work = BlockingWork("dictation-output")

    /// Creates a destination.
    ///
    /// - Parameter descriptor: The descriptor of the open file; 1 is the standard output.
    public init(descriptor: Int32 = 1) { self.descriptor = descriptor }

    /// The name `output`.
    public var name: String { "output" }

    /// Returns `nil`: the file is open.
    public func problem() async -> DictationError? { nil }

    /// Writes the text. See ``TextDestination/deliver(_:into:)``.
    public func deliver(_ text: DictatedText, into field: FocusedField?) async -> DeliveryOutcome {
        let bytes = Array((text.text + "\n").utf8)
        let descriptor = descriptor
        let outcome = try? await work.run { () throws(DictationError) in
            var written = 0
            while written < bytes.count {
                let count = bytes[written...].withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
                if count < 0, errno == EINTR { continue }
                guard count > 0 else {
                    let reason = String(cString: strerror(errno))
                    return written == 0 ? DeliveryOutcome.unavailable(reason) : .incomplete(reason)
                }
                written += count
            }
            return .delivered
        }
        return outcome ?? .incomplete("The call was cancelled.")
    }
}
