#if Remote
import DictationCore

@testable import DictationRemote

extension RecordedServer {
    private static let fields = ["language": ["en-US"], "response_format": ["json"]]

    /// NVIDIA's reference of the HTTP interface of its NIM for ASR, 26.07. Only the documentation is public; it does not
    /// show the bodies of errors.
    static let nim = RecordedServer(
        testDescription: "NIM", dialect: .nim,
        models: .json(#"{"detail":"Not Found"}"#, status: "404 Not Found"), showsDialect: false,
        missing: .json(#"{"detail":"Not Found"}"#, status: "404 Not Found"),
        refusal: { request in
            // A model is one of its own names, and goes before the language.
            guard request.fields["model"] == nil, request.fields["language"]?.first?.contains("-") == true else {
                return .json("", status: "400 Bad Request")
            }
            guard ["json", "text"].contains(request.fields["response_format"]?.first ?? "json") else {
                return .json("", status: "400 Bad Request")
            }
            return nil
        },
        exchanges: exchanges,
        failures: failures)

    private static let exchanges: [Exchange] = [
        Exchange(testDescription: "text", fields: fields, reply: .json(#"{"text":"w1 w2 w3 "}"#)),
        Exchange(testDescription: "no text", fields: fields, reply: .json(#"{"text":""}"#), text: ""),
    ]

    private static let failures: [Failure] = [
        Failure(
            testDescription: "an error without a body", reply: .json("", status: "400 Bad Request"),
            message: "it answers with the status 400", code: .serverRefused)
    ]

}
#endif
