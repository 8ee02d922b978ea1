#if Remote
import DictationCore

@testable import DictationRemote

extension RecordedServer {
    private static let fields = ["language": ["en"], "response_format": ["json"]]
    private static let streamFields = fields.merging(["stream": ["true"]]) { $1 }

    /// vllm-project/vllm, `vllm/entrypoints/speech_to_text` and `vllm/entrypoints/openai/models`, 0.22 and of 2026-11.
    static let vLLM = RecordedServer(
        testDescription: "vLLM", dialect: .vLLM,
        models: .json(
            #"{"object":"list","data":[{"id":"openai/whisper-small","object":"model","created":1763000000,"owned_by":"vllm","root":"openai/whisper-small","parent":null,"max_model_len":448,"permission":[{"id":"modelperm-1","object":"model_permission","created":1763000000,"allow_create_engine":false,"allow_sampling":true,"allow_logprobs":true,"allow_search_indices":false,"allow_view":true,"allow_fine_tuning":false,"organization":"*","group":null,"is_blocking":false}]}]}"#
        ),
        missing: .json(#"{"detail":"Not Found"}"#, status: "404 Not Found"),
        refusal: { request in
            guard request.fields["model"] == nil || request.fields["model"] == ["openai/whisper-small"] else {
                return error("404 Not Found", "NotFoundError", "The model `x` does not exist.", code: 404)
            }
            guard request.fields["language"]?.first?.count == 2 else {
                return error("400 Bad Request", "BadRequestError", "Unsupported language: 'en-US'.", code: 400)
            }
            let format = request.fields["response_format"]?.first ?? "json"
            guard ["text", "json", "verbose_json"].contains(format) else {
                return error(
                    "400 Bad Request", "BadRequestError",
                    "Currently only support response_format: `text`, `json` or `verbose_json`", code: 400)
            }
            guard format != "verbose_json" || request.fields["stream"] != ["true"] else {
                return error(
                    "400 Bad Request", "BadRequestError", "verbose_json format doesn't support streaming case",
                    code: 400)
            }
            return nil
        },
        exchanges: exchanges,
        failures: failures)

    private static let exchanges: [Exchange] = [
        Exchange(
            testDescription: "text", fields: fields,
            reply: .json(#"{"text":" w1 w2 w3","usage":{"type":"duration","seconds":2}}"#)),
        Exchange(
            testDescription: "a stream", streams: true, fields: streamFields,
            reply: .events(chunk(" w1"), chunk(" w2"), chunk(" w3"), chunk("", isLast: true), "[DONE]")),
        Exchange(
            testDescription: "a stream of two halves, each with an end", streams: true, fields: streamFields,
            reply: .events(chunk(" w1 w2", isLast: true), chunk("  w3"), chunk("", isLast: true), "[DONE]")),
        Exchange(
            testDescription: "a stream with counts", streams: true, fields: streamFields,
            reply: .events(
                chunk(" w1 w2 w3"), chunk("", isLast: true),
                #"{"id":"transcribe-1","object":"transcription.chunk","created":1763000000,"model":"openai/whisper-small","choices":[],"usage":{"prompt_tokens":84,"total_tokens":90,"completion_tokens":6}}"#,
                "[DONE]")),
        Exchange(
            testDescription: "no text", fields: fields,
            reply: .json(#"{"text":"","usage":{"type":"duration","seconds":2}}"#), text: ""),
        Exchange(
            testDescription: "no text in a stream", streams: true, fields: streamFields,
            reply: .events(chunk("", isLast: true), "[DONE]"), text: ""),
    ]

    private static let failures: [Failure] = [
        Failure(
            testDescription: "a wrong token",
            reply: .json(#"{"error":"Unauthorized"}"#, status: "401 Unauthorized"), message: "Unauthorized",
            code: .serverRefused),
        Failure(
            testDescription: "a wrong model",
            reply: error("404 Not Found", "NotFoundError", "The model `x` does not exist.", code: 404),
            message: "The model `x` does not exist.", code: .serverRefused),
        Failure(
            testDescription: "a stream that fails", streams: true,
            reply: .events(
                chunk(" w1"),
                #"{"error": {"message": "EngineCore encountered an issue.", "type": "InternalServerError", "param": null, "code": 500}}"#,
                "[DONE]"),
            message: "EngineCore encountered an issue.", code: .serverUnavailable),
        Failure(
            testDescription: "a stream that breaks off after a half", streams: true,
            reply: .events(chunk(" w1 w2", isLast: true)), message: "the answer broke off",
            code: .serverUnavailable),
    ]

    private static func chunk(_ text: String, isLast: Bool = false) -> String {
        let end = isLast ? #","finish_reason":"stop","stop_reason":null"# : ""
        return
            #"{"id":"transcribe-1","object":"transcription.chunk","created":1763000000,"model":"openai/whisper-small","choices":[{"delta":{"content":"\#(text)"}\#(end)}]}"#
    }

    private static func error(_ status: String, _ type: String, _ message: String, code: Int) -> Reply {
        .json(
            #"{"error":{"message":"\#(message)","type":"\#(type)","param":null,"code":\#(code)}}"#, status: status)
    }
}
#endif
