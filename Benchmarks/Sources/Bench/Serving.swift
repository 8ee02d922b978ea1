import BenchSpeech
import DictationCore
import DictationEngines
import DictationRemote
import DictationServer
import Foundation

// Foundation has a type of this name too.
private typealias Measurement = BenchSpeech.Measurement

/// Measures live streams through a server, in turns with the same engine in this process and with sherpa-onnx's own
/// server. Each stream has the speed of speech.
struct Serving {
    /// The streams at once for the figures of the delay.
    private static let streamCount = 50
    /// A server keeps up with as many streams as have this delay or less, for 95 of 100.
    private static let longestDelay = 500.0

    private let pieces: [AudioBuffer]

    /// Measures the delay of the final text.
    static func measureDelay(runs: Int) async throws -> [BenchSpeech.Measurement] {
        try await measure { bench, here, ours, theirs in try await bench.latency(runs, here, ours, theirs) }
    }

    /// Measures how many streams a server keeps up with.
    static func measureMostStreams(runs: Int) async throws -> [BenchSpeech.Measurement] {
        try await measure { bench, _, ours, theirs in [try await bench.most(runs, ours, theirs)] }
    }

    private static func measure(
        _ work: (Serving, any SpeechEngine, ServerProcess, ServerProcess) async throws -> [Measurement]
    ) async throws -> [Measurement] {
        let folder = try sherpaOnnxModelFolder()
        let recording = try SpeechRecording.audio().first { $0.name == "jfk" }
        guard let samples = try recording?.samples() else {
            throw DictationError(.fileUnreadable, "There is no recording “jfk” in DICTATION_AUDIO.")
        }
        let here = try SherpaOnnxEngine(folder: folder, locales: ["en-US"])
        let ours = try ServerProcess.ours(folder), theirs = try ServerProcess.sherpa(folder)
        defer { for server in [ours, theirs] { server.end() } }
        let whole = AudioBuffer(samples)
        let bench = Serving(
            pieces: stride(from: 0, to: samples.count, by: 1_600).map { start in
                whole.slice(start..<min(samples.count, start + 1_600))
            })
        for engine in [here, ours.engine, theirs.engine] {
            try await engine.prepare(.liveDictation())
            _ = try await bench.delays(of: 1, with: engine)
        }
        return try await work(bench, here, ours, theirs)
    }

    /// Measures how long after the end of the sound the final text is there.
    private func latency(
        _ runs: Int, _ here: any SpeechEngine, _ ours: ServerProcess, _ theirs: ServerProcess
    ) async throws -> [Measurement] {
        var (inProcess, own, other) = ([[Double]](), [[Double]](), [[Double]]())
        var (ownCost, otherCost) = ([Double](), [Double]())
        for _ in 0..<runs {
            inProcess.append(try await delays(of: Self.streamCount, with: here))
            (own, ownCost) = try await adding(ours, own, ownCost)
            (other, otherCost) = try await adding(theirs, other, otherCost)
        }
        let name = "serving, \(Self.streamCount) streams: end of the sound to the final text"
        func compare(_ part: Double, _ words: String, _ peer: String, _ runs: [[Double]]) -> Measurement {
            Measurement(
                name: "\(name), \(words)", unit: "ms", runs: own.map { $0.part(part) },
                peer: .init(name: peer, runs: runs.map { $0.part(part) }))
        }
        return [
            compare(0.5, "median", "in this process", inProcess), compare(0.95, "95 %", "in this process", inProcess),
            compare(0.5, "median", "sherpa-onnx's server", other), compare(0.95, "95 %", "sherpa-onnx's server", other),
            Measurement(
                name: "serving, \(Self.streamCount) streams: the server, for 11 s", unit: "s CPU", runs: ownCost,
                peer: .init(name: "sherpa-onnx's server", runs: otherCost)),
        ]
    }

    private func adding(
        _ server: ServerProcess, _ all: [[Double]], _ costs: [Double]
    ) async throws -> ([[Double]], [Double]) {
        let before = server.processorSeconds
        let delays = try await delays(of: Self.streamCount, with: server.engine)
        return (all + [delays], costs + [server.processorSeconds - before])
    }

    /// Measures how many streams a server keeps up with. Each run begins with fifty, and adds ten until they are too
    /// many.
    private func most(_ runs: Int, _ ours: ServerProcess, _ theirs: ServerProcess) async throws -> Measurement {
        var found = (ours: [Double](), theirs: [Double]())
        for _ in 0..<runs {
            found.ours.append(Double(try await most(ours)))
            found.theirs.append(Double(try await most(theirs)))
        }
        return Measurement(
            name: "serving: most streams, in steps of ten, with 95 of 100 texts within \(Int(Self.longestDelay)) ms",
            unit: "streams", runs: found.ours, peer: .init(name: "sherpa-onnx's server", runs: found.theirs))
    }

    private func most(_ server: ServerProcess) async throws -> Int {
        var (count, next) = (0, Self.streamCount)
        while try await keepsUp(server, with: next) { (count, next) = (next, next + 10) }
        // A server that had too much may still be at it, and would disturb the next one.
        try await Task.sleep(for: .seconds(20))
        return count
    }

