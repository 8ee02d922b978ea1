import DictationCore
import Glibc
import Testing

@Suite struct BlockingThreadTests {
    @Test func aServerThatGoesAwayEndsNoProgram() async throws {
        let error = try await Task(executorPreference: BlockingThread(name: "writer")) { try Self.writeToNobody() }
            .value
        #expect(error == EPIPE)
    }

    private static func writeToNobody() throws -> Int32 {
        var blocked = sigset_t()
        pthread_sigmask(SIG_BLOCK, nil, &blocked)
        try #require(sigismember(&blocked, SIGPIPE) == 1, "The write below would end the tests.")
        var ends: [Int32] = [-1, -1]
        try #require(pipe(&ends) == 0)
        close(ends[0])
        defer { close(ends[1]) }
        return write(ends[1], "!", 1) == 1 ? 0 : errno
    }
}
