#if Remote
import DictationCore

@testable import DictationRemote

extension RecordedServer {
    /// OpenAI's description of its interface (openai/openai-openapi) and the types of its Python client, of 2026-11.
    static let openAI = RecordedServer(
        testDescription: "OpenAI", dialect: .openAI,
        models: .json(
            #"""
            {
              "object": "list",
              "data": [
                {"id": "whisper-1", "object": "model", "created": 1677532384, "owned_by": "openai-internal"},
                {"id": "gpt-4o-transcribe", "object": "model", "created": 1742068463, "owned_by": "system"}
              ]
            }
            """#, headers: "openai-version: 2020-10-01\r\n"),
        showsDialect: false,
        missing: error("404 Not Found", "Invalid URL (POST /inference)"),
        refusal: { request in
            guard request.fields["model"] != nil else {
                return error("400 Bad Request", "you must provide a model parameter")
            }
            // It takes ISO 639-1.
            guard request.fields["language"]?.first?.count == 2 else {
                return error(
                    "400 Bad Request",
                    "Invalid language 'en-US'. Language parameter must be specified in ISO-639-1 format.")
            }
            guard
                request.fields["timestamp_granularities[]"] == nil
                    || request.fields["response_format"] == ["verbose_json"]
            else {
                return error(
                    "400 Bad Request",
                    "response_format 'json' is not compatible with timestamp granularity 'word'.")
            }
            return nil
        },
        exchanges: exchanges,
        failures: failures)

    private static let exchanges: [Exchange] = [
        Exchange(
            testDescription: "text",
            fields: ["model": ["whisper-1"], "language": ["en"], "response_format": ["json"]],
            reply: .json(#"{"text":"w1 w2 w3","usage":{"type":"duration","seconds":2}}"#, headers: "")),
        Exchange(
            testDescription: "a model with tokens",
            fields: ["model": ["whisper-1"], "language": ["en"], "response_format": ["json"]],
            reply: .json(
                #"""
                {"text":"w1 w2 w3","usage":{"type":"tokens","total_tokens":30,"input_tokens":12,
                "input_token_details":{"text_tokens":0,"audio_tokens":12},"output_tokens":18}}
                """#, headers: "")),
        Exchange(
            testDescription: "words", wordTimes: true,
            fields: [
                "model": ["whisper-1"], "language": ["en"], "response_format": ["verbose_json"],
                "timestamp_granularities[]": ["word"],
            ],
            reply: .json(
                #"""
                {"task":"transcribe","language":"english","duration":1.2000000476837158,"text":"w1 w2 w3",
                "words":[{"word":"w1","start":0.0,"end":0.20000000298023224},
                {"word":"w2","start":0.4000000059604645,"end":0.6000000238418579},
                {"word":"w3","start":0.800000011920929,"end":1.0}],"usage":{"type":"duration","seconds":2}}
                """#, headers: ""), starts: [0, 400, 800]),
        Exchange(
            testDescription: "a stream", streams: true,
            fields: [
                "model": ["whisper-1"], "language": ["en"], "response_format": ["json"], "stream": ["true"],
            ],
            reply: .events(
                #"{"type":"transcript.text.delta","delta":"w1"}"#,
                #"{"type":"transcript.text.delta","delta":" w2 w3"}"#,
                #"{"type":"transcript.text.done","text":"w1 w2 w3","usage":{"type":"tokens","total_tokens":30,"input_tokens":12,"output_tokens":18}}"#,
                headers: "")),
        Exchange(
            testDescription: "Whisper does not stream", streams: true,
            fields: [
                "model": ["whisper-1"], "language": ["en"], "response_format": ["json"], "stream": ["true"],
            ],
            reply: .json(#"{"text":"w1 w2 w3","usage":{"type":"duration","seconds":2}}"#, headers: "")),
        Exchange(
            testDescription: "no text",
            fields: ["model": ["whisper-1"], "language": ["en"], "response_format": ["json"]],
            reply: .json(#"{"text":"","usage":{"type":"duration","seconds":2}}"#, headers: ""), text: ""),
    ]

    private static let failures: [Failure] = [
        Failure(
            testDescription: "a wrong token",
            reply: error("401 Unauthorized", "Incorrect API key provided: sk-***.", code: "invalid_api_key"),
            message: "Incorrect API key provided: sk-***.", code: .serverRefused),
        Failure(
            testDescription: "a wrong model",
            reply: error("404 Not Found", "The model `x` does not exist or you do not have access to it."),
            message: "The model `x` does not exist", code: .serverRefused),
        Failure(
            testDescription: "no money",
            reply: error("429 Too Many Requests", "You exceeded your current quota.", code: "insufficient_quota"),
            message: "You exceeded your current quota.", code: .serverUnavailable),
    ]

    private static func error(_ status: String, _ message: String, code: String? = nil) -> Reply {
        .json(
            """
            {
              "error": {
                "message": "\(message)",
                "type": "invalid_request_error",
                "param": null,
                "code": \(code.map { "\"\($0)\"" } ?? "null")
              }
            }
            """, status: status, headers: "")
    }
}
#endif
