#if Remote
import DictationCore

@testable import DictationRemote

extension RecordedServer {
    private static let headers =
        "Server: whisper.cpp\r\nAccess-Control-Allow-Origin: *\r\nAccess-Control-Allow-Headers: content-type, authorization\r\n"
    private static let fields = [
        "language": ["en"], "response_format": ["json"], "split_on_word": ["true"], "suppress_nst": ["true"],
        "no_language_probabilities": ["true"],
    ]
    private static let timedFields = fields.merging([
        "response_format": ["verbose_json"], "timestamp_granularities[]": ["word"],
    ]) { $1 }

    /// ggml-org/whisper.cpp, `examples/server` and `examples/server-common.cpp`, of 2026-11. It ignores unknown fields.
    static let whisperServer = RecordedServer(
        testDescription: "whisper.cpp", dialect: .whisperServer,
        models: .text("File Not Found (/v1/models)", status: "404 Not Found", headers: headers),
        missing: .text("File Not Found (/x)", status: "404 Not Found", headers: headers),
        refusal: { request in
            // Its older versions read only WAV.
            guard request.file.bytes.starts(with: Array("RIFF".utf8)) else {
                return .json(#"{"error":"failed to read audio data"}"#, headers: headers)
            }
            // It cuts a line after 60 characters, also in a word, and describes noise.
            guard request.fields["split_on_word"] == ["true"], request.fields["suppress_nst"] == ["true"] else {
                return .json(#"{"text":" w1 w\n2 w3 [noise]\n"}"#, headers: headers)
            }
            return nil
        },
        exchanges: exchanges,
        failures: failures)

    private static let exchanges: [Exchange] = [
        Exchange(
            testDescription: "text", fields: fields, reply: .json(#"{"text":" w1 w2\n w3\n"}"#, headers: headers)),
        Exchange(
            testDescription: "words in tokens", wordTimes: true, fields: timedFields,
            reply: .json(
                #"{"task":"transcribe","language":"english","duration":1.2000000476837158,"text":" w1 w2\n w3\n","segments":[{"id":0,"text":" w1 w2","start":0.0,"end":0.8000000119209290,"words":[{"word":" w","start":0.0,"end":0.10000000149011612,"probability":0.91},{"word":"1","start":0.10000000149011612,"end":0.20000000298023224,"probability":0.98},{"word":" w","start":0.4000000059604645,"end":0.5,"probability":0.9},{"word":"2","start":0.5,"end":0.6000000238418579,"probability":0.99}],"tokens":[266,16,266,17],"temperature":0.0,"avg_logprob":-0.0612,"no_speech_prob":0.0012},{"id":1,"text":" w3","start":0.8000000119209290,"end":1.2000000476837158,"words":[{"word":" w","start":0.8000000119209290,"end":0.9,"probability":0.9},{"word":"3","start":0.9,"end":1.0,"probability":0.99}],"tokens":[266,18],"temperature":0.0,"avg_logprob":-0.0512,"no_speech_prob":0.0012}]}"#,
                headers: headers), starts: [0, 400, 800]),
        Exchange(
            testDescription: "a mark is no word", wordTimes: true, fields: timedFields,
            reply: .json(
                #"{"task":"transcribe","language":"english","duration":1.2,"text":" w1 w2, w3.\n","segments":[{"id":0,"text":" w1 w2, w3.","start":0.0,"end":1.2,"words":[{"word":" w1","start":0.0,"end":0.2,"probability":0.9},{"word":" w2","start":0.4,"end":0.6,"probability":0.9},{"word":",","start":0.6,"end":0.6,"probability":0.9},{"word":" w3","start":0.8,"end":1.0,"probability":0.9},{"word":".","start":1.0,"end":1.0,"probability":0.9}],"tokens":[],"temperature":0.0,"avg_logprob":-0.1,"no_speech_prob":0.0}]}"#,
                headers: headers), text: "w1 w2, w3.", starts: [0, 400, 800]),
        Exchange(
            testDescription: "a script without spaces", wordTimes: true, fields: timedFields,
            reply: .json(
                #"{"task":"transcribe","language":"chinese","duration":1.2,"text":" 今日は。\n","segments":[{"id":0,"text":" 今日は。","start":0.0,"end":1.2,"words":[{"word":" 今","start":0.0,"end":0.2,"probability":0.9},{"word":"日","start":0.4,"end":0.6,"probability":0.9},{"word":"は","start":0.8,"end":1.0,"probability":0.9},{"word":"。","start":1.0,"end":1.0,"probability":0.9}],"tokens":[],"temperature":0.0,"avg_logprob":-0.1,"no_speech_prob":0.0}]}"#,
                headers: headers), text: "今日は。", starts: [0, 400, 800]),
        Exchange(
            testDescription: "no text", fields: fields, reply: .json(#"{"text":""}"#, headers: headers), text: ""),
        Exchange(
            testDescription: "silence", fields: fields,
            reply: .json(#"{"text":" [BLANK_AUDIO]\n"}"#, headers: headers), text: ""),
    ]

    private static let failures: [Failure] = [
        Failure(
            testDescription: "another path",
            reply: .text("File Not Found (/inference)", status: "404 Not Found", headers: headers),
            message: "File Not Found (/inference)", code: .serverRefused),
        Failure(
            testDescription: "a wrong request",
            reply: .text("Invalid request", status: "400 Bad Request", headers: headers),
            message: "Invalid request", code: .serverRefused),
        Failure(
            testDescription: "an error with the status of success",
            reply: .json(#"{"error":"failed to read audio data"}"#, headers: headers),
            message: "failed to read audio data", code: .serverUnavailable),
        Failure(
            testDescription: "a failure of its own",
            reply: .json(
                #"{"error":"failed to process audio"}"#, status: "500 Internal Server Error", headers: headers),
            message: "failed to process audio", code: .serverUnavailable),
    ]

}
#endif
