#if Server
import DictationCore
import DictationHTTP
import Glibc
import Testing

/// A server closes each of its descriptors once: by then, the number may be a file of another thread.
@Suite struct DaemonDescriptorTests {
    private struct EmptySite: HTTPSite {
        func plan(for request: HTTPRequest) -> HTTPPlan { .answer(HTTPResponse(204, "")) }
    }

    /// Opens files, then calls the closure and expects all of them to be open.
    private func expectOpenFiles(after call: () throws -> Void) rethrows {
        let files = (0..<40).map { _ in open("/dev/null", O_RDONLY | O_CLOEXEC) }
        try call()
        for file in files { #expect(close(file) == 0) }
    }

    @Test func aServerThatEndsTwiceClosesNothingElse() throws {
        let daemon = try HTTPDaemon(HTTPDaemon.Configuration(), site: EmptySite())
        daemon.quiesce()
        expectOpenFiles { daemon.quiesce() }
        daemon.close()
        expectOpenFiles {
            daemon.quiesce()
            daemon.close()
        }
    }

    /// While the server fails to start, other threads open and close files.
    @Test func aServerThatCannotStartClosesNothingElse() async throws {
        var configuration = HTTPDaemon.Configuration()
        configuration.identity = HTTPIdentity(certificate: "no certificate", key: "no key")
        let configured = configuration
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                for _ in 0..<200 {
                    #expect(throws: DictationError.self) { try HTTPDaemon(configured, site: EmptySite()) }
                }
            }
            group.addTask {
                for _ in 0..<20_000 { #expect(close(open("/dev/null", O_RDONLY | O_CLOEXEC)) == 0) }
            }
            try await group.waitForAll()
        }
    }

    /// A port is free for the next server as soon as the last one takes no more connections.
    @Test func itsPortIsFreeForTheNextServer() throws {
        let first = try HTTPDaemon(HTTPDaemon.Configuration(), site: EmptySite())
        first.quiesce()
        var configuration = HTTPDaemon.Configuration()
        configuration.port = first.port
        let second = try HTTPDaemon(configuration, site: EmptySite())
        #expect(second.port == first.port)
        first.close()
        second.close()
    }
}
#endif
