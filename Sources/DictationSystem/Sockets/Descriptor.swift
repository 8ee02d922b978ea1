import CSystem

/// An open file descriptor, which closes at the end of the value's lifetime.
package struct Descriptor: ~Copyable, Sendable {
    package let number: Int32

    package init(_ number: Int32) { self.number = number }
    deinit { close(number) }

    /// Makes two connected unix sockets, which no child process inherits.
    package static func pair(keepsMessages: Bool = false) throws(SystemError) -> (Int32, Int32) {
        var pair: [Int32] = [-1, -1]
        let code = dictation_make_pair(&pair, keepsMessages ? 1 : 0)
        guard code == 0 else { throw SystemError("socketpair", code: -code) }
        return (pair[0], pair[1])
    }

    /// Makes a pipe, which no child process inherits.
    package static func pipe() throws(SystemError) -> (reading: Int32, writing: Int32) {
        var ends: [Int32] = [-1, -1]
        let code = dictation_make_pipe(&ends)
        guard code == 0 else { throw SystemError("pipe", code: -code) }
        return (ends[0], ends[1])
    }

    /// Reads until the memory is full or the file ends.
    ///
    /// - Parameter offset: Where to begin; `nil` goes on where the last call ended, and reads once.
    /// - Returns: The number of bytes.
    package func read(
        into bytes: UnsafeMutableRawBufferPointer, from offset: Int64? = nil
    ) throws(SystemError) -> Int {
        var filled = 0
        while filled < bytes.count {
            let rest = UnsafeMutableRawBufferPointer(rebasing: bytes[filled...])
            let count = uninterrupted {
                offset.map { pread(number, rest.baseAddress, rest.count, off_t($0) + off_t(filled)) }
                    ?? Glibc.read(number, rest.baseAddress, rest.count)
            }
            guard count >= 0 else { throw SystemError("read") }
            filled += count
            if count == 0 || offset == nil { break }
        }
        return filled
    }

    /// Writes all bytes.
    ///
    /// - Parameter offset: Where to begin; `nil` goes on where the last call ended.
    package func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64? = nil) throws(SystemError) {
        var written = 0
        while written < bytes.count {
            let rest = UnsafeRawBufferPointer(rebasing: bytes[written...])
            let count = uninterrupted {
                offset.map { pwrite(number, rest.baseAddress, rest.count, off_t($0) + off_t(written)) }
                    ?? Glibc.write(number, rest.baseAddress, rest.count)
            }
            guard count > 0 else { throw SystemError("write", code: count < 0 ? errno : ENOSPC) }
            written += count
        }
    }

    /// Takes the lock of the file or folder, which one holder has at a time, in this process or another.
    ///
    /// - Parameter waiting: Whether to wait until the holder releases it.
    /// - Returns: 0, or the code of the error: `EWOULDBLOCK` if somebody else has the lock. Some file systems have none.
    package func lock(waiting: Bool = false) -> Int32 {
        uninterrupted { flock(number, LOCK_EX | (waiting ? 0 : LOCK_NB)) } == 0 ? 0 : errno
    }

    /// Releases the lock. To close the file would not be enough: a child process that has not started its program yet has
    /// a copy of the descriptor.
    package func unlock() { _ = flock(number, LOCK_UN) }

    /// Waits until something can be read, or the other side has ended; `false` when the time is over.
    package func hasInput(within milliseconds: Int32) -> Bool {
        var wait = pollfd(fd: number, events: Int16(POLLIN), revents: 0)
        return uninterrupted { Int(poll(&wait, 1, milliseconds)) } > 0
    }

    /// Reads once without waiting.
    ///
    /// - Returns: The number of bytes; 0 at the end, and `nil` if nothing can be read now.
    package func receive(into block: inout [UInt8]) -> Int? {
        let count = uninterrupted { recv(number, &block, block.count, Int32(MSG_DONTWAIT)) }
        if count >= 0 { return count }
        return errno == EAGAIN || errno == EWOULDBLOCK ? nil : 0
    }

    /// Writes once without waiting, and without a signal when nobody reads.
    ///
    /// - Returns: The number of bytes, or `nil` if the other side is gone.
    package func send(_ bytes: ArraySlice<UInt8>) -> Int? {
        let count = uninterrupted {
            bytes.withUnsafeBytes { Glibc.send(number, $0.baseAddress, $0.count, Int32(MSG_DONTWAIT | MSG_NOSIGNAL)) }
        }
        if count >= 0 { return count }
        return errno == EAGAIN || errno == EWOULDBLOCK ? 0 : nil
    }

    /// Sends a message with copies of open files through a socket for messages. Blocks while the other side is slow.
    package func send(_ message: [UInt8], with files: [Int32]) throws(SystemError) {
        let code = dictation_send_files(number, message, message.count, files, Int32(files.count))
        guard code == 0 else { throw SystemError("sendmsg", code: -code) }
    }

    /// Waits for a message with open files.
    ///
    /// - Parameter count: The number of files.
    /// - Returns: The message and the files; `nil` at the end, or for anything else.
    package func receive(limit: Int, files count: Int) -> (message: [UInt8], files: [Int32])? {
        var files = [Int32](repeating: -1, count: count)
        var size = 0
        let message = [UInt8](unsafeUninitializedCapacity: limit) { bytes, filled in
            size = uninterrupted {
                let size = dictation_receive_files(number, bytes.baseAddress, limit, &files, Int32(count))
                if size < 0 { errno = Int32(-size) }
                return size < 0 ? -1 : size
            }
            filled = max(0, size)
        }
        return size > 0 ? (message, files) : nil
    }

    /// Accepts a connection.
    ///
    /// - Returns: The connection's descriptor, or the negative code of the error.
    package func accept() -> Int32 { dictation_accept(number) }

    /// The user at the other end of a unix socket; `nil` if it is unknown.
    package var peer: UInt32? {
        var user = uid_t.max
        return dictation_peer_user(number, &user) == 0 ? user : nil
    }

    /// The path of a unix socket that listens; `nil` for anything else.
    package var listeningPath: String? {
        guard dictation_is_listening(number) != 0 else { return nil }
        var (address, size) = (sockaddr_un(), socklen_t(MemoryLayout<sockaddr_un>.size))
        let code = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(number, $0, &size) }
        }
        guard code == 0, address.sun_family == sa_family_t(AF_UNIX) else { return nil }
        let bytes = withUnsafeBytes(of: address.sun_path) { Array($0.prefix { $0 != 0 }) }
        return bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self)
    }
}

/// Makes a system call again for as long as signals interrupt it.
package func uninterrupted<Answer: FixedWidthInteger>(_ call: () -> Answer) -> Answer {
    while true {
        let answer = call()
        if answer >= 0 || errno != EINTR { return answer }
    }
}
