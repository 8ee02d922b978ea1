#if Remote
import DictationCore
import DictationEngines
import DictationMessages
import DictationText
import Foundation
import TestSupport
import Testing

@testable import DictationRemote
@testable import DictationServer

/// A text that lacks a part of its audio is returned, and each interface says what is missing.
@Suite struct IncompleteTextTests {
    private let folder: TemporaryFolder
    private let tone: String
    private static let loss = "Audio without text: 0:01.0–0:02.0 (the engine failed)."

    init() throws {
        folder = try TemporaryFolder()
        tone = try writeTone(.seconds(4), in: folder.path)
    }

    @Test(arguments: ["json", "text", "srt", "vtt", "verbose_json"])
    func aHeaderAndTheLogSayIt(_ format: String) async throws {
        let running = try ServerProgram(LossyEngine())
        let answer = try await running.transcribe(tone, ["response_format=\(format)"], headers: true)
        #expect(answer.status == 200 && answer.body.contains("kept words"), "\(answer)")
        let header = "dictation-loss: audio without text: 0:01.0-0:02.0 (the engine failed).\r\n"
        #expect(answer.body.lowercased().contains(header), "\(answer)")
        #expect(answer.body.contains(#""loss":"\#(Self.loss)""#) == format.hasSuffix("json"), "\(answer)")
        await running.server.stop()
        #expect(running.log.value.map(\.loss) == [Self.loss])
        #expect(running.log.value.first?.json.contains("Audio without text") == true)
    }

    @Test func theMetricsCountIt() async throws {
        let running = try ServerProgram(LossyEngine())
        _ = try await running.transcribe(tone)
        let metrics = try await running.curl("/metrics").body
        #expect(metrics.contains(#"dictation_incomplete_total{interface="http"} 1"#), "\(metrics)")
        await running.server.stop()
    }

    @Test func theEndOfAStreamSaysIt() async throws {
        let running = try ServerProgram(LossyEngine())
        let answer = try await running.transcribe(tone, ["stream=true"])
        let last = answer.body.split(separator: "\n").last.map { String($0.dropFirst("data: ".count)) } ?? ""
        let value = JSONValue(json: last.utf8)
        #expect(value?["text"] == .text("kept words") && value?["loss"] == .text(Self.loss), "\(answer)")
        await running.server.stop()
    }

    @Test func aCompleteTextSaysNothing() async throws {
        let running = try ServerProgram()
        let answer = try await running.transcribe(tone, ["response_format=verbose_json"], headers: true)
        #expect(answer.status == 200 && !answer.body.lowercased().contains("loss"), "\(answer)")
        await running.server.stop()
        #expect(running.log.value.allSatisfy { $0.loss == nil })
    }

    @Test(arguments: [[], ["stream=true"]]) func withoutAnyTextItIsAnError(_ fields: [String]) async throws {
        let running = try ServerProgram(LossyEngine(words: ""))
        let answer = try await running.transcribe(tone, fields)
        #expect(answer.status == (fields.isEmpty ? 500 : 200) && answer.body.contains(#""error""#), "\(answer)")
        await running.server.stop()
        #expect(running.log.value.first?.error?.contains(Self.loss) == true)
    }

    /// A client that tries again would get no more than this.
    @Test func theTextBeforeAnEnginesErrorIsReturned() async throws {
        let engine = ScriptedEngine([
            .final("kept words", at: .seconds(1)), .error(.init(.engineFailed, "It broke."), at: .seconds(2)),
        ])
        let running = try ServerProgram(engine)
        let answer = try await running.transcribe(tone, headers: true)
        #expect(answer.status == 200 && answer.body.contains("kept words"), "\(answer)")
        #expect(answer.body.lowercased().contains("dictation-loss: the engine failed before the end"), "\(answer)")
        #expect(!answer.body.contains("It broke."))
        await running.server.stop()
        #expect(running.log.value.first?.error?.contains("It broke.") == true)
    }

    /// The client may have no better recording than this.
    @Test(arguments: [[], ["stream=true"]]) func theTextOfARecordingThatWasCutIsReturned(_ fields: [String])
        async throws
    {
        let whole = try Data(contentsOf: URL(filePath: tone))
        let cut = folder.path + "/cut.wav"
        try whole.prefix(whole.count / 2).write(to: URL(filePath: cut))
        let running = try ServerProgram(ScriptedEngine([.final("kept words", at: .seconds(1))]))
        let answer = try await running.transcribe(cut, fields, headers: true)
        #expect(answer.status == 200 && answer.body.contains("kept words"), "\(answer)")
        #expect(answer.body.contains(#""loss":"“cut.wav” ends too early"#), "\(answer)")
        await running.server.stop()
        #expect(running.log.value.first?.loss?.contains("ends too early") == true)
    }

