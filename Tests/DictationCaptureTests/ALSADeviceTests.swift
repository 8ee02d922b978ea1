import DictationCore
import Foundation
import Testing

/// The real libasound, with a device that fails on demand.
@Suite(.serialized) struct ALSADeviceTests {
    private let folder = TemporaryFolder()

    /// Builds the device's plug-in and writes its configuration; gives the environment that has them.
    private func environment(
        fault: String = "", where place: String = "transfer", after: Int = 16_000, times: Int = 1, pause: Int = 0,
        more: [String: String] = [:]
    ) async throws -> [String: String] {
        let source = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("CFaultPCM/fault.c").path
        let library = folder("libfault.so")
        if !FileManager.default.fileExists(atPath: library) {
            let compiler = try Child("cc", ["-shared", "-fPIC", "-DPIC", "-O1", "-o", library, source, "-lasound"])
            let output = await compiler.end()
            try #require(compiler.exitCode == 0, "\(output ?? []); install build-essential and libasound2-dev")
        }
        let text = """
            pcm_type.fault { lib "\(library)" }
            pcm.fault {
                type fault
                fault "\(fault)"
                where "\(place)"
                after \(after)
                times \(times)
                pause \(pause)
                hint { show on description "A device that fails" }
            }
            """
        try text.write(toFile: folder("alsa.conf"), atomically: true, encoding: .utf8)
        return ["ALSA_CONFIG_PATH": folder("alsa.conf")].merging(more) { $1 }
    }

    private func capture(_ seconds: String, _ environment: [String: String]) async throws -> [String] {
        let probe = try Child(Child.built("CaptureProbe"), ["capture", "fault", seconds], environment: environment)
        return try #require(await probe.end(within: .seconds(30)))
    }

    /// The sums that the probe printed.
    private func sums(_ lines: [String]) throws -> (frames: Int, lost: Int, elapsed: Double) {
        let line = try #require(lines.first { $0.hasPrefix("sums") }, "\(lines)")
        print(line)
        let words = line.split(separator: " ").map(String.init)
        return (Int(words[2]) ?? -1, Int(words[4]) ?? -1, Double(words[8]) ?? -1)
    }

    /// Every frame of the device's clock was given or said to be lost, but for what the machine's own delays cost.
    private func expectBalance(_ lines: [String], within milliseconds: Double = 150) throws {
        let (frames, lost, elapsed) = try sums(lines)
        #expect(abs(Double(frames + lost) / 16 - elapsed) < milliseconds, "\(lines)")
    }

    @Test func aGoodDeviceGivesEveryFrameOnce() async throws {
        let lines = try await capture("2", environment(times: 0))
        #expect(lines.contains("counter starts 0 breaks 0"), "\(lines)")
        try expectBalance(lines)
        #expect(try sums(lines).lost == 0)
    }

    @Test(
        arguments: ["transfer", "pointer"],
        [
            ("epipe", 1), ("epipe", -1), ("estrpipe", 1), ("estrpipe", -1),
            ("enodev", 1), ("enodev", -1), ("eio", 1), ("eio", -1),
        ])
    func faultsAreSurvivedAndAccountedFor(_ place: String, _ fault: (String, Int)) async throws {
        let lines = try await capture("3", environment(fault: fault.0, where: place, times: fault.1))
        print("\(fault.0) in \(place), \(fault.1 < 0 ? "for ever" : "once"): \(lines)")
        try expectBalance(lines, within: 250)
        if fault.1 < 0 { #expect(lines.contains("interrupted deviceLost") && lines.contains("resumed"), "\(lines)") }
        let (frames, lost, _) = try sums(lines)
        #expect(frames > 16_000, "\(lines)")
        if fault == ("estrpipe", 1), lost == 0 {
            // The device resumed where it was, and nothing was lost.
            #expect(lines.contains("interrupted suspended") && lines.contains("resumed"), "\(lines)")
        } else {
            #expect(lost > 0 && lines.contains { $0.hasPrefix("gap") }, "\(lines)")
        }
    }

    @Test func aPauseOfTwoSecondsIsNoticed() async throws {
        let lines = try await capture("5", environment(pause: 2_000))
        #expect(lines.contains("interrupted noData"), "\(lines)")
        #expect(lines.contains("resumed"), "\(lines)")
        #expect(lines.contains { $0.hasPrefix("gap stalled") }, "\(lines)")
        // The device's own clock stood still, so its frames go on without a break.
        #expect(lines.contains("counter starts 0 breaks 0"), "\(lines)")
        try expectBalance(lines)
    }

    @Test func aDeviceThatIsGoneComesBack() async throws {
        let gone = folder("gone")
        let environment = try await environment(fault: "enodev", more: ["DICTATION_FAULT_GONE": gone])
        let probe = try Child(Child.built("CaptureProbe"), ["capture", "fault", "6"], environment: environment)
        _ = try #require(await probe.line { $0 == "started" })
        try Data().write(to: URL(fileURLWithPath: gone))
        _ = try #require(await probe.line { $0 == "interrupted deviceLost" }, "\(probe.output)")
        try FileManager.default.removeItem(atPath: gone)
        _ = try #require(await probe.line { $0 == "resumed" }, "\(probe.output)")
        let lines = try #require(await probe.end())
        #expect(lines.contains { $0.hasPrefix("gap unplugged") })
        try expectBalance(lines)
    }

    @Test func theCapturePathAllocatesNothingPerBuffer() async throws {
        let lines = try await capture("6", environment(times: 0))
        let line = try #require(lines.first { $0.hasPrefix("allocations") })
        print("after the first 1.5 s, in 4.3 s of capture: \(line)")
        #expect(line == "allocations 0")
    }

    @Test func aMissingDeviceIsAnsweredWithThoseThereAre() async throws {
        let environment = try await environment()
        let probe = try Child(Child.built("CaptureProbe"), ["capture", "nothing", "1"], environment: environment)
        let lines = try #require(await probe.end())
        #expect(
            lines.contains { $0.hasPrefix("error deviceNotFound") && $0.contains("Choose one of: fault") }, "\(lines)")
        let list = try Child(Child.built("CaptureProbe"), ["devices"], environment: environment)
        #expect(try #require(await list.end()).contains("- fault: A device that fails"))
    }

    @Test func aRefusedDeviceSaysWhatToDo() async throws {
        let lines = try await capture("1", environment(more: ["DICTATION_FAULT_DENIED": "1"]))
        #expect(lines.contains { $0.hasPrefix("error permissionDenied") && $0.contains("group “audio”") }, "\(lines)")
    }

    @Test(arguments: ["warm", "full"]) func manyStartsAndStopsLeaveNothingBehind(_ mode: String) async throws {
        let environment = try await environment(times: 0)
        let probe = try Child(Child.built("CaptureProbe"), ["cycles", "fault", "60", mode], environment: environment)
        let lines = try #require(await probe.end())
        print("\(mode): \(lines)")
        func held(_ name: String) throws -> [Int] {
            try #require(lines.first { $0.hasPrefix(name) }).split(separator: " ").compactMap { Int($0) }
        }
        let (before, after) = (try held("before"), try held("after"))
        // Swift's pool comes and goes by a few; what every cycle left behind would be there 54 times.
        #expect(after[0] <= before[0] + 8 && after[1] <= before[1] + 8 && after[2] <= before[2] + 4_000)
        #expect(lines.contains { $0.hasPrefix("cycles 60 unbroken 60") })
    }
}
