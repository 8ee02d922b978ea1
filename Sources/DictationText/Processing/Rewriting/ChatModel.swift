public import DictationCore
import DictationSystem
import FoundationEssentials

/// A language model on a server with the OpenAI-compatible chat interface, such as llama.cpp, Ollama or vLLM on this
/// machine.
///
///     let model = try ChatModel(at: "http://localhost:8080/v1")
///     let rewriting = await transcript.rewritten(by: model)
///     print(rewriting.written.text, rewriting.error ?? "")
///
/// The text goes to this address and nowhere else. The `curl` program sends it, so that no app links a library for it.
/// A redirection is an error.
public struct ChatModel: TextRewriter {
    /// The instructions for ``rewrite(_:)``.
    public var instructions = """
        You correct dictated text. Fix punctuation, capitals, and words that were clearly misheard. Keep the language, the \
        meaning, the order and all other words. Answer with the corrected text alone.
        """

    private let address: String
    private let model: String?
    private let key: SecretText.Source?
    private let timeout: Duration
    private let answerLimit: Int

    /// Creates a model.
    ///
    /// - Parameters:
    ///   - address: The address of the interface, such as `http://localhost:8080/v1`.
    ///   - model: The name of the model; `nil` if the server has only one.
    ///   - key: Where the key is; `nil` if the server needs none. It is read for each request, and appears in no error
    ///     and in no program's arguments.
    ///   - timeout: The longest time for an answer.
    ///   - answerLimit: The greatest number of bytes of an answer.
    /// - Throws: `DictationError.Code.invalidInput` for an address that is not http or https, or when a
    ///   key would travel unencrypted to another machine.
    public init(
        at address: String, model: String? = nil, key: SecretText.Source? = nil, timeout: Duration = .seconds(60),
        answerLimit: Int = 1 << 20
    ) throws(DictationError) {
        let place = HTTPAddress(address)
        guard let place else {
            throw DictationError(
                .invalidInput, "“\(address)” is not an address of a language model.",
                recovery: "Use an address such as http://localhost:8080/v1.")
        }
        guard key == nil || place.isEncrypted || place.isOnThisMachine else {
            throw DictationError(
                .invalidInput, "The key would travel unencrypted to “\(address)”.",
                recovery: "Use an https address, or no key.")
        }
        let path = "/chat/completions"
        // Not a path: an address on the web.
        let base = address.hasSuffix("/") ? String(address.dropLast()) : address
        self.address = base.hasSuffix(path) ? base : base + path
        (self.model, self.key, self.timeout) = (model, key, timeout)
        self.answerLimit = max(0, answerLimit)
        avoidsProxies = place.isOnThisMachine
    }

    private let avoidsProxies: Bool

    /// Corrects a text with the ``instructions``.
    public func rewrite(_ text: String) async throws(DictationError) -> String {
        try await answer(to: text, instructions: instructions)
    }

    /// Returns the model's answer to a text.
    public func answer(to text: String, instructions: String) async throws(DictationError) -> String {
        let key = try await readKey()
        let request = ChatRequest(
            model: model,
            messages: [.init(role: "system", content: instructions), .init(role: "user", content: text)])
        let curl = FilterProgram(
            arguments: ["curl", "-q", "--config", "-"], timeout: timeout, outputLimit: answerLimit)
        let output: String
        do throws(DictationError) {
            output = try await curl.run(try configuration(request, key))
        } catch {
            throw explain(error)
        }
        return try content(of: output, key)
    }

    private func configuration(_ request: ChatRequest, _ key: String?) throws(DictationError) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .withoutEscapingSlashes
        guard let body = try? encoder.encode(request) else {
            throw DictationError(.invalidInput, "The text can't be sent.", recovery: "Rewrite less text at once.")
        }
        var settings = [
            ("url", address), ("proto", "=http,https"), ("header", "Content-Type: application/json"),
            ("data-binary", String(decoding: body, as: UTF8.self)), ("write-out", "\n%{http_code}"),
        ]
        if let key { settings.append(("header", "Authorization: Bearer \(key)")) }
        if avoidsProxies { settings.append(("noproxy", "*")) }
        let lines = settings.map { name, value in
            let quoted = value.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
            return "\(name) = \"\(quoted)\"\n"
        }
        return "silent\nshow-error\ngloboff\n" + lines.joined()
    }

    private func readKey() async throws(DictationError) -> String? {
        guard let source = key else { return nil }
        let key = try await BlockingWork("secret").run { () throws(DictationError) in try source.read().value }
        guard key.utf8.allSatisfy({ (0x21..<0x7F).contains($0) }) else {
            throw DictationError(
                .invalidInput, "The key of the language model has characters that can't be sent.",
                recovery: "A key is one word of ASCII characters.")
        }
        return key
    }

    private func content(of output: String, _ key: String?) throws(DictationError) -> String {
        // The last line feed is that of `write-out`. With a carriage return before it, it is no character of its own.
        let end = output.utf8.lastIndex(of: UInt8(ascii: "\n")) ?? output.startIndex
        let status = Int(output[end...].trimmed) ?? 0
        let body = Data(output[..<end].utf8)
        guard status == 200 else {
            let reason = (try? JSONDecoder().decode(ChatFailure.self, from: body))?.error.message ?? ""
            let safe = key.map { reason.replacing($0, with: "…") } ?? reason
            throw DictationError(
                .engineFailed,
                "The language model answered with the status \(status)"
                    + (safe.isEmpty ? "." : ": “\(safe.prefix(200))”."),
                recovery: "Check the address, the model's name and the key.")
        }
        guard let choice = (try? JSONDecoder().decode(ChatAnswer.self, from: body))?.choices.first,
            let text = choice.message.content
        else {
            throw DictationError(
                .engineFailed, "The language model's answer can't be read.",
                recovery: "Use a server with the OpenAI-compatible chat interface.")
        }
        guard choice.finishReason != "length" else {
            throw DictationError(
                .engineFailed, "The language model stopped before the end of its answer.",
                recovery: "Allow the server to write longer answers.")
        }
        return text.withoutReasoning
    }

    private func explain(_ error: DictationError) -> DictationError {
        var error = error
        switch error.code {
        case .fileUnreadable: error.recovery = "Install the curl program (Debian: sudo apt install curl)."
        case .engineFailed: error.recovery = "Check that the server runs at “\(address)”."
        case .timedOut:
            error.message = "The language model did not answer in \(timeout)."
            error.recovery = "Use a faster server or a smaller model."
        case .invalidInput:
            error.message = "The language model's answer is too long, or is not text in UTF-8."
            error.recovery = "Use a server with the OpenAI-compatible chat interface."
        default: break
        }
        return error
    }
}

extension String {
    /// The text without the thoughts that some models write before their answer.
    fileprivate var withoutReasoning: String {
        guard trimmed.hasPrefix("<think>"), let end = firstRange(of: "</think>") else { return trimmed }
        return self[end.upperBound...].trimmed
    }
}
