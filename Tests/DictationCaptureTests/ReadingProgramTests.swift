import DictationSystem
import Foundation
import Testing

@Suite struct ReadingProgramTests {
    /// Reads all that a shell script writes, and returns its size and the signal or exit code that ended the script.
    private func read(_ script: String, rest: Int) throws -> (count: Int, status: Int32?) {
        let file = try FileHandle(forReadingFrom: URL(filePath: "/dev/null"))
        let program = try ReadingProgram(
            ["sh", "-c", script], reading: file.fileDescriptor, patience: (work: 60, rest: rest))
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

    @Test func aProcessThatTheProgramLeavesBehindIsEnded() async throws {
        let folder = TemporaryFolder()
        let (count, _) = try read("echo begun; sleep 1000 & echo $! >'\(folder("child"))'", rest: 60)
        #expect(count == 6)
        let text = try String(contentsOfFile: folder("child"), encoding: .utf8)
        let child = try #require(pid_t(text.trimmingCharacters(in: .whitespacesAndNewlines)))
        // A killed process may take a moment to end on a busy machine.
        func isAlive() -> Bool {
            let state = (try? String(contentsOfFile: "/proc/\(child)/stat", encoding: .utf8)) ?? ""
            return !state.isEmpty && !state.contains(") Z ")
        }
        while isAlive() { try await Task.sleep(for: .milliseconds(5)) }
    }
}
