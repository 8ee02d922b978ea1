import Foundation
import Testing

/// Helpers that are killed at random moments. `DICTATION_KILLS` says how many; 100 by default.
@Suite struct HostedKillProofTests {
    @Test func killsAtRandomMomentsCostNoWordAndLeaveNothing() throws {
        let count = ProcessInfo.processInfo.environment["DICTATION_KILLS"] ?? "100"
        let folder = try HelperFolder()
        let program = try folder.copy(of: "HostProbe", in: "own")
        let run = try folder.run(program, ["host-kills", count, "1"])
        #expect(run.status == 0 && run.output.hasPrefix("all kills, "), "\(run)")
    }
}
