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

    init(isRunning: Bool = true) async throws {
        process = Watched(nil)
        try """
        load-module module-native-protocol-unix socket=\(folder("socket")) auth-anonymous=1
        load-module module-null-sink sink_name=speaker rate=48000
        load-module module-remap-source master=speaker.monitor source_name=microphone
        set-default-source microphone
        set-default-sink speaker
        """.write(toFile: folder("pulse.pa"), atomically: true, encoding: .utf8)
        // The system's own configuration: ALSA's default device is the sound server's while there is one.
        try "</usr/share/alsa/alsa.conf>\n".write(toFile: folder("alsa.conf"), atomically: true, encoding: .utf8)
        if isRunning {
            try await run()
        }
    }

    func run() async throws {
        try? FileManager.default.removeItem(atPath: folder("socket"))
        let server = try Child(
            "pulseaudio",
            ["-n", "-F", folder("pulse.pa"), "--daemonize=no", "--exit-idle-time=-1", "--use-pid-file=no"],
            environment: environment)
        process.change { $0 = server }
        // Asking takes a moment; on a machine that has no time for this process, so does everything.
        var isReady = false
        var tries = 0
        let deadline = ContinuousClock.now + .seconds(30)
        while !isReady, tries < 100 || ContinuousClock.now < deadline {
            tries += 1
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

    /// Captures until it is told to stop.
    func capture(into path: String? = nil) throws -> Child {
        try Child(
            Child.built("CaptureProbe"), ["capture", "default", "300"] + (path.map { [$0] } ?? []),
            environment: environment)
    }

    func watch() throws -> Child { try Child(Child.built("CaptureProbe"), ["watch"], environment: environment) }
}

extension Child {
    /// Waits until so many more seconds were captured.
    fileprivate func captured(more seconds: Int, sourceLocation: SourceLocation = #_sourceLocation) async throws {
        @Sendable func second(_ line: String) -> Int {
            line.hasPrefix("captured ") ? Int(line.dropFirst(9).prefix { $0 != " " }) ?? 0 : 0
        }
        let wanted = (output.map(second).max() ?? 0) + seconds
        _ = try #require(await line { second($0) >= wanted }, "\(output)", sourceLocation: sourceLocation)
    }

    /// Stops the capture, and gives all that was said.
    fileprivate func stopped(sourceLocation: SourceLocation = #_sourceLocation) async throws -> [String] {
        kill(SIGTERM)
        return try #require(await end(), "\(output)", sourceLocation: sourceLocation)
    }
}

@Suite(.serialized) struct PulseAudioTests {
    /// Every frame of the time since the first one was given or said to be lost, but for the server's latency.
    private func expectBalance(_ lines: [String], sourceLocation: SourceLocation = #_sourceLocation) throws {
        let line = try #require(lines.first { $0.hasPrefix("sums") }, "\(lines)", sourceLocation: sourceLocation)
        print(line)
        let words = line.split(separator: " ").map(String.init)
        let (frames, lost) = (Double(words[2]) ?? 0, Double(words[4]) ?? 0)
        let (rate, elapsed) = (Double(words[6]) ?? 1, Double(words[8]) ?? 0)
        let missing = elapsed - (Double(words[10]) ?? 0) - (frames + lost) * 1_000 / rate
        print("\(missing) ms missing since the first frame")
        #expect((-300...300).contains(missing), "\(lines)", sourceLocation: sourceLocation)
    }

    /// What was captured, from a file of 16-bit samples.
    private func samples(_ path: String) throws -> [Int16] {
        let data = try Data(contentsOf: URL(fileURLWithPath: path))
        return stride(from: 0, to: data.count - 1, by: 2).map {
            Int16(truncatingIfNeeded: Int(data[$0]) | Int(data[$0 + 1]) << 8)
        }
    }

    @Test func aPilotToneComesThroughWholeAndAtItsRate() async throws {
        let server = try await SoundServer()
        let tone = server.folder("tone.wav")
        let sox = try Child("sox", ["-n", "-r", "48000", "-c", "1", tone, "synth", "60", "sine", "500", "vol", "0.5"])
        _ = try #require(await sox.end(), "install sox")
        let playing = try server.play(tone)
        let raw = server.folder("captured.raw")
        let capture = try server.capture(into: raw)
        try await capture.captured(more: 5)
        let lines = try await capture.stopped()
        playing.kill()
        try expectBalance(lines)
        let samples = try samples(raw)
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
        // A hole has no tone, and a clock that runs at another rate moves the phase little by little.
        #expect(phases.count == (heard.count - 1) / 320, "a piece is without the tone")
        var (turned, moved) = (0.0, 0.0)
        for (before, after) in zip(phases, phases.dropFirst()) {
            turned += (after - before + 3 * .pi).truncatingRemainder(dividingBy: 2 * .pi) - .pi
            moved = max(moved, abs(turned))
        }
        let turns = 500 * 0.02 * Double(max(1, phases.count - 1))
        print("pilot tone: rate off by \(turned / (2 * .pi * turns) * 1e6) ppm, phase moved by \(moved) rad")
        #expect(moved < 0.2)
        let jumps = zip(phases, phases.dropFirst()).map { before, after in
            abs((after - before + 3 * .pi).truncatingRemainder(dividingBy: 2 * .pi) - .pi)
        }
        print("pilot tone: \(phases.count) pieces of 20 ms, largest jump \(jumps.max() ?? -1) rad")
        #expect(phases.count > 100)
        #expect(jumps.allSatisfy { $0 < 0.2 })
    }

    @Test func speechThatIsPlayedIsWhatIsHeard() async throws {
        let server = try await SoundServer()
        let path = "/usr/share/pocketsphinx/test/data/librivox/sense_and_sensibility_01_austen_64kb-0870.wav"
        try #require(FileManager.default.fileExists(atPath: path), "install pocketsphinx-testdata")
        let spoken = try readAll(path)
        try #require(spoken.format.sampleRate == 16_000)
        let raw = server.folder("captured.raw")
        let capture = try server.capture(into: raw)
        try await capture.captured(more: 1)
        _ = try #require(await server.play(path).end())
        try await capture.captured(more: 1)
        let lines = try await capture.stopped()
        try expectBalance(lines)
        #expect(!lines.contains { $0.hasPrefix("gap") }, "\(lines)")

        let heard = try samples(raw).map { Float($0) / 32_768 }
        let lag = try #require(Likeness.lag(of: spoken.samples, in: heard), "\(lines)")
        // Half a second at a time, all with one lag: a hole, or a sample too many, would move what follows.
        var likenesses: [Double] = []
        for start in stride(from: 0, to: spoken.samples.count - 8_000, by: 8_000) {
            let piece = spoken.samples[start..<start + 8_000]
            guard piece.contains(where: { abs($0) > 0.05 }) else { continue }
            likenesses.append(Likeness.of(piece, heard[(lag + start)...].prefix(8_000)))
        }
        let whole = Likeness.of(spoken.samples[...], heard[lag...].prefix(spoken.samples.count))
        print(
            "speech of \(spoken.samples.count) samples, heard after \(lag): correlation \(whole), "
                + "of half seconds at least \(likenesses.min() ?? -1) in \(likenesses.count)")
        // The lag may lie a third of a sample off, which alone costs 0.007 of the whole and 0.018 of a piece.
        #expect(whole > 0.98)
        #expect(likenesses.count > 4 && likenesses.allSatisfy { $0 > 0.95 })
    }

    @Test func aSuspendedSourceIsReportedAndComesBack() async throws {
        let server = try await SoundServer()
        let capture = try server.capture()
        try await capture.captured(more: 1)
        let soFar = capture.output.count
        for source in ["microphone", "speaker.monitor"] { try await server.control("suspend-source", source, "1") }
        try await server.control("suspend-sink", "speaker", "1")
        _ = try #require(await capture.line(after: soFar) { $0 == "interrupted noData" }, "\(capture.output)")
        try await server.control("suspend-sink", "speaker", "0")
        for source in ["speaker.monitor", "microphone"] { try await server.control("suspend-source", source, "0") }
        _ = try #require(await capture.line(after: soFar) { $0 == "resumed" }, "\(capture.output)")
        try await capture.captured(more: 2)
        let lines = try await capture.stopped()
        print("suspended: \(lines)")
        // Where the server takes so long to come back that the device is opened again, it counts as lost meanwhile.
        let cause = lines.contains("interrupted deviceLost") ? "unplugged" : "stalled"
        #expect(lines.contains { $0.hasPrefix("gap \(cause)") })
        try expectBalance(lines)
    }

    @Test func aServerThatIsKilledAndStartedAgainIsFollowed() async throws {
        let server = try await SoundServer()
        let capture = try server.capture()
        try await capture.captured(more: 1)
        let soFar = capture.output.count
        await server.kill()
        _ = try #require(await capture.line(after: soFar) { $0 == "interrupted deviceLost" }, "\(capture.output)")
        try await server.run()
        _ = try #require(await capture.line(after: soFar) { $0 == "resumed" }, "\(capture.output)")
        try await capture.captured(more: 2)
        let lines = try await capture.stopped()
        print("killed: \(lines)")
        #expect(lines.contains { $0.hasPrefix("gap unplugged") })
        try expectBalance(lines)
    }

    @Test func aSourceThatIsRemovedIsNotTheEndWhileThereIsAnother() async throws {
        let server = try await SoundServer()
        let capture = try server.capture()
        try await capture.captured(more: 1)
        try await server.control("unload-module", "module-remap-source")
        try await capture.captured(more: 2)
        let lines = try await capture.stopped()
        print("removed: \(lines)")
        try expectBalance(lines)
        #expect(!lines.contains { $0.hasPrefix("error") })
    }

    @Test func theLastSourceThatIsRemovedIsReportedAndWaitedFor() async throws {
        let server = try await SoundServer()
        let capture = try server.capture()
        try await capture.captured(more: 1)
        let soFar = capture.output.count
        for module in ["module-remap-source", "module-null-sink"] { try await server.control("unload-module", module) }
        _ = try #require(await capture.line(after: soFar) { $0 == "interrupted deviceLost" }, "\(capture.output)")
        try await server.control("load-module", "module-null-sink", "sink_name=speaker", "rate=48000")
        _ = try #require(await capture.line(after: soFar) { $0 == "resumed" }, "\(capture.output)")
        try await capture.captured(more: 2)
        let lines = try await capture.stopped()
        print("removed with no other: \(lines)")
        #expect(lines.contains { $0.hasPrefix("gap unplugged") })
        try expectBalance(lines)
    }

    @Test func aServerThatComesAndGoesChangesTheDevices() async throws {
        let server = try await SoundServer(isRunning: false)
        let watch = try server.watch()
        let without = try #require(await watch.line { _ in true }, "nothing was said")
        try await server.run()
        let with = try #require(await watch.line(after: 1) { _ in true }, "\(watch.output)")
        print("without a server: \(without); with one: \(with)")
        #expect(!without.contains(" default") && with.contains(" default"))
        #expect(!without.contains(" pulse") && with.contains(" pulse"))
        for converter in ["lavrate", "samplerate", "speex", "upmix", "vdownmix", "jack", "oss", "null"] {
            #expect(!with.contains(" " + converter), "\(with)")
        }
        let capture = try server.capture()
        _ = try #require(await capture.line { $0 == "started" }, "\(capture.output)")
        _ = try await capture.stopped()
        // The program that saw it come can record from it.
        await server.kill()
        _ = try #require(await watch.line(after: 2) { $0 == without }, "\(watch.output)")
        watch.kill()
        let refused = try #require(await server.capture().end())
        #expect(refused.contains { $0.contains("Plug a microphone in, or start the sound server.") }, "\(refused)")
    }
}

/// How alike two signals are.
private enum Likeness {
    /// From -1 to 1, however loud they are.
    static func of(_ a: ArraySlice<Float>, _ b: ArraySlice<Float>) -> Double {
        var (ab, aa, bb) = (0.0, 0.0, 0.0)
        for (x, y) in zip(a, b) {
            ab += Double(x) * Double(y)
            aa += Double(x) * Double(x)
            bb += Double(y) * Double(y)
        }
        return ab / (max(aa, 1e-12) * max(bb, 1e-12)).squareRoot()
    }

    /// How many samples later a signal lies in a longer one: first roughly, by its loudness, then to the sample.
    static func lag(of signal: [Float], in longer: [Float]) -> Int? {
        func envelope(_ samples: [Float]) -> [Float] {
            stride(from: 0, to: samples.count - 160, by: 160).map { start in
                samples[start..<start + 160].reduce(0) { $0 + $1 * $1 }.squareRoot()
            }
        }
        let (rough, whole) = (envelope(signal), envelope(longer))
        guard whole.count > rough.count else { return nil }
        let places = (0...whole.count - rough.count).map { of(rough[...], whole[$0...].prefix(rough.count)) }
        guard let best = places.max(), let place = places.firstIndex(of: best) else { return nil }
        let middle = signal.count / 2
        let piece = signal[middle...].prefix(4_000)
        let lags = max(0, place * 160 - 160)...place * 160 + 160
        let likenesses = lags.map { of(piece, longer.dropFirst($0 + middle).prefix(4_000)) }
        return zip(lags, likenesses).max { $0.1 < $1.1 }?.0
    }
}
