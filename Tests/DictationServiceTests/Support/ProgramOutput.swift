import Foundation
import TestSupport
import Testing

/// Runs a program with more variables in its environment, and returns what it printed without the end of the line.
func output(
    of program: String, _ arguments: [String], environment: [String: String]
) async throws -> String {
    let folder = try TemporaryFolder()
    let process = Process()
    process.executableURL = URL(filePath: program)
    process.arguments = arguments
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    let output = URL(filePath: folder.file("output"))
    #expect(FileManager.default.createFile(atPath: output.path, contents: nil))
    let handle = try FileHandle(forWritingTo: output)
    process.standardOutput = handle
    process.standardError = handle
    process.standardInput = FileHandle.nullDevice
    try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
        process.terminationHandler = { _ in continuation.resume() }
        do { try process.run() } catch { continuation.resume(throwing: error) }
    }
    return try String(contentsOf: output, encoding: .utf8).trimmingCharacters(in: .newlines)
}