    /// A server with too many streams is late with them, or breaks off.
    private func keepsUp(_ server: ServerProcess, with count: Int) async throws -> Bool {
        do {
            return try await delays(of: count, with: server.engine).part(0.95) <= Self.longestDelay
        } catch let error as DictationError where error.code == .serverUnavailable || error.code == .timedOut {
            return false
        }
    }

    /// Plays the recording in streams that begin within a second. Returns the delay of each, in milliseconds.
    private func delays(of count: Int, with engine: any SpeechEngine) async throws -> [Double] {
        try await withThrowingTaskGroup(of: Double.self) { group in
            let start = ContinuousClock.now
            for number in 0..<count {
                group.addTask { try await delay(with: engine, start + .seconds(Double(number) / Double(count))) }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
    }

    private func delay(with engine: any SpeechEngine, _ start: ContinuousClock.Instant) async throws -> Double {
        let session = try await engine.makeSession(.liveDictation())
        let clock = ContinuousClock()
        try session.start(
            AudioInput {
                var rest = pieces[...]
                return { () async throws(DictationError) in
                    guard let piece = rest.popFirst() else { return nil }
                    // A microphone gives a piece when it is over.
                    try? await clock.sleep(until: start + piece.end)
                    return piece
                }
            })
        var text = ""
        for try await update in session.results { text += update.finalResult?.text ?? "" }
        guard try await session.finish() == .complete, text.lowercased().contains("your country") else {
            throw DictationError(.timedOut, "A stream has no whole text: “\(text)”.")
        }
        return (clock.now - start - (pieces.last?.end ?? .zero)) / .milliseconds(1)
    }
}

/// A server in a process of its own, and the engine that speaks with it.
private final class ServerProcess: Sendable {
    let engine: any SpeechEngine
    private let process: Process
    private let input: Pipe

    /// Starts this program as a server.
    static func ours(_ folder: String) throws -> ServerProcess {
        try ServerProcess("/proc/self/exe", ["serve", folder]) { output in
            let address = String(decoding: output.availableData, as: UTF8.self).split(separator: "\n").first ?? ""
            var configuration = RemoteEngine.Configuration(
                .openAI, server: RemoteServer(String(address)), locales: ["en-US"])
            (configuration.isRealtime, configuration.model, configuration.sampleRate) = (true, "served", 16_000)
            return try RemoteEngine(configuration)
        }
    }

    /// Starts sherpa-onnx's server, which listens on every network: run the benchmark in a network of its own.
    static func sherpa(_ folder: String) throws -> ServerProcess {
        let packages = ProcessInfo.processInfo.environment["SPEECH_SERVERS"] ?? ".build/speech-servers"
        // More than one stream in a batch ends the server with this model.
        let arguments = [
            "--port=6006", "--max-batch-size=1", "--num-work-threads=2", "--num-io-threads=1",
            "--tokens=\(folder)/tokens.txt", "--encoder=\(folder)/encoder.int8.onnx",
            "--decoder=\(folder)/decoder.onnx", "--joiner=\(folder)/joiner.int8.onnx", "--log-file=/dev/null",
        ]
        return try ServerProcess(
            packages + "/bin/sherpa-onnx-online-websocket-server", arguments,
            ["OMP_NUM_THREADS": "1", "LD_LIBRARY_PATH": packages + "/sherpa_onnx/lib"]
        ) { _ in
            try RemoteEngine(.sherpa, server: RemoteServer("ws://127.0.0.1:6006"), locales: ["en-US"])
        }
    }

    private init(
        _ program: String, _ arguments: [String], _ environment: [String: String] = [:],
        engine: (FileHandle) throws -> any SpeechEngine
    ) throws {
        process = Process()
        input = Pipe()
        let output = Pipe()
        process.executableURL = URL(filePath: program).resolvingSymlinksInPath()
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        process.standardInput = input
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        self.engine = try engine(output.fileHandleForReading)
    }

    /// The processor time that the server has used so far.
    var processorSeconds: Double {
        var (clock, time) = (clockid_t(), timespec())
        guard clock_getcpuclockid(process.processIdentifier, &clock) == 0, clock_gettime(clock, &time) == 0 else {
            return 0
        }
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    func end() {
        // The child has inherited that this program blocks SIGTERM.
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }
}

/// Serves the model until the standard input ends, after printing the address.
func serve(_ folder: String) async throws {
    var configuration = DictationServer.Configuration()
    configuration.http = .init(port: 0)
    (configuration.limits.streams, configuration.limits.perClient, configuration.limits.connections) = (600, 600, 600)
    let engine = try SherpaOnnxEngine(folder: folder, locales: ["en-US"])
    let server = try DictationServer([ServedModel("served", engine: engine)], configuration)
    try await server.ready()
    print("http://127.0.0.1:\(server.httpPort ?? 0)")
    fflush(nil)
    while readLine() != nil {}
    await server.stop(within: .seconds(5))
}
