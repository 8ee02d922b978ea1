/// A pipe between this process and a program that is started. One thread uses it. Both ends close at the end of its
/// lifetime.
///
/// It is a pipe and not a socket, because programs open their input and output again, for instance as `/dev/stdin`.
package final class ProgramPipe {
    package enum Direction: Sendable { case toProgram, fromProgram }

    private var ours: Descriptor?
    private var given: Descriptor?

    package init(_ direction: Direction) throws(SystemError) {
        let ends = try Descriptor.pipe()
        let (own, other) = direction == .toProgram ? (ends.writing, ends.reading) : (ends.reading, ends.writing)
        ours = Descriptor(own)
        given = Descriptor(other)
        _ = fcntl(own, F_SETFL, O_NONBLOCK)
    }

    /// The program's end; -1 once it is closed.
    package var theirs: Int32 { given?.number ?? -1 }

    /// Closes the program's end, once the program has it.
    package func closeTheirs() { given = nil }

    /// Ends what the program reads, or stops reading what it writes. Then its next write ends it, unless it ignores that.
    package func close() { ours = nil }

    /// Whether this end is open. It closes when the program has closed its own.
    package var isOpen: Bool { ours != nil }

    /// An entry for `poll`, which ignores an end that is closed.
    package func wait(for events: Int32 = POLLIN) -> pollfd {
        pollfd(fd: ours?.number ?? -1, events: Int16(events), revents: 0)
    }

    /// Returns the bytes that are there. Closes the pipe at its end.
    package func read(limit: Int = 1 << 14) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: limit) { memory, count in
            count = read(into: UnsafeMutableRawBufferPointer(memory))
        }
    }

    /// Reads what is there into memory, and returns the number of bytes. Closes the pipe at its end.
    package func read(into bytes: UnsafeMutableRawBufferPointer) -> Int {
        guard let number = ours?.number, !bytes.isEmpty else { return 0 }
        while true {
            let count = Glibc.read(number, bytes.baseAddress, bytes.count)
            if count > 0 { return count }
            if count < 0, errno == EINTR { continue }
            if count == 0 || errno != EAGAIN { ours = nil }
            return 0
        }
    }

    /// Sends what the program takes now, and returns the number of bytes; `nil` if it takes no more at all.
    package func send(_ bytes: ArraySlice<UInt8>) -> Int? {
        guard let number = ours?.number else { return nil }
        return withoutBrokenPipe {
            let count = bytes.withUnsafeBytes { write(number, $0.baseAddress, $0.count) }
            if count >= 0 { return count }
            return errno == EAGAIN || errno == EINTR ? 0 : nil
        }
    }

    /// Writes to a pipe that nobody may read. The signal of a broken pipe goes to the calling thread, which drops it.
    private func withoutBrokenPipe(_ write: () -> Int?) -> Int? {
        var (broken, before, now) = (sigset_t(), sigset_t(), timespec())
        sigemptyset(&broken)
        sigaddset(&broken, SIGPIPE)
        pthread_sigmask(SIG_BLOCK, &broken, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
        let count = write()
        if count == nil { while sigtimedwait(&broken, nil, &now) < 0, errno == EINTR {} }
        return count
    }
}
