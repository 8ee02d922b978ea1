import DictationPlatform
import Foundation
import Testing

@Suite struct ReadingProgramTests {
    /// Reads all that a shell script writes, and returns its size and the signal or exit code that ended the script.
    private func read(_ script: String, rest: Int) throws -> (count: Int, status: Int32?) {
        let file = try FileHandle(forReadingFrom: URL(filePath: "/dev/null"))
        let program = try ReadingProgram(
            ["sh", "-c", script], environment: ["PATH=/usr/bin:/bin"], reading: file.fileDescriptor,
            patience: (work: 60, rest: rest))
        var bytes = [UInt8](repeating: 0, count: 100)
        let count = bytes.withUnsafeMutableBytes { program.read(into: $0) }
        return (count, program.end().status)
    }

    @Test(arguments: ["sleep 1000", "echo begun; sleep 1000", "echo begun; exec >&-; sleep 1000"])
    func aProgramThatOnlyWaitsIsEnded(_ script: String) throws {
        let (count, status) = try read(script, rest: 1)
        #expect(count == (script.hasPrefix("echo") ? 6 : 0))
        #expect(status == -SIGKILL)
    }

    @Test func aProgramThatIsSlowIsNotEnded() throws {
        let (count, status) = try read("for i in 1 2 3 4 5 6 7 8; do sleep 0.8; echo $i; done; exit 7", rest: 5)
        #expect(count == 16)
        #expect(status == 7)
    }
}
