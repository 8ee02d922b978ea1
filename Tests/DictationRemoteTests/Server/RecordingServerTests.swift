import DictationCore
import DictationEngines
import DictationMessages
import DictationText
import Foundation
import TestSupport
import Testing

@testable import DictationRemote
@testable import DictationServer

/// The OpenAI-compatible interface over HTTP, with curl as its client.
@Suite struct RecordingServerTests {
    private let folder: TemporaryFolder
    private let tone: String

    init() throws {
        folder = try TemporaryFolder()
        tone = try writeTone(.seconds(4), in: folder.path)
    }

    private static let text = "one two three four one two three four"

    @Test func everyFormatHasTheText() async throws {
        let running = try ServerProgram()
        let json = try await running.transcribe(tone)
        #expect(json.status == 200 && JSONValue(json: json.body.utf8)?["text"] == .text(Self.text))
        let plain = try await running.transcribe(tone, ["model=whisper-1", "response_format=text"])
        #expect(plain.status == 200 && plain.body == Self.text + "\n")
        let srt = try await running.transcribe(tone, ["model=scripted", "response_format=srt"])
        #expect(srt.body.hasPrefix("1\n00:00:0") && srt.body.contains("one two three four"))
        let vtt = try await running.transcribe(tone, ["model=scripted", "response_format=vtt"])
        #expect(vtt.body.hasPrefix("WEBVTT\n\n") && vtt.body.contains("one two three four"))
        let verbose = try await running.transcribe(
            tone,
            ["model=scripted", "response_format=verbose_json", "timestamp_granularities[]=segment", "language=en"])
        let value = try JSONDecoder().decode(OpenAITranscript.self, from: Data(verbose.body.utf8))
        #expect(value.text == Self.text && value.duration == 4 && value.language == "en")
        #expect(value.segments?.count == 2 && value.segments?.last?.end == 4 && value.words == nil)
        await running.server.stop()
        #expect(running.log.value.count == 5 && running.log.value.allSatisfy { $0.audioSeconds == 4 && $0.text == nil })
    }

    @Test func aStreamHasThePartsAndTheWhole() async throws {
        let running = try ServerProgram()
        let answer = try await running.transcribe(tone, ["model=scripted", "stream=true"])
        let events = answer.body.split(separator: "\n").compactMap { line in
            try? JSONDecoder().decode(OpenAITranscriptEvent.self, from: Data(line.dropFirst("data: ".count).utf8))
        }
        #expect(events.compactMap(\.delta).joined() == Self.text)
        #expect(events.last?.type == "transcript.text.done" && events.last?.text == Self.text)
        await running.server.stop()
    }

    @Test(arguments: [
        (["model=unknown"], 404), (["response_format=docx"], 400), (["language=tlh"], 400), (["temperature=9"], 400),
        (["timestamp_granularities[]=word"], 400), (["timestamp_granularities[]=sentence"], 400),
        (["include[]=logprobs"], 400), (["response_format=diarized_json"], 400),
        (["known_speaker_names[]=Elinor"], 400),
        (["chunking_strategy=never"], 400), (["languages[]=tlh", "languages[]=xx"], 400), (["speed=2"], 400),
        (["language=en", "language=de"], 400), (["response_format=json", "response_format=text"], 400),
    ])
    func whatCannotBeDoneIsRefused(fields: [String], status: Int) async throws {
        let running = try ServerProgram()
        let answer = try await running.transcribe(tone, fields)
        let failure = try JSONDecoder().decode(OpenAIFailure.self, from: Data(answer.body.utf8))
        #expect(answer.status == status && !failure.error.message.isEmpty, "\(answer)")
        await running.server.stop()
    }

