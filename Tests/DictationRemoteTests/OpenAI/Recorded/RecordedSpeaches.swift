#if Remote
import DictationCore

@testable import DictationRemote

extension RecordedServer {
    private static let model = "Systran/faster-whisper-tiny.en"

    /// speaches-ai/speaches, `src/speaches`, 0.8.3 and the state of 2026-11.
    static let speaches = RecordedServer(
        testDescription: "speaches", dialect: .speaches, model: model,
        models: .json(
            #"{"data":[{"id":"Systran/faster-whisper-tiny.en","created":1760000000,"object":"model","owned_by":"Systran","language":["en"],"task":"automatic-speech-recognition"},{"id":"speaches-ai/Kokoro-82M-v1.0-ONNX","created":1760000001,"object":"model","owned_by":"speaches-ai","language":["multilingual"],"task":"text-to-speech","sample_rate":24000,"voices":[]}],"object":"list"}"#
        ),
        missing: .json(#"{"detail":"Not Found"}"#, status: "404 Not Found"),
        refusal: { request in
            guard let name = request.fields["model"]?.first else {
                return .json(
                    #"{"detail":[{"type":"missing","loc":["body","model"],"msg":"Field required","input":null}]}"#,
                    status: "422 Unprocessable Entity")
            }
            guard name == model else {
                return .json(
                    #"{"detail":"Model 'x' is not installed locally. You can download the model using `POST /v1/models`"}"#,
                    status: "404 Not Found")
            }
            let formats = ["text", "json", "verbose_json", "srt", "vtt"]
            guard formats.contains(request.fields["response_format"]?.first ?? "json") else {
                return .json(
                    #"{"detail":[{"type":"literal_error","loc":["body","response_format"],"msg":"Input should be 'text', 'json', 'verbose_json', 'srt' or 'vtt'","input":"x","ctx":{}}]}"#,
                    status: "422 Unprocessable Entity")
            }
            guard request.fields["language"]?.first?.count == 2 else {
                return .json(
                    #"{"detail":"Internal server error","error":"'en-US' is not a valid language code"}"#,
                    status: "500 Internal Server Error")
            }
            let parts = request.fields["timestamp_granularities[]"] ?? []
            guard parts.allSatisfy(["word", "segment"].contains), Set(parts).count == parts.count else {
                return .json(
                    #"{"detail":"Internal server error","error":"['x'] is not a valid value for `timestamp_granularities[]`."}"#,
                    status: "500 Internal Server Error")
            }
            return nil
        },
        exchanges: exchanges,
        failures: failures)

    private static let exchanges: [Exchange] = [
        Exchange(
            testDescription: "text", fields: ["model": [model], "language": ["en"], "response_format": ["json"]],
            reply: .json(#"{"text":"w1 w2 w3","logprobs":null,"usage":null}"#)),
        Exchange(
            testDescription: "words", wordTimes: true,
            fields: [
                "model": [model], "language": ["en"], "response_format": ["verbose_json"],
                "timestamp_granularities[]": ["word"],
            ],
            reply: .json(
                #"{"duration":1.2,"language":"en","text":"w1 w2 w3","segments":[{"id":1,"avg_logprob":-0.21,"compression_ratio":0.67,"end":1.2,"no_speech_prob":0.02,"seek":0,"start":0.0,"temperature":0.0,"text":" w1 w2 w3","tokens":[266,16,266,17]}],"usage":null,"words":[{"end":0.2,"start":0.0,"word":" w1"},{"end":0.6,"start":0.4,"word":" w2"},{"end":1.0,"start":0.8,"word":" w3"}]}"#
            ), starts: [0, 400, 800]),
        Exchange(
            testDescription: "words of 0.7", wordTimes: true,
            fields: [
                "model": [model], "language": ["en"], "response_format": ["verbose_json"],
                "timestamp_granularities[]": ["word"],
            ],
            reply: .json(
                #"{"task":"transcribe","language":"en","duration":1.2,"text":"w1 w2 w3","words":[{"start":0.0,"end":0.2,"word":" w1","probability":0.9},{"start":0.4,"end":0.6,"word":" w2","probability":0.9},{"start":0.8,"end":1.0,"word":" w3","probability":0.8}],"segments":[]}"#
            ), starts: [0, 400, 800]),
        Exchange(
            testDescription: "a stream, whose last event has no text", streams: true,
            fields: ["model": [model], "language": ["en"], "response_format": ["json"], "stream": ["true"]],
            reply: .events(
                #"{"delta":" w1 w2","type":"transcript.text.delta","logprobs":null,"segment_id":null}"#,
                #"{"delta":" w3","type":"transcript.text.delta","logprobs":null,"segment_id":null}"#,
                #"{"text":"","type":"transcript.text.done","logprobs":null,"usage":null}"#)),
        Exchange(
            testDescription: "no text",
            fields: ["model": [model], "language": ["en"], "response_format": ["json"]],
            reply: .json(#"{"text":"","logprobs":null,"usage":null}"#), text: ""),
        Exchange(
            testDescription: "no text in a stream", streams: true,
            fields: ["model": [model], "language": ["en"], "response_format": ["json"], "stream": ["true"]],
            reply: .events(#"{"text":"","type":"transcript.text.done","logprobs":null,"usage":null}"#), text: ""),
    ]

    private static let failures: [Failure] = [
        Failure(
            testDescription: "a wrong token",
            reply: .json(
                #"{"detail":"Invalid API key. The provided API key is incorrect."}"#, status: "403 Forbidden",
                headers: "www-authenticate: Bearer\r\n"),
            message: "Invalid API key. The provided API key is incorrect.", code: .serverRefused),
        Failure(
            testDescription: "a field that is missing",
            reply: .json(
                #"{"detail":[{"type":"missing","loc":["body","model"],"msg":"Field required","input":null}]}"#,
                status: "422 Unprocessable Entity"),
            message: "model: Field required", code: .serverRefused),
        Failure(
            testDescription: "a failure of its own",
            reply: .json(
                #"{"detail":"Internal server error","error":"CUDA out of memory"}"#,
                status: "500 Internal Server Error"),
            message: "CUDA out of memory", code: .serverUnavailable),
        Failure(
            testDescription: "a stream that breaks off", streams: true,
            reply: .events(#"{"delta":" w1","type":"transcript.text.delta","logprobs":null}"#),
            message: "the answer broke off", code: .serverUnavailable),
    ]

}
#endif
