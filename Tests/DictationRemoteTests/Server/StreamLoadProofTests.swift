#if Remote
import DictationCore
import DictationEngines
import Foundation
import TestSupport
import Testing

@testable import DictationRemote
@testable import DictationServer

/// Live streams at the speed of speech through a server with a real engine, all at once.
@Suite(.serialized) struct StreamLoadProofTests {
    /// `DICTATION_STREAMS` sets the number of streams. A server that can't keep up is late, and loses nothing.
    @Test func allStreamsGetTheTextOfTheEngine() async throws {
        let streams = ProcessInfo.processInfo.environment["DICTATION_STREAMS"].flatMap { Int($0) } ?? 12
        let engine = try SherpaOnnxEngine(folder: Fixtures.model(), locales: ["en-US"])
        let buffers = try Fixtures.buffers("jfk", size: 1_600)
        var options = RecognitionOptions.liveDictation()
        options.finalizationTimeout = .seconds(120)
        let own = await hear(buffers, with: engine, options)
        let running = try ServerProgram(engine) { ($0.limits.streams, $0.limits.perClient) = (streams, streams) }
        var server = RemoteServer("http://127.0.0.1:\(running.server.httpPort ?? 0)/v1")
        server.proxy = ""
        let remote = try RemoteEngine(.openAI, server, locales: ["en-US"]) {
            ($0.isRealtime, $0.model, $0.sampleRate) = (true, "scripted", 16_000)
        }
        let runtime = DictationRuntime.system
        let start = runtime.now()
        let texts = await withTaskGroup(of: Heard.self) { [options] group in
            for _ in 0..<streams {
                group.addTask {
                    await hear(.live(buffers, since: start), with: remote, options)
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(!own.text.isEmpty && texts.count == streams)
        #expect(texts.allSatisfy { $0.text == own.text && $0.error == nil && $0.interruptions.isEmpty }, "\(texts)")
        print("\(streams) streams: all of \(buffers.last?.end ?? .zero) after \(runtime.now() - start)")
        await running.server.stop()
    }
}
#endif
