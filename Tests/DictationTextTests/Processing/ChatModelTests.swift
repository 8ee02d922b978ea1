import DictationCore
import Foundation
import Testing

@testable import DictationText

@Suite struct ChatModelTests {
    private let server: ChatServer
    private let transcript = Transcript(segments: [
        SpeechResult(
            range: .zero..<(.seconds(2)), text: "hello world",
            words: [
                .init("hello", range: .zero..<(.seconds(1)), confidence: 0.5),
                .init("world", range: .seconds(1)..<(.seconds(2)), confidence: 0.6),
            ]),
        SpeechResult(range: .seconds(5)..<(.seconds(6)), text: "\n\ngoodbye \"you\""),
    ])

    init() throws { server = try ChatServer() }

    @Test(arguments: ["ok", "stream", "lines"])
    func aModelRewritesTextAndTheOriginalStays(_ mode: String) async throws {
        let rewriting = await transcript.rewritten(by: try ChatModel(at: server.address(mode)))
        #expect(rewriting.error == nil)
        #expect(rewriting.original == transcript)
        #expect(rewriting.written.segments.map(\.text) == ["HELLO WORLD", "\n\nGOODBYE \"YOU\""])
        #expect(rewriting.written.words.map(\.range) == transcript.words.map(\.range))
        #expect(rewriting.written.words.map(\.confidence) == [0.5, 0.6])
        #expect(rewriting.written.segments.map(\.range) == transcript.segments.map(\.range))
    }

    @Test(arguments: ["invalid", "empty", "refusal", "nonsense", "binary", "error", "redirect", "cut", "slow", "huge"])
    func aFailureOfAModelLeavesTheTextAsItWas(_ mode: String) async throws {
        let timeout: Duration = mode == "slow" ? .milliseconds(300) : .seconds(30)
        let model = try ChatModel(at: server.address(mode), timeout: timeout)
        let rewriting = await transcript.rewritten(by: model)
        #expect(rewriting.written == transcript)
        let error = try #require(rewriting.error)
        #expect(error.recovery != nil)
        if mode == "slow" { #expect(error.code == .timedOut) }
    }

    @Test func aServerThatDoesNotRunIsAnErrorThatNamesTheAddress() async throws {
        let model = try ChatModel(at: "http://127.0.0.1:1/v1")
        let rewriting = await transcript.rewritten(by: model)
        #expect(rewriting.written == transcript)
        #expect(rewriting.error?.recovery?.contains("http://127.0.0.1:1/v1") == true)
    }

    @Test func onlyTheTextAndTheInstructionsAreSent() async throws {
        let model = try ChatModel(
            at: server.address("ask"), model: "small \"one\"", key: .command(["printf", "se\\\\c\"ret\\n"]))
        let text = try await model.answer(to: "line\n\t“quoted” \\ \"text\"\u{1}", instructions: "Be kind.")
        let json = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [Any])
        let request = try #require(json[0] as? [String: Any])
        #expect(Set(request.keys) == ["model", "messages", "stream", "temperature"])
        #expect(request["model"] as? String == "small \"one\"")
        let messages = try #require(request["messages"] as? [[String: String]])
        #expect(messages.map { $0["content"] } == ["Be kind.", "line\n\t“quoted” \\ \"text\"\u{1}"])
        #expect(json[1] as? String == "/ask/v1/chat/completions")
        #expect(json[2] as? String == "Bearer se\\c\"ret")
        #expect(
            json[3] as? [String] == ["Accept", "Authorization", "Content-Length", "Content-Type", "Host", "User-Agent"])
    }

    @Test func aKeyIsInNoError() async throws {
        let model = try ChatModel(at: server.address("error"), key: .command(["echo", "verysecret"]))
        let error = await transcript.rewritten(by: model).error
        #expect(error?.message.contains("401") == true)
        #expect(error?.description.contains("verysecret") == false)
    }

    @Test(arguments: [
        SecretText.Source.environment("DICTATION_NO_SUCH_KEY"), .file("/nonexistent/key"), .command(["false"]),
        .command(["printf", "two words"]), .command([]),
    ])
    func aKeyThatCanNotBeReadIsAnError(_ key: SecretText.Source) async throws {
        let model = try ChatModel(at: server.address("ok"), key: key)
        await #expect(throws: DictationError.self) { try await model.rewrite("hello") }
    }

    @Test(arguments: [
        "", "localhost", "file:///etc/passwd", "ftp://localhost", "http://", "http:///v1", "http://user:word@host/v1",
        "http://a b", "http://a\nb", "http://a\"b",
    ])
    func anythingButAWebAddressIsRefused(_ address: String) {
        let error = #expect(throws: DictationError.self) { try ChatModel(at: address) }
        #expect(error?.code == .invalidInput)
    }

    @Test(arguments: [
        ("http://localhost:1/v1", true), ("http://127.0.0.2/v1", true), ("http://[::1]:8080/v1", true),
        ("https://example.com/v1", true), ("http://example.com/v1", false), ("http://127.0.0.1.example.com", false),
        ("http://localhost.example.com", false),
    ])
    func aKeyTravelsUnencryptedOnlyWithinThisMachine(_ address: String, _ isAllowed: Bool) {
        let model = try? ChatModel(at: address, key: .environment("KEY"))
        #expect((model != nil) == isAllowed)
    }

    @Test func aTitleSaysWhoWroteIt() async throws {
        let model = try ChatModel(at: server.address("title"))
        #expect(try await transcript.title(by: model) == TranscriptDigest("A \"title\"", origin: .model))
        #expect(try await transcript.summary(by: model).origin == .model)
        #expect(transcript.title().origin == .extractive)
    }
}
