import DictationCore
import Foundation
import TestSupport
import Testing

@testable import DictationRemote

/// Two servers in processes of their own, behind haproxy with the configuration of the example.
@Suite struct LoadBalancerProofTests {
    private static let package = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..")
        .standardizedFileURL

    private func withBalancer(
        of servers: [ServerProcess], in folder: TemporaryFolder, _ body: (_ socket: String) async throws -> Void
    ) async throws {
        let socket = folder.file("speech")
        let balancer = Process()
        balancer.executableURL = URL(filePath: "/usr/sbin/haproxy")
        balancer.arguments = ["-db", "-f", Self.package.appending(path: "Deploy/serving/haproxy.cfg").path]
        balancer.environment = [
            "LISTEN": "unix@" + socket, "FIRST": "127.0.0.1:\(servers[0].port)",
            "SECOND": "127.0.0.1:\(servers[1].port)",
        ]
        try balancer.run()
        defer { balancer.terminate() }
        #expect(await eventually { isThere(socket) })
        try await body(socket)
    }

    /// Sends recordings, eight at once, and calls a closure after some of them. Returns the answers.
    private func send(
        _ count: Int, through socket: String, _ tone: String, after some: Int, _ body: @Sendable () -> Void
    ) async throws -> [String] {
        try await withThrowingTaskGroup(of: String.self) { group in
            var answers: [String] = []
            for number in 0..<count {
                if number >= 8, let answer = try await group.next() { answers.append(answer) }
                if number == some { body() }
                group.addTask {
                    try await run(
                        "curl",
                        [
                            "-q", "--silent", "--max-time", "60", "--unix-socket", socket, "--form", "file=@\(tone)",
                            "--form", "response_format=text", "http://localhost/v1/audio/transcriptions",
                        ]
                    ).output
                }
            }
            for try await answer in group { answers.append(answer) }
            return answers
        }
    }

    @Test(arguments: [true, false]) func aServerThatEndsLosesNoRequest(isKilled: Bool) async throws {
        let folder = try TemporaryFolder()
        let tone = try writeTone(.seconds(4), in: folder.path)
        let count = ProcessInfo.processInfo.environment["DICTATION_REQUESTS"].flatMap { Int($0) } ?? 60
        let servers = [try ServerProcess(), try ServerProcess()]
        try await withBalancer(of: servers, in: folder) { socket in
            let answers = try await send(count, through: socket, tone, after: count / 3) {
                if isKilled { servers[0].kill() } else { servers[0].stop() }
            }
            #expect(answers.count == count)
            #expect(answers.allSatisfy { $0 == "one two three four\n" }, "\(Set(answers))")
        }
    }
}