    /// What the original takes although it changes nothing, or nothing here.
    @Test(arguments: [
        ["timestamp_granularities[]=segment"], ["timestamp_granularities[]=segment", "response_format=text"],
        ["chunking_strategy=auto"], [#"chunking_strategy={"type":"server_vad","threshold":0.5}"#],
        ["chunking_strategy[type]=server_vad", "chunking_strategy[silence_duration_ms]=200"],
        ["languages[]=tlh", "languages[]=en"], ["temperature=0.2"], ["stream=false"],
    ])
    func whatTheOriginalTakesIsTaken(fields: [String]) async throws {
        let running = try ServerProgram()
        let answer = try await running.transcribe(tone, ["model=gpt-4o-transcribe"] + fields)
        #expect(answer.status == 200 && answer.body.contains(Self.text), "\(answer)")
        await running.server.stop()
    }

    @Test(arguments: [
        (["stream=true", "response_format=srt"], "stream"), (["stream=true", "response_format=vtt"], "stream"),
        (["stream=true", "response_format=verbose_json"], "stream"), (["prompt=Dashwood"], "prompt"),
        (["keywords[]=Dashwood", "keywords[]=Norland"], "keywords"),
    ])
    func anIgnoredHintIsNamed(fields: [String], ignored: String) async throws {
        let running = try ServerProgram()
        let answer = try await running.transcribe(tone, fields, headers: true)
        #expect(answer.status == 200 && answer.body.contains("one two three"), "\(answer)")
        #expect(answer.body.lowercased().contains("dictation-ignored: \(ignored)\r\n"), "\(answer)")
        await running.server.stop()
    }

    @Test func subtitlesArePlainText() async throws {
        let running = try ServerProgram()
        let answer = try await running.transcribe(tone, ["response_format=srt"], headers: true)
        #expect(answer.body.lowercased().contains("content-type: text/plain; charset=utf-8\r\n"), "\(answer)")
        await running.server.stop()
    }

    @Test func clientsWithOpenAIsNamesInTheirCodeAreServed() async throws {
        let names = [
            "whisper-1", "gpt-transcribe", "gpt-4o-transcribe", "gpt-4o-mini-transcribe", "gpt-live-transcribe",
        ]
        for isExact in [false, true] {
            var configuration = DictationServer.Configuration()
            (configuration.http, configuration.takesOpenAINames) = (.init(port: 0), !isExact)
            let models = [
                ServedModel("one", engine: ScriptedEngine()), ServedModel("gpt-transcribe", engine: ScriptedEngine()),
            ]
            let server = try DictationServer(models, configuration)
            for name in names {
                let found = try await run(
                    "curl", ["-qs", "http://127.0.0.1:\(server.httpPort ?? 0)/v1/models/\(name)"])
                let id: String? = name == "gpt-transcribe" ? name : isExact ? nil : "one"
                #expect(JSONValue(json: found.output.utf8)?["id"]?.text == id, "\(name): \(found)")
            }
            await server.stop()
        }
    }

    @Test func badRecordingsAreRefused() async throws {
        let running = try ServerProgram { $0.limits.requestByteCount = 100_000 }
        let text = try folder.write(Array("no sound".utf8), to: "notes.txt")
        let unreadable = try await running.transcribe(text)
        #expect(unreadable.status == 400 && unreadable.body.contains("notes.txt"), "\(unreadable)")
        #expect(!unreadable.body.contains("/proc/"))
        #expect(try await running.transcribe(tone).status == 413)
        #expect(try await running.curl("/v1/audio/transcriptions", ["--form", "model=scripted"]).status == 400)
        #expect(try await running.curl("/v1/audio/transcriptions", ["--json", "{}"]).status == 415)
        #expect(try await running.curl("/v1/audio/speech", ["--json", "{}"]).status == 404)
        await running.server.stop()
    }

    @Test func aRecordingMayBeTooLong() async throws {
        let running = try ServerProgram { $0.limits.audioDuration = .seconds(2) }
        let answer = try await running.transcribe(tone)
        #expect(answer.status == 400 && answer.body.contains("longer than 2 seconds"), "\(answer)")
        await running.server.stop()
    }

    @Test func onlyWhoKnowsTheTokenIsServed() async throws {
        let running = try ServerProgram { $0.token = SecretText("swordfish") }
        for headers in [
            [], ["--header", "Authorization: Bearer swordfisH"], ["--header", "Authorization: swordfish"],
        ] {
            #expect(try await running.curl("/v1/models", headers).status == 401)
        }
        let known = ["--header", "Authorization: Bearer swordfish"]
        let models = try await running.curl("/v1/models", known)
        #expect(models.status == 200 && models.body.contains(#""id":"scripted""#))
        #expect(try await running.curl("/v1/models/scripted", known).status == 200)
        #expect(try await running.curl("/health").body == "ok\n")
        #expect(try await running.curl("/metrics").status == 401)
        await running.server.stop()
    }

    @Test func pagesElsewhereAreNotServedWithoutAToken() async throws {
        let running = try ServerProgram()
        #expect(try await running.curl("/v1/models", ["--header", "Host: evil.example"]).status == 421)
        #expect(try await running.curl("/v1/models", ["--header", "Origin: https://evil.example"]).status == 403)
        #expect(try await running.curl("/v1/models").status == 200)
        await running.server.stop()
    }

    @Test func otherMachinesNeedAToken() {
        func attempt(_ change: (inout DictationServer.Configuration) -> Void) throws {
            _ = try ServerProgram(wyoming: false, change)
        }
        #expect(throws: DictationError.self) { try attempt { $0.http?.address = "0.0.0.0" } }
        #expect(throws: DictationError.self) { try attempt { $0.http?.address = "::" } }
        #expect(throws: DictationError.self) { try attempt { $0.wyoming = .init(address: "0.0.0.0", port: 0) } }
        #expect(throws: DictationError.self) { try attempt { $0.token = SecretText("") } }
        #expect(throws: DictationError.self) { try attempt { $0.certificateFile = "/nonexistent" } }
    }

    @Test func metricsCountRequestsAndAudio() async throws {
        let running = try ServerProgram()
        try await running.server.ready()
        #expect(try await running.curl("/ready").body == "ready\n")
        _ = try await running.transcribe(tone)
        _ = try await running.transcribe(tone, ["model=unknown"])
        let metrics = try await running.curl("/metrics").body
        for line in [
            #"dictation_requests_total{interface="http",status="200"} 1"#,
            #"dictation_requests_total{interface="http",status="404"} 1"#,
            #"dictation_audio_seconds_total{interface="http"} 4.0"#, "dictation_queue_seconds_count 1",
            "dictation_ready 1", "dictation_recordings_running 0",
        ] {
            #expect(metrics.contains(line), "\(metrics)")
        }
        await running.server.stop()
    }

    @Test func aStoppingServerFinishesWhatRuns() async throws {
        let engine = ScriptedEngine([.final("slow words", at: .seconds(2)), .slowFinish(.seconds(1))])
        let running = try ServerProgram(engine)
        async let answer = running.transcribe(tone)
        #expect(await eventually { engine.sessions.count == 1 })
        await running.server.stop()
        let served = try await answer
        #expect(served.status == 200 && served.body.contains("slow words"), "\(served)")
        #expect(try await running.curl("/health").status == 0, "Nobody listens any more.")
    }
}
