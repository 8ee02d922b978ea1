import Foundation
import Glibc
import Testing

/// A Python program beside the tests that reads and prints lines. It ends with its input, so at the latest with the test.
final class TalkingProgram: Sendable {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Programs").path

    private let input: Int32
    private let process: pid_t

    /// Starts a program.
    ///
    /// - Parameter receive: Gets each line, on a thread of its own.
    init(
        _ name: String, _ arguments: [String] = [], environment: [String: String] = [:],
        receive: @escaping @Sendable (String) -> Void
    ) throws {
        let (process, input, output) = (Process(), Pipe(), Pipe())
        process.executableURL = URL(filePath: "/usr/bin/python3")
        process.arguments = [Self.folder + "/" + name] + arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        process.standardInput = input
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        self.process = process.processIdentifier
        self.input = dup(input.fileHandleForWriting.fileDescriptor)
        // Another program that a test starts must not keep the input open.
        _ = fcntl(self.input, F_SETFD, FD_CLOEXEC)
        try input.fileHandleForWriting.close()
        Thread {
            var bytes: [UInt8] = []
            while case let data = output.fileHandleForReading.availableData, !data.isEmpty {
                bytes += data
                while let end = bytes.firstIndex(of: 10) {
                    receive(String(decoding: bytes[..<end], as: UTF8.self))
                    bytes.removeFirst(end + 1)
                }
            }
        }.start()
    }

    deinit { close(input) }

    func send(_ line: String) {
        let bytes = Array((line + "\n").utf8)
        #expect(write(input, bytes, bytes.count) == bytes.count)
    }

    /// Ends the program as a crash would.
    func kill() { _ = Glibc.kill(process, SIGKILL) }
}
