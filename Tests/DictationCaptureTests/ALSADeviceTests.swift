import DictationCore
import Foundation
import Testing

/// The real libasound, with a device that fails on demand.
@Suite(.serialized) struct ALSADeviceTests {
    private let folder = TemporaryFolder()

    /// The environment of a process that has the device.
    private func environment(
        fault: String = "", where place: String = "transfer", after: Int = 16_000, times: Int = 1, pause: Int = 0,
        more: String = ""
    ) async throws -> [String: String] {
        let device = try await FaultDevice(
            in: folder, fault: fault, where: place, after: after, times: times, pause: pause, more: more)
        return ["ALSA_CONFIG_PATH": device.configuration]
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
    private func expectBalance(_ lines: [String], within milliseconds: Double = Proof.isSanitized ? 1_000 : 150) throws
    {
        let (frames, lost, elapsed) = try sums(lines)
        #expect(abs(Double(frames + lost) / 16 - elapsed) < milliseconds, "\(lines)")
    }

    @Test func aGoodDeviceGivesEveryFrameOnce() async throws {
        let lines = try await capture("2", environment(times: 0))
        #expect(lines.contains("counter starts 0 breaks 0"), "\(lines)")
        try expectBalance(lines)
        #expect(try sums(lines).lost == 0)
    }

    @Test(arguments: ["transfer", "pointer"]) func faultsAreSurvivedAndAccountedFor(_ place: String) async throws {
        _ = try await environment()
        try await withThrowingTaskGroup { group in
            for fault in ["epipe", "estrpipe", "enodev", "eio"] {
                for times in [1, -1] {
                    group.addTask { try await expectToSurvive(fault, in: place, times: times) }
                }
            }
            try await group.waitForAll()
        }
    }

    private func expectToSurvive(_ fault: String, in place: String, times: Int) async throws {
        let device = try await FaultDevice(
            in: folder, "\(fault)\(times).conf", fault: fault, where: place, times: times)
        let lines = try await capture("3", ["ALSA_CONFIG_PATH": device.configuration])
        print("\(fault) in \(place), \(times < 0 ? "for ever" : "once"): \(lines)")
        try expectBalance(lines, within: 250)
        if times < 0 { #expect(lines.contains("interrupted deviceLost") && lines.contains("resumed"), "\(lines)") }
        // A pointer's error is an overrun to libasound, whatever it is; one in a transfer is told as what it is.
        let told = [
            "epipe": "counter starts 0 breaks 1", "estrpipe": "interrupted suspended",
            "enodev": "interrupted deviceLost", "eio": "interrupted deviceLost",
        ]
        if place == "transfer", times == 1, let line = told[fault] { #expect(lines.contains(line), "\(lines)") }
        let (frames, lost, _) = try sums(lines)
        #expect(frames > 16_000, "\(lines)")
        // A device that goes on at once may have lost nothing: then the sums agree without a gap.
        #expect(lost > 0 ? lines.contains { $0.hasPrefix("gap") } : times == 1, "\(lines)")
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
        let environment = try await environment(fault: "enodev", more: "gone \"\(gone)\"")
        let probe = try Child(Child.built("CaptureProbe"), ["capture", "fault", "600"], environment: environment)
        _ = try #require(await probe.line { $0 == "started" })
        try Data().write(to: URL(fileURLWithPath: gone))
        _ = try #require(await probe.line { $0 == "interrupted deviceLost" }, "\(probe.output)")
        try FileManager.default.removeItem(atPath: gone)
        _ = try #require(await probe.line { $0 == "resumed" }, "\(probe.output)")
        probe.kill(SIGTERM)
        let lines = try #require(await probe.end())
        #expect(lines.contains { $0.hasPrefix("gap unplugged") })
        try expectBalance(lines)
    }

    @Test(.enabled(if: !Proof.isSanitized, "A sanitizer brings an allocator of its own."))
    func theLevelNormalizerAllocatesNothingPerBuffer() async throws {
        let probe = try Child(Child.built("CaptureProbe"), ["normalize"])
        let lines = try #require(await probe.end())
        let line = try #require(lines.first { $0.hasPrefix("allocations") }, "\(lines)")
        let words = line.split(separator: " ").map(String.init)
        #expect(words[1] == "0" && Int(words[3]) ?? 0 > 0, "\(line)")
        #expect(Double(words[5]) ?? 0 > 10, "\(line)")
    }

    @Test(.enabled(if: !Proof.isSanitized, "A sanitizer brings an allocator of its own."))
    func theCapturePathAllocatesNothingPerBuffer() async throws {
        let lines = try await capture("6", environment(times: 0))
        let line = try #require(lines.first { $0.hasPrefix("allocations") })
        print("after the first 1.5 s, in 4.3 s of capture: \(line)")
        // What was allocated before shows that allocations are seen.
        let words = line.split(separator: " ").map(String.init)
        #expect(words[1] == "0" && Int(words[3]) ?? 0 > 0, "\(line)")
    }

    @Test func aMissingDeviceIsAnsweredWithThoseThereAre() async throws {
        let environment = try await environment()
        let probe = try Child(Child.built("CaptureProbe"), ["capture", "nothing", "1"], environment: environment)
        let lines = try #require(await probe.end())
        #expect(
            lines.contains { $0.hasPrefix("error deviceNotFound") && $0.contains("Choose one of: default, fault") },
            "\(lines)")
        let list = try Child(Child.built("CaptureProbe"), ["devices"], environment: environment)
        #expect(try #require(await list.end()).contains("- fault: A device that fails"))
    }

    @Test func aDeviceThatIsListedAndGoneIsNoChoice() async throws {
        try Data().write(to: URL(fileURLWithPath: folder("gone")))
        let lines = try await capture("1", environment(more: "gone \"\(folder("gone"))\""))
        #expect(lines.contains { $0.hasPrefix("error deviceNotFound") && $0.contains("of: default. ") }, "\(lines)")
    }

    @Test func aRefusedDeviceSaysWhatToDo() async throws {
        let lines = try await capture("1", environment(more: "denied 1"))
        #expect(lines.contains { $0.hasPrefix("error permissionDenied") && $0.contains("group “audio”") }, "\(lines)")
    }

    /// `Scripts/prove capture` asks for a thousand.
    @Test(arguments: ["warm", "full"]) func manyStartsAndStopsLeaveNothingBehind(_ mode: String) async throws {
        let cycles = Proof.isWhole ? 1_000 : 60
        let log = folder("log")
        let environment = try await environment(times: 0, more: "log \"\(log)\"")
        let probe = try Child(
            Child.built("CaptureProbe"), ["cycles", "fault", "\(cycles)", mode], environment: environment)
        let lines = try #require(await probe.end(within: .seconds(300)))
        print("\(mode): \(lines.filter { !$0.hasPrefix("take") })")
        func numbers(_ name: String) throws -> [Int] {
            try #require(lines.first { $0.hasPrefix(name) }, "\(lines.suffix(5))").split(separator: " ")
                .compactMap { Int($0) }
        }
        let (before, after) = (try numbers("before"), try numbers("after"))
        // Swift's pool comes and goes by a few; what every cycle left behind would be there 54 times, or 900. Memory comes
        // in pieces: it grows by as much in 4,000 cycles as in 1,000; most of a sanitizer's is its own.
        let kilobytes = Proof.isSanitized ? 100_000 : Proof.isWhole ? 8_000 : 4_000
        #expect(after[0] <= before[0] + 8 && after[1] <= before[1] + 8 && after[2] <= before[2] + kilobytes)
        #expect(lines.contains { $0.hasPrefix("cycles \(cycles) unbroken \(cycles)") })

        // The device's own count: nothing that it gave is missing, and it had given everything until the stop.
        let takes = lines.filter { $0.hasPrefix("take") }.map { $0.split(separator: " ").compactMap { Int($0) } }
        let counts = try String(contentsOfFile: log, encoding: .utf8).split(separator: "\n")
            .map { $0.split(separator: " ").compactMap { Int($0) } }
        try #require(takes.count == cycles && counts.count == cycles)
        var (missing, late) = (0, 0)
        for (take, count) in zip(takes, counts) {
            missing += count[1] - take[1]
            if take[1] < (take[0] - count[0]) * 16_000 / 1_000_000_000 { late += 1 }
        }
        print(
            "\(mode): of \(counts.reduce(0) { $0 + $1[1] }) frames that the device gave \(missing) are missing; \(late) takes end before their stop"
        )
        #expect(missing == 0 && late == 0)
    }

    @Test func devicesThatComeAndGoAreNoticed() async throws {
        let environment = try await environment()
        let probe = try Child(Child.built("CaptureProbe"), ["watch"], environment: environment)
        _ = try #require(await probe.line { $0 == "devices default fault" }, "\(probe.output)")
        let path = folder("alsa.conf")
        let text = try String(contentsOfFile: path, encoding: .utf8)
        let more = "\npcm.second { type null  hint { show on description \"Another one\" } }\n"
        try (text + more).write(toFile: path, atomically: true, encoding: .utf8)
        _ = try #require(await probe.line(after: 1) { $0 == "devices default fault second" }, "\(probe.output)")
        try text.write(toFile: path, atomically: true, encoding: .utf8)
        _ = try #require(await probe.line(after: 2) { $0 == "devices default fault" }, "\(probe.output)")
        probe.kill()
    }
}