    @Test(arguments: [true, false]) func theRealtimeInterfaceSaysIt(endsAtCommit: Bool) async throws {
        let running = try ServerProgram(LossyEngine())
        let client = try await RealtimeClient.open(running)
        if endsAtCommit { await client.send(RealtimeClient.settings) }
        await client.sendAudio(.seconds(4))
        await client.send(RealtimeClient.commit)
        let completed = await client.event("transcription.completed")
        #expect(completed?["transcript"] == .text("kept words"))
        if endsAtCommit {
            #expect(completed?["loss"] == .text(Self.loss))
        } else {
            // The utterance was whole. What came after it has no text.
            let failed = await client.event("transcription.failed")
            #expect(failed?["error"]?["message"] == .text(Self.loss))
        }
        await client.send(.close(code: 1_000, reason: ""))
        while await client.next() != nil {}
        await running.server.stop()
        #expect(running.log.value.map(\.loss) == [Self.loss])
    }

    @Test func theRealtimeInterfaceReturnsTheTextBeforeAnEnginesError() async throws {
        let running = try ServerProgram(
            ScriptedEngine([
                .final("kept words", at: .seconds(1)), .error(.init(.engineFailed, "It broke."), at: .seconds(2)),
            ]))
        let client = try await RealtimeClient.open(running)
        await client.send(RealtimeClient.settings)
        await client.sendAudio(.seconds(4))
        await client.send(RealtimeClient.commit)
        let completed = await client.event("transcription.completed")
        #expect(completed?["transcript"] == .text("kept words"))
        #expect(completed?["loss"]?.text?.hasPrefix("The engine failed before the end") == true)
        #expect(await client.event("error") != nil)
        await running.server.stop()
        #expect(running.log.value.first?.loss?.hasPrefix("The engine failed") == true)
    }

    @Test func wyomingSaysIt() async throws {
        try await wyomingSays(Self.loss, LossyEngine())
    }

    @Test func wyomingReturnsTheTextBeforeAnEnginesError() async throws {
        let engine = ScriptedEngine([
            .final("kept words", at: .seconds(1)), .error(.init(.engineFailed, "It broke."), at: .seconds(2)),
        ])
        try await wyomingSays("The engine failed before the end, so words are missing.", engine)
    }

    private func wyomingSays(_ loss: String, _ engine: any SpeechEngine) async throws {
        let running = try ServerProgram(engine, wyoming: true)
        let client = try RawClient(port: running.server.wyomingPort)
        await client.send(WyomingMessage(type: "audio-start").bytes)
        for _ in 0..<20 {
            await client.send(WyomingMessage(type: "audio-chunk", payload: [UInt8](repeating: 0, count: 6_400)).bytes)
        }
        await client.send(WyomingMessage(type: "audio-stop").bytes)
        var reader = WyomingReader()
        var transcript: WyomingMessage?
        while transcript == nil, let bytes = await client.receive() {
            reader.append(bytes)
            while let message = try reader.next() { if message.type == "transcript" { transcript = message } }
        }
        #expect(transcript?.data["text"] == .text("kept words"))
        #expect(transcript?.data["loss"]?.text?.hasPrefix(loss) == true)
        await running.server.stop()
        #expect(running.log.value.count == 1 && running.log.value[0].loss?.hasPrefix(loss) == true)
    }

    /// An engine on a server hands on that a text is not all.
    @Test(arguments: ["http", "stream", "ws", "tcp"]) func anEngineOnTheServerHearsIt(_ kind: String) async throws {
        let running = try ServerProgram(LossyEngine(), wyoming: true)
        let (http, wyoming) = (running.server.httpPort ?? 0, running.server.wyomingPort ?? 0)
        let engine: any SpeechEngine =
            if kind == "tcp" {
                try RemoteEngine(.wyoming, RemoteServer("tcp://127.0.0.1:\(wyoming)"), locales: ["en-US"])
            } else {
                try RemoteEngine(.openAI, RemoteServer("http://127.0.0.1:\(http)"), locales: ["en-US"]) {
                    $0.isRealtime = kind == "ws"
                    $0.dialect?.streams = kind == "stream"
                    $0.sampleRate = 16_000
                }
            }
        let options: RecognitionOptions = ["ws", "stream"].contains(kind) ? .liveDictation() : RecognitionOptions()
        let heard = await hear(CodedSpeech.buffers(words: 0..<8), with: engine, options)
        #expect(heard.text == "kept words" && heard.finals.allSatisfy { !$0.isComplete }, "\(heard)")
        await running.server.stop()
    }
}
#endif
