#if Remote
import DictationCapture
import DictationCore
import DictationEngines
import Foundation
import TestSupport
import Testing

@testable import DictationRemote

/// The engine with sherpa-onnx's own server.
@Suite(.serialized) struct RealSherpaServerProofTests {
    static func start() throws -> RealServer {
        let model = try Fixtures.model()
        return try RealServer(
            [
                PeerProcess.packages + "/bin/sherpa-onnx-online-websocket-server", "--port=6006", "--max-batch-size=1",
                "--num-work-threads=1", "--num-io-threads=1", "--tokens=\(model)/tokens.txt",
                "--encoder=\(model)/encoder.int8.onnx", "--decoder=\(model)/decoder.onnx",
                "--joiner=\(model)/joiner.int8.onnx", "--log-file=/dev/null",
            ], port: 6_006)
    }

    private func engine(_ server: RealServer) throws -> RemoteEngine {
        try RemoteEngine(.sherpa, RemoteServer("unix:\(server.socket)"), locales: ["en-US"])
    }

    private func inProcess() throws -> SherpaOnnxEngine {
        var configuration = SherpaOnnxEngine.Configuration()
        configuration.normalizesLevel = false
        return try SherpaOnnxEngine(folder: Fixtures.model(), locales: ["en-US"], configuration: configuration)
    }

    private static func words(_ text: String) -> String {
        text.lowercased().split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }

    @Test(arguments: ["jfk", "lj-LJ001-0001", "ls-61-70968-0000"])
    func theTextIsThatOfTheSameModelInProcess(_ name: String) async throws {
        let server = try Self.start()
        let buffers = try Fixtures.buffers(name)
        let here = await hear(buffers, with: try inProcess())
        let there = await hear(buffers, with: try engine(server))
        #expect(there.error == nil && !there.text.isEmpty, "\(there)")
        #expect(Self.words(there.text) == Self.words(here.text))
        print("remote \(name): “\(there.text)” after \(there.volatileCount) volatile texts")
    }

    @Test func itConforms() async throws {
        let server = try Self.start()
        try await RealPeerPromises.expectConformance(of: try engine(server))
    }

    @Test func thirtyStreamsOneAfterAnotherLoseNothing() async throws {
        let server = try Self.start()
        let engine = try engine(server)
        let buffers = try Fixtures.buffers("mfa-ipa_us_2")
        let first = await hear(buffers, with: engine)
        #expect(!first.text.isEmpty)
        for _ in 0..<30 {
            let heard = await hear(buffers, with: engine)
            #expect(heard.text == first.text && heard.error == nil && heard.interruptions.isEmpty)
        }
    }

    /// The first volatile text of live speech comes at most 40 ms later than in process. Other work on the machine delays
    /// single runs, so the quickest of each kind are compared, and they get more tries if it is busy.
    @Test func theFirstTextIsNotLate() async throws {
        let server = try Self.start()
        let buffers = try Fixtures.buffers("jfk", size: 1_600)
        let (here, there) = (try inProcess(), try engine(server))
        for engine in [here, there] as [any SpeechEngine] {
            try await engine.prepare(.liveDictation())
            _ = try await Self.firstText(buffers, engine)
        }
        var (quickestHere, quickestThere) = (Duration.seconds(60), Duration.seconds(60))
        for round in 1...30 where round <= 5 || quickestThere > quickestHere + .milliseconds(40) {
            quickestHere = min(quickestHere, try await Self.firstText(buffers, here))
            quickestThere = min(quickestThere, try await Self.firstText(buffers, there))
        }
        print("first text: \(quickestHere) in process, \(quickestThere) from the server")
        #expect(quickestThere <= quickestHere + .milliseconds(40))
    }

    /// Plays audio at its own speed, and returns the time until the first text.
    private static func firstText(_ buffers: [AudioBuffer], _ engine: any SpeechEngine) async throws -> Duration {
        let session = try await engine.makeSession(.liveDictation())
        let runtime = DictationRuntime.system
        let start = runtime.now()
        try session.start(.live(buffers, since: start))
        for try await update in session.results {
            if case .volatile = update {
                let time = runtime.now() - start
                await session.cancel()
                return time
            }
        }
        throw DictationError(.engineFailed, "There was no text.")
    }

    @Test func twoPassesWorkWithTheServerAsTheQuickEngine() async throws {
        let server = try Self.start()
        let engine = TwoPassEngine(quick: try engine(server), thorough: try inProcess())
        let heard = await hear(try Fixtures.buffers("jfk"), with: engine)
        #expect(heard.error == nil && heard.volatileCount > 0)
        #expect(Self.words(heard.text).contains("ask what you can do for your country"), "\(heard.text)")
    }

    @Test func recordingsAreTranscribed() async throws {
        let server = try Self.start()
        let transcript = try await engine(server)
            .transcribe(FileCapturer(path: try Fixtures.recording("jfk")), options: .timedTranscription()).transcript()
        #expect(transcript.isComplete)
        let words = transcript.segments.flatMap(\.words)
        #expect(words.count > 15 && words.allSatisfy { $0.range != nil })
    }
}

/// The models and recordings of these tests.
enum Fixtures {
    private static let package = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    private static func folder(_ variable: String, _ name: String) throws -> URL {
        let folder =
            ProcessInfo.processInfo.environment[variable].map { URL(filePath: $0) }
            ?? package.deletingLastPathComponent().appending(path: "shared/\(name)")
        try #require(
            FileManager.default.fileExists(atPath: folder.path),
            "Set \(variable) to the folder with the test \(name); \(folder.path) is not there.")
        return folder
    }

    static func model() throws -> String {
        try folder("DICTATION_MODELS", "models").appending(path: "sherpa-onnx-kws-zipformer-gigaspeech-3.3M").path
    }

    static func recording(_ name: String) throws -> String {
        try folder("DICTATION_AUDIO", "audio").appending(path: "\(name).flac").path
    }

    /// A recording at 16 kHz, in buffers.
    static func buffers(_ name: String, size: Int = 4_096) throws -> [AudioBuffer] {
        var samples: [Int16] = []
        var reader = try AudioFileReader(path: recording(name))
        while let buffer = try reader.read() { samples += buffer.int16Samples }
        try #require(reader.format.sampleRate == 16_000 && reader.format.channelCount == 1)
        return stride(from: 0, to: samples.count, by: size).map { index in
            AudioBuffer(
                Array(samples[index..<min(samples.count, index + size)]),
                start: AudioFormat.speech.duration(ofFrames: Int64(index)))
        }
    }
}
#endif
