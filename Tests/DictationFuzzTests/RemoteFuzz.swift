#if Remote
import DictationCore
import DictationEngines
import DictationMessages

@testable import DictationRemote

/// What servers send to engines. An engine that speaks through messages gets each line of an input as a message.
enum RemoteFuzz {
    private static let address = "ws://example.org"
    /// A tenth of a second.
    private static let audio = AudioBuffer(silence: 1_600, format: .speech)

    private static func bytes(_ texts: String...) -> [[UInt8]] { texts.map { Array($0.utf8) } }

    // MARK: Corpora

    static var sherpaCorpus: [[UInt8]] {
        let result = #"{"text":" GO ON","tokens":[" GO"," ON"],"timestamps":[0.1,0.5],"segment":0,"start_time":0.0"#
        return bytes(
            "\(result),\"is_final\":false,\"is_eof\":false}", "\(result),\"is_final\":true,\"is_eof\":false}",
            "Done!\n\(result),\"is_final\":false,\"is_eof\":true}", #"{"text":"go","start_time":0.2}"#, "Done?", "[]")
    }

    static var voskCorpus: [[UInt8]] {
        bytes(
            #"{"partial" : "go on"}"#, #"{"text" : ""}"#,
            #"{"result" : [{"conf" : 0.9, "start" : 0.1, "end" : 0.5, "word" : "go"}], "text" : "go"}"#,
            "{\"partial\" : \"go\"}\n{\"text\" : \"go on\"}", "{}", #"{"text" : 1}"#)
    }

    static var realtimeCorpus: [[UInt8]] {
        let item = "conversation.item.input_audio_transcription"
        return bytes(
            #"{"type":"session.created","session":{"type":"transcription"}}"#,
            """
            {"type":"input_audio_buffer.committed","item_id":"a"}
            {"type":"\(item).delta","item_id":"a","delta":"go"}
            {"type":"\(item).completed","item_id":"a","transcript":"go on"}
            """,
            #"{"type":"\#(item).completed","item_id":"b","transcript":"go"}"#,
            #"{"type":"error","error":{"type":"server_error","message":"broken"}}"#,
            #"{"type":"error","error":{"code":"input_audio_buffer_commit_empty","message":"empty"}}"#, "{}", "[1]",
            """
            {"type":"transcription.delta","delta":" go"}
            {"type":"transcription.done","text":" go on","usage":{"prompt_tokens":1}}
            """, #"{"type":"error","error":"broken","code":"processing_error"}"#)
    }

    static var wyomingCorpus: [[UInt8]] {
        bytes(
            #"{"type":"info","data":{"asr":[{"name":"a","models":[{"name":"m","languages":["en"]}]}]}}"# + "\n",
            "{\"type\":\"transcript\",\"data_length\":13}\n{\"text\":\"go\"} ",
            "{\"type\":\"transcript-chunk\",\"data\":{\"text\":\"go\"}}\n{\"type\":\"transcript\",\"data\":{\"text\":\"go\"}}\n",
            "{\"type\":\"x\",\"payload_length\":3}\nabc", #"{"type":"error","data":{"text":"broken"}}"# + "\n", "{}\n",
            "HTTP/1.1 400 Bad Request\r\n\r\n")
    }

    static var answerCorpus: [[UInt8]] {
        bytes(
            #"{"text":"go on","duration":"1.5","words":[{"word":"go","start":0.1,"end":0.4}],"segments":[]}"#,
            #"{"text":"go","words":[{"text":"go","start":"0.1","end":0.4}]}"#, #"{"text":"go"}"#,
            #"{"text":" go\n","segments":[{"id":0,"text":" go","words":[{"word":" g","start":0},{"word":"o","end":1e9}]}]}"#,
            #"{"detail":"broken"}"#, #"{"detail":[{"loc":["body","model"],"msg":"missing"}]}"#,
            #"{"error":"broken"}"#, #"{"error":{"message":"broken"}}"#, "{", "[]")
    }

    static var eventCorpus: [[UInt8]] {
        bytes(
            """
            data: {"type":"transcript.text.delta","delta":"go"}

            data: {"type":"transcript.text.done","text":"go on"}

            """,
            """
            data: {"object":"transcription.chunk","choices":[{"delta":{"content":"go"},"finish_reason":"stop"}]}

            data: [DONE]

            """,
            ": comment\n\ndata: [DONE]", "data: {\"error\":\"broken\"}\n", "data: {}\n", "data: {\"type\":\"other\"}\n",
            "data: {\"type\":\"error\",\"error\":{\"message\":\"broken\"}}\n")
    }

    static var socketCorpus: [[UInt8]] {
        [
            [0x81, 2, 103, 111], [0x82, 3, 1, 2, 3], [0x01, 1, 103, 0x89, 0, 0x80, 1, 111],
            [0x81, 126, 0, 200] + Array(repeating: 97, count: 200), [0x88, 2, 3, 232], [0x83, 0], [0x81, 1, 0xFF],
            [0x82, 127, 0xFF, 0, 0, 0, 0, 0, 0, 0],
        ]
    }

    static var maskedSocketCorpus: [[UInt8]] {
        [
            [0x81, 0x82, 0, 0, 0, 0, 103, 111], [0x82, 0x83, 1, 2, 3, 4, 1, 2, 3],
            [0x01, 0x81, 0, 0, 0, 0, 103, 0x89, 0x80, 0, 0, 0, 0, 0x80, 0x81, 0, 0, 0, 0, 111],
            [0x81, 0xFE, 0, 200, 0, 0, 0, 0] + Array(repeating: 97, count: 200), [0x88, 0x82, 0, 0, 0, 0, 3, 232],
            [0x81, 2, 103, 111], [0x82, 0xFF, 0xFF, 0, 0, 0, 0, 0, 0, 0],
        ]
    }

    static var upgradeCorpus: [[UInt8]] {
        bytes(
            """
            HTTP/1.1 101 Switching Protocols\r
            Upgrade: websocket\r
            Connection: Upgrade\r
            Sec-WebSocket-Accept: \(WebSocketHandshake.answer(to: "key"))\r
            \r

            """,
            "HTTP/1.1 429 Slow\r\nRetry-After: 3\r\n\r\n", "HTTP/1.1 302 Found\r\nLocation: x\r\n\r\n",
            "HTTP/1.1 200 OK\r\n\r\n",
            "banana\r\n\r\n")
    }

    // MARK: Reading

    static func readSherpa(_ input: [UInt8]) throws(DictationError) -> String? {
        let casing = Casing(textCase: .sentence, language: "en")
        var dialect = SherpaServerDialect(
            .init(format: .speech, casing: casing, wordTimes: true), of: address)
        return try read(input, by: &dialect)
    }

    static func readVosk(_ input: [UInt8]) throws(DictationError) -> String? {
        var options = RecognitionOptions.liveDictation()
        options.wordTimes = true
        var dialect = VoskServerDialect(options, format: .speech, of: address)
        return try read(input, by: &dialect)
    }

    static func readRealtime(_ input: [UInt8]) throws(DictationError) -> String? {
        let settings = OpenAISettings(server: RemoteServer(address))
        do throws(DictationError) {
            var dialect = OpenAIRealtimeDialect(
                settings, .liveDictation(), OpenAIDialect.vLLM.realtime ?? .init(), format: .speech, of: address)
            if let wrong = try read(input, by: &dialect) { return wrong }
        } catch {
            guard error.code == refusal.code else { throw error }
        }
        var dialect = OpenAIRealtimeDialect(settings, .liveDictation(), format: .speech, of: address)
        return try read(input, by: &dialect)
    }

    private static func read<Dialect: WebSocketDialect>(
        _ input: [UInt8], by dialect: inout Dialect
    ) throws(DictationError) -> String? {
        _ = dialect.open() + dialect.send(audio) + dialect.finalize()
        for line in input.split(separator: 10) {
            let events = try honest { () throws(RemoteFailure) in
                try dialect.receive(.text(String(decoding: line, as: UTF8.self)))
            }
            _ = dialect.answers()
            for event in events { if let wrong = wrong(event) { return wrong } }
        }
        return nil
    }

    static func readWyoming(_ input: [UInt8]) throws(DictationError) -> String? {
        let conversation = WyomingConversation(with: address, language: "en", service: nil)
        // Short, because the inputs concern only what comes back.
        conversation.send(AudioBuffer(silence: 16, format: .speech))
        conversation.finalize()
        let events = try honest { () throws(RemoteFailure) in
            var events: [RemoteEvent] = []
            try input.withUnsafeBufferPointer { bytes throws(RemoteFailure) in
                try conversation.receive(UnsafeRawBufferPointer(bytes), into: &events)
            }
            return events
        }
        // A message that is not complete is no message.
        guard !events.isEmpty || input.contains(10) else { throw refusal }
        for event in events { if let wrong = wrong(event) { return wrong } }
        return nil
    }

    static func readAnswer(_ input: [UInt8]) throws(DictationError) -> String? {
        let answer = try honest { () throws(RemoteFailure) in try OpenAIAnswer.piece(in: input, from: address) }
        let piece = PauseCutter.Piece(
            samples: audio.floatSamples, start: .seconds(3), speech: .seconds(3)..<(.milliseconds(3_100)), ending: .end)
        guard let result = answer.result(for: piece, wordTimes: true) else { return nil }
        let isInside = result.words.allSatisfy { word in
            word.range.map { $0.lowerBound >= .seconds(3) && $0.upperBound <= .milliseconds(3_100) } ?? false
        }
        return isInside ? nil : "a word outside the audio"
    }

    static func readEvents(_ input: [UInt8]) throws(DictationError) -> String? {
        var reader = OpenAIEventReader(from: address)
        _ = try honest { () throws(RemoteFailure) in
            _ = try input.withUnsafeBufferPointer { bytes throws(RemoteFailure) in
                try reader.receive(UnsafeRawBufferPointer(bytes))
            }
            try reader.finish()
        }
        return reader.text.utf8.count > 3 * input.count ? "more text than there was" : nil
    }

    static func readSocket(_ input: [UInt8], isMasked: Bool = false) throws(DictationError) -> String? {
        let framing = WebSocketFraming(isMasked ? .server : .client, messageLimit: 1_000)
        var size = 0
        for start in stride(from: 0, to: input.count, by: 7) {
            let messages = input[start..<min(input.count, start + 7)].withUnsafeBytes { framing.receive($0) }
            for message in messages { if case .binary(let bytes) = message { size += bytes.count } }
            framing.written(framing.output.count)
        }
        guard size <= input.count else { return "more bytes than there were" }
        guard framing.isReceiving else { throw refusal }
        return nil
    }

    static func readUpgrade(_ input: [UInt8]) throws(DictationError) -> String? {
        var answer = UpgradeAnswer(key: "key")
        let rest = try honest { () throws(RemoteFailure) in
            try input.withUnsafeBufferPointer { bytes throws(RemoteFailure) in
                try answer.receive(UnsafeRawBufferPointer(bytes), from: address)
            }
        }
        guard let rest else { throw refusal }
        return rest.count < input.count ? nil : "more bytes than there were"
    }

    // MARK: Judging

    private static var refusal: DictationError { DictationError(.invalidInput, "Refused.", recovery: "Send another.") }

    /// Turns the failures for dishonest servers into one error.
    private static func honest<Answer>(_ body: () throws(RemoteFailure) -> Answer) throws(DictationError) -> Answer {
        do throws(RemoteFailure) { return try body() } catch {
            let codes: [DictationError.Code] = [.serverUnavailable, .serverRefused, .serverAnswerInvalid]
            guard codes.contains(error.error.code), error.error.recovery != nil else { throw error.error }
            throw refusal
        }
    }

    /// Times lie in the audio, and confidence between 0 and 1.
    private static func wrong(_ event: RemoteEvent) -> String? {
        guard case .update(let update) = event else { return nil }
        let known = Duration.zero...audio.end
        let ranges = [update.result?.range].compactMap(\.self) + (update.result?.words ?? []).compactMap(\.range)
        let times = ranges.flatMap { [$0.lowerBound, $0.upperBound] } + [update.finalizedThrough].compactMap(\.self)
        guard times.allSatisfy(known.contains) else { return "a time outside the audio: \(update)" }
        let isSure = update.result?.words.allSatisfy { $0.confidence.map((0...1).contains) ?? true } ?? true
        return isSure ? nil : "a confidence beyond 0 to 1"
    }
}
#endif
