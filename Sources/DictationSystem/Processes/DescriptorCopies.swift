/// Copies of descriptors for a program, with numbers that no file of the program overwrites. They close at the end of the
/// object's lifetime.
package final class DescriptorCopies {
    /// The copies; -1 where there is none.
    package private(set) var numbers: [Int32] = []

    /// Copies descriptors.
    ///
    /// - Parameters:
    ///   - originals: The descriptors; `nil` for a file of the program that is none.
    ///   - least: The least number of a copy.
    package init(of originals: [Int32?], from least: Int) throws(SystemError) {
        for original in originals {
            numbers.append(original.map { fcntl($0, F_DUPFD_CLOEXEC, Int32(least)) } ?? -1)
            // After a throw, `deinit` closes the copies.
            if original != nil, numbers.last == -1 { throw SystemError("fcntl") }
        }
    }

    deinit { for number in numbers where number >= 0 { close(number) } }
}
