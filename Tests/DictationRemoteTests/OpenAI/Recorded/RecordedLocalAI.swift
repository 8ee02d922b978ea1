#if Remote
import DictationCore

@testable import DictationRemote

extension RecordedServer {
    private static let fields = [
        "model": ["whisper-1"], "language": ["en"], "response_format": ["json"], "diarize": ["false"],
    ]
    private static let timedFields = fields.merging([
        "response_format": ["verbose_json"], "timestamp_granularities[]": ["word"],
    ]) { $1 }
    private static let streamFields = fields.merging(["stream": ["true"]]) { $1 }

    /// mudler/LocalAI, `core/http/endpoints/openai` and `core/schema`, of 2026.
    static let localAI = RecordedServer(
        testDescription: "LocalAI", dialect: .localAI,
        models: .json(
            #"{"object":"list","data":[{"id":"whisper-1","object":"model"},{"id":"silero-vad","object":"model"}]}"#,
            headers: "Vary: Origin\r\n"),
        missing: error("404 Not Found", "Not Found", code: 404),
        refusal: { request in
            guard request.fields["model"] != nil else { return error("400 Bad Request", "Bad Request", code: 400) }
            guard request.file.name.contains(".") else { return error("400 Bad Request", "missing file", code: 400) }
            let formats = ["lrc", "srt", "vtt", "text", "json", "verbose_json"]
            guard formats.contains(request.fields["response_format"]?.first ?? "json") else {
                return error("500 Internal Server Error", "invalid response_format", code: 500)
            }
            // A model for speakers is not installed.
            guard request.fields["diarize"] == ["false"] else {
                return error(
                    "500 Internal Server Error", "rpc error: code = FailedPrecondition desc = HF_TOKEN", code: 500)
            }
            return nil
        },
        exchanges: exchanges,
        failures: failures)

    private static let exchanges: [Exchange] = [
        Exchange(
            testDescription: "text", fields: fields,
            reply: answer(#"{"text":"w1 w2 w3","language":"en","duration":1.2}"#)),
        Exchange(
            testDescription: "words in seconds", wordTimes: true, fields: timedFields,
            reply: answer(
                #"{"segments":[{"id":0,"start":0,"end":1.2,"text":"w1 w2 w3","tokens":[50364],"words":[{"start":0,"end":0.2,"text":"w1"},{"start":0.4,"end":0.6,"text":"w2"},{"start":0.8,"end":1,"text":"w3"}]}],"words":[{"start":0,"end":0.2,"text":"w1"},{"start":0.4,"end":0.6,"text":"w2"},{"start":0.8,"end":1,"text":"w3"}],"text":"w1 w2 w3"}"#
            ), starts: [0, 400, 800]),
        Exchange(
            testDescription: "words in nanoseconds", wordTimes: true, fields: timedFields,
            reply: answer(
                #"{"segments":[{"id":0,"start":0,"end":1200000000,"text":"w1 w2 w3","tokens":[50364]}],"words":[{"start":0,"end":200000000,"text":"w1"},{"start":400000000,"end":600000000,"text":"w2"},{"start":800000000,"end":1000000000,"text":"w3"}],"text":"w1 w2 w3"}"#
            ), starts: [0, 400, 800]),
        Exchange(
            testDescription: "words in segments only", wordTimes: true, fields: timedFields,
            reply: answer(
                #"{"segments":[{"id":0,"start":0,"end":0.6,"text":"w1 w2","tokens":null,"words":[{"start":0,"end":0.2,"text":"w1"},{"start":0.4,"end":0.6,"text":"w2"}]},{"id":1,"start":0.8,"end":1.2,"text":"w3","tokens":null,"words":[{"start":0.8,"end":1,"text":"w3"}]}],"text":"w1 w2 w3"}"#
            ), starts: [0, 400, 800]),
        Exchange(
            testDescription: "a back end without times", wordTimes: true, fields: timedFields,
            reply: answer(#"{"text":"w1 w2 w3"}"#)),
        Exchange(
            testDescription: "a stream", streams: true, fields: streamFields,
            reply: .events(
                #"{"delta":"w1","type":"transcript.text.delta"}"#,
                #"{"delta":" w2 w3","type":"transcript.text.delta"}"#,
                #"{"text":"w1 w2 w3","type":"transcript.text.done"}"#, "[DONE]", headers: "")),
        Exchange(
            testDescription: "no text", fields: fields, reply: answer(#"{"text":""}"#), text: ""),
        Exchange(
            testDescription: "noise", fields: fields,
            reply: answer(#"{"text":"[BLANK_AUDIO]"}"#), text: ""),
    ]

    private static let failures: [Failure] = [
        Failure(
            testDescription: "a wrong token",
            reply: error("401 Unauthorized", "An authentication key is required", code: 401),
            message: "An authentication key is required", code: .serverRefused),
        Failure(
            testDescription: "a back end that fails",
            reply: error("500 Internal Server Error", "rpc error: code = Unknown desc = no model", code: 500),
            message: "rpc error: code = Unknown desc = no model", code: .serverUnavailable),
        Failure(
            testDescription: "a back end that fails in a stream", streams: true,
            reply: .events(
                #"{"delta":"w1","type":"transcript.text.delta"}"#,
                #"{"error":{"message":"rpc error: code = Unavailable desc = EOF","type":"server_error"},"type":"error"}"#,
                "[DONE]", headers: ""),
            message: "rpc error: code = Unavailable desc = EOF", code: .serverUnavailable),
    ]

    private static func answer(_ body: String) -> Reply { .json(body + "\n", headers: "") }

    private static func error(_ status: String, _ message: String, code: Int) -> Reply {
        .json(#"{"error":{"code":\#(code),"message":"\#(message)","type":""}}"# + "\n", status: status, headers: "")
    }
}
#endif
