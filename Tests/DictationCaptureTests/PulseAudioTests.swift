import DictationCapture
import DictationCore
import DictationTesting
import Foundation
import Testing

/// A real PulseAudio server of the test's own, with a null sink in place of hardware.
private final class SoundServer: Sendable {
    let folder = TemporaryFolder()
    private let process: Watched<Child?>

    var environment: [String: String] {
        [
            "XDG_RUNTIME_DIR": folder.path, "HOME": folder.path, "PULSE_SERVER": "unix:" + folder("socket"),
            "ALSA_CONFIG_PATH": folder("alsa.conf"),
        ]
    }

    init() async throws {
        process = Watched(nil)
        try """
        load-module module-native-protocol-unix socket=\(folder("socket")) auth-anonymous=1
        load-module module-null-sink sink_name=speaker rate=48000
        load-module module-remap-source master=speaker.monitor source_name=microphone
        set-default-source microphone
        set-default-sink speaker
        """.write(toFile: folder("pulse.pa"), atomically: true, encoding: .utf8)
        try """
        </usr/share/alsa/alsa.conf>
        pcm.!default { type pulse hint { show on description "The sound server" } }
        """.write(toFile: folder("alsa.conf"), atomically: true, encoding: .utf8)
        try await run()
    }

    func run() async throws {
        try? FileManager.default.removeItem(atPath: folder("socket"))
        let server = try Child(
            "pulseaudio",
            ["-n", "-F", folder("pulse.pa"), "--daemonize=no", "--exit-idle-time=-1", "--use-pid-file=no"],
            environment: environment)
        process.change { $0 = server }
        var isReady = false
        let deadline = ContinuousClock.now + .seconds(20)
        while !isReady, ContinuousClock.now < deadline {
            isReady = try await control("info").contains { $0.contains("Default Source: microphone") }
        }
        try #require(isReady, "PulseAudio does not start; install pulseaudio, pulseaudio-utils, libasound2-plugins")
    }

    func kill() async {
        let server = process.value
        server?.kill()
        _ = await server?.end()
    }

    @discardableResult
    func control(_ arguments: String...) async throws -> [String] {
        try await Child("pactl", arguments, environment: environment).end() ?? []
    }

    func play(_ path: String) throws -> Child {
        try Child("paplay", ["--device=speaker", path], environment: environment)
    }

    func capture(_ seconds: String, into path: String? = nil) throws -> Child {
        try Child(
            Child.built("CaptureProbe"), ["capture", "default", seconds] + (path.map { [$0] } ?? []),
            environment: environment)
    }
}

@Suite(.serialized) struct PulseAudioTests {
    /// Every frame of the time that passed was given or said to be lost, but for the server's latency at the start.
    private func expectBalance(_ lines: [String], sourceLocation: SourceLocation = #_sourceLocation) throws {
        let line = try #require(lines.first { $0.hasPrefix("sums") }, "\(lines)", sourceLocation: sourceLocation)
        print(line)
        let words = line.split(separator: " ").map(String.init)
        let (frames, lost) = (Double(words[2]) ?? 0, Double(words[4]) ?? 0)
        let (rate, elapsed) = (Double(words[6]) ?? 1, Double(words[8]) ?? 0)
        let missing = elapsed - (frames + lost) * 1_000 / rate
        #expect((-300...2_500).contains(missing), "\(lines)", sourceLocation: sourceLocation)
    }

    @Test func aPilotToneComesThroughWholeAndAtItsRate() async throws {
        let server = try await SoundServer()
        let tone = server.folder("tone.wav")
        let sox = try Child("sox", ["-n", "-r", "48000", "-c", "1", tone, "synth", "12", "sine", "500", "vol", "0.5"])
        _ = try #require(await sox.end(), "install sox")
        let playing = try server.play(tone)
        let raw = server.folder("captured.raw")
        let capture = try server.capture("6", into: raw)
        let lines = try #require(await capture.end())
        playing.kill()
        try expectBalance(lines)
        let data = try Data(contentsOf: URL(fileURLWithPath: raw))
        let samples = stride(from: 0, to: data.count - 1, by: 2).map {
            Int16(truncatingIfNeeded: Int(data[$0]) | Int(data[$0 + 1]) << 8)
        }
        // From the first loud sample on, the tone's phase must run on without a jump: 32 samples for each turn.
        let first = try #require(samples.firstIndex { abs(Int($0)) > 2_000 }, "nothing was heard: \(lines)")
        let heard = samples[(first + 3_200)...]
        var phases: [Double] = []
        for start in stride(from: heard.startIndex, to: heard.endIndex - 320, by: 320) {
            var (sine, cosine) = (0.0, 0.0)
            for index in 0..<320 {
                let angle = 2 * Double.pi * Double(start + index) / 32
                sine += Double(heard[start + index]) * sin(angle)
                cosine += Double(heard[start + index]) * cos(angle)
            }
            if (sine * sine + cosine * cosine).squareRoot() > 100_000 { phases.append(atan2(cosine, sine)) }
        }
        let jumps = zip(phases, phases.dropFirst()).map { before, after in
            abs((after - before + 3 * .pi).truncatingRemainder(dividingBy: 2 * .pi) - .pi)
        }
        print("pilot tone: \(phases.count) pieces of 20 ms, largest jump \(jumps.max() ?? -1) rad")
        #expect(phases.count > 100)
        #expect(jumps.allSatisfy { $0 < 0.2 })
    }

    @Test func aSuspendedSourceIsReportedAndComesBack() async throws {
        let server = try await SoundServer()
        let capture = try server.capture("9")
        _ = try #require(await capture.line { $0 == "captured 1 s" }, "\(capture.output)")
        let soFar = capture.output.count
        for source in ["microphone", "speaker.monitor"] { try await server.control("suspend-source", source, "1") }
        try await server.control("suspend-sink", "speaker", "1")
        _ = try #require(await capture.line(after: soFar) { $0 == "interrupted noData" }, "\(capture.output)")
        try await server.control("suspend-sink", "speaker", "0")
        for source in ["speaker.monitor", "microphone"] { try await server.control("suspend-source", source, "0") }
        _ = try #require(await capture.line(after: soFar) { $0 == "resumed" }, "\(capture.output)")
        let lines = try #require(await capture.end())
        print("suspended: \(lines)")
        #expect(lines.contains { $0.hasPrefix("gap stalled") })
        try expectBalance(lines)
    }

    @Test func aServerThatIsKilledAndStartedAgainIsFollowed() async throws {
        let server = try await SoundServer()
        let capture = try server.capture("10")
        _ = try #require(await capture.line { $0 == "captured 1 s" }, "\(capture.output)")
        let soFar = capture.output.count
        await server.kill()
        _ = try #require(await capture.line(after: soFar) { $0 == "interrupted deviceLost" }, "\(capture.output)")
        try await server.run()
        _ = try #require(await capture.line(after: soFar) { $0 == "resumed" }, "\(capture.output)")
        let lines = try #require(await capture.end())
        print("killed: \(lines)")
        #expect(lines.contains { $0.hasPrefix("gap unplugged") })
        try expectBalance(lines)
    }

    @Test func aSourceThatIsRemovedIsNotTheEnd() async throws {
        let server = try await SoundServer()
        let capture = try server.capture("6")
        _ = try #require(await capture.line { $0 == "captured 1 s" }, "\(capture.output)")
        try await server.control("unload-module", "module-remap-source")
        let lines = try #require(await capture.end())
        print("removed: \(lines)")
        try expectBalance(lines)
        #expect(!lines.contains { $0.hasPrefix("error") })
    }
}
