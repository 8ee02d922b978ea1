package import DictationCore

/// The error of a system call.
package struct SystemError: Error {
    package let call: String
    package let code: Int32

    /// Takes the code of the last system call.
    package init(_ call: String, code: Int32 = errno) {
        (self.call, self.code) = (call, code)
    }

    /// The reason in the words of the system.
    package var reason: String { String(cString: strerror(code)) }

    package var underlying: DictationError.Underlying {
        .init(domain: call, code: Int(code), message: reason)
    }
}
