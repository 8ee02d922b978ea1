#if Remote
import DictationCore
import Foundation

@testable import DictationMessages
@testable import DictationRemote

/// The realtime interfaces that deviate from the original, in the form that their sources give them. Each recognizes
/// ``CodedSpeech``, at 16 kHz.
enum RecordedRealtimeServer: String, Sendable, CaseIterable {
    /// speaches-ai/speaches, `src/speaches/realtime`, of 2026-11.
    case speaches
    /// mudler/LocalAI, `core/http/endpoints/openai/realtime.go`, of 2026.
    case localAI
    /// vllm-project/vllm, `vllm/entrypoints/speech_to_text/realtime`, 0.22 and of 2026-11.
    case vLLM

    var dialect: OpenAIDialect {
        switch self {
        case .speaches: .speaches
        case .localAI: .localAI
        case .vLLM: .vLLM
        }
    }

    func start() throws -> LoopbackServer {
        try LoopbackServer { peer, _ in
            var request = ""
            guard let framing = WebSocketPeer.accept(peer, read: { request = $0 }) else { return }
            var conversation = Conversation(server: self, request: request)
            for message in conversation.greet() { framing.send(.text(message)) }
            while let messages = WebSocketPeer.exchange(framing, with: peer) {
                for case .text(let text) in messages {
                    guard let object = try? JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any] else {
                        return
                    }
                    for answer in conversation.answers(to: object) { framing.send(.text(answer)) }
                }
                // The texts come after all that the client has sent without waiting.
                for answer in conversation.complete() { framing.send(.text(answer)) }
            }
        }
    }

    /// A conversation with one client.
    private struct Conversation {
        let server: RecordedRealtimeServer
        let request: String
        var recognizer = CodedSpeech.Recognizer()
        var items = 0
        /// The items whose text is not sent yet: the number and the text.
        var pending: [(number: Int, text: String)] = []
        /// Whether the client has said that it ends the items.
        var isConfigured = false
        /// vLLM: whether a text is being made.
        var isGenerating = false

        init(server: RecordedRealtimeServer, request: String) { (self.server, self.request) = (server, request) }

        mutating func greet() -> [String] {
            let hasModel = request.contains("model=some%20model")
            switch server {
            case .speaches:
                // Without the model there is no websocket.
                guard request.hasPrefix("GET /v1/realtime?intent=transcription&"), hasModel else {
                    return [error("", "")]
                }
                return [
                    #"{"type":"session.created","event_id":"event_1","session":{"id":"sess_1","input_audio_format":"pcm16","input_audio_transcription":{"model":"some model","language":null},"instructions":"","max_response_output_tokens":"inf","modalities":["audio","text"],"model":"gpt-4o-realtime-preview","no_response_token":"*","no_speech_prob_threshold":0.6,"output_audio_format":"pcm16","temperature":0.8,"tool_choice":"auto","tools":[],"turn_detection":{"create_response":false,"prefix_padding_ms":300,"silence_duration_ms":350,"threshold":0.6,"type":"server_vad","barge_in_delay_ms":400},"speech_model":"speaches-ai/Kokoro-82M-v1.0-ONNX","voice":"af_heart"}}"#
                ]
            case .localAI:
                guard hasModel else { return [error("invalid_model", "Model is not a pipeline model")] }
                return [
                    #"{"type":"session.created","event_id":"event_TODO","session":{"type":"realtime","id":"sess_1","object":"realtime.session","model":"some model","audio":{"input":{"transcription":{"model":"whisper-1"},"turn_detection":{"type":"server_vad","threshold":0.5,"prefix_padding_ms":300,"silence_duration_ms":500,"create_response":true}},"output":{"voice":""}}}}"#
                ]
            case .vLLM: return [#"{"type":"session.created","id":"sess-1","created":1763000000}"#]
            }
        }

        mutating func answers(to message: [String: Any]) -> [String] {
            switch message["type"] as? String {
            case "session.update": return configure(message)
            case "input_audio_buffer.append":
                for sample in Self.samples(message["audio"]) { _ = recognizer.take(sample) }
                guard server == .vLLM, isGenerating, let word = recognizer.words.last, word.number != said else {
                    return []
                }
                said = word.number
                return [#"{"type":"transcription.delta","delta":" w\#(word.number)"}"#]
            case "input_audio_buffer.commit": return commit(isLast: message["final"] as? Bool == true)
            default: return [error("unknown_event", "Unknown event")]
            }
        }

        /// The last word that a delta has told.
        private var said = 0

        private mutating func configure(_ message: [String: Any]) -> [String] {
            let session = message["session"] as? [String: Any]
            switch server {
            case .speaches:
                let transcription = session?["input_audio_transcription"] as? [String: Any]
                isConfigured =
                    session?["turn_detection"] is NSNull && transcription?["model"] as? String == "some model"
                return [
                    #"{"type":"session.updated","event_id":"event_2","session":{"id":"sess_1","input_audio_transcription":{"model":"some model","language":"en"},"turn_detection":null}}"#
                ]
            case .localAI:
                let audio = session?["audio"] as? [String: Any], input = audio?["input"] as? [String: Any]
                isConfigured = session?["type"] as? String == "transcription" && input?["turn_detection"] is NSNull
                return [
                    #"{"type":"session.updated","event_id":"event_TODO","session":{"type":"transcription","id":"sess_1","object":"realtime.transcription_session","audio":{"input":{"transcription":{"model":"whisper-1","language":"en"}}}}}"#
                ]
            case .vLLM:
                guard message["model"] as? String == "some model" else {
                    return [#"{"type":"error","error":"Missing required field: model","code":"invalid_event"}"#]
                }
                isConfigured = true
                return []
            }
        }

        private mutating func commit(isLast: Bool) -> [String] {
            // The server ends items by itself, at other places.
            guard isConfigured else { return [error("not_implemented", "input_audio_buffer.commit with VAD")] }
            let text = recognizer.words.map { "w\($0.number)" }.joined(separator: " ")
            if server == .vLLM {
                guard isLast else {
                    // While a text is being made, another begin is ignored.
                    isGenerating = true
                    return []
                }
                pending.append((items, text))
                return []
            }
            if server == .speaches, recognizer.frames - recognizer.origin < 1_600 {
                return [
                    error(
                        nil,
                        "Error committing input audio buffer: buffer too small. Expected at least 100ms of audio, but buffer only has 10.00ms of audio."
                    )
                ]
            }
            items += 1
            recognizer.reset()
            if server == .localAI, let lost = pending.popLast() {
                // A commit ends the recognition of the one before.
                pending = [(items, text)]
                return [error("transcription_failed", "context canceled: \(lost.text)")]
            }
            pending.append((items, text))
            return [
                #"{"type":"input_audio_buffer.committed","event_id":"event_3","item_id":"item_\#(items)","previous_item_id":null}"#,
                #"{"type":"conversation.item.created","event_id":"event_4","item":{"id":"item_\#(items)","object":"realtime.item","status":"completed","type":"message","role":"user","content":[{"type":"input_audio","transcript":null}]},"previous_item_id":null}"#,
            ]
        }

        /// Tells the texts of the items that have ended. The second of two is told first.
        mutating func complete() -> [String] {
            defer { pending = [] }
            let kind = #""type":"conversation.item.input_audio_transcription.completed""#
            return pending.reversed().map { item -> String in
                switch server {
                case .speaches:
                    return
                        #"{"content_index":0,"event_id":"event_5","item_id":"item_\#(item.number)","transcript":"\#(item.text)",\#(kind),"usage":{"seconds":1.2,"type":"duration"},"logprobs":null}"#
                case .localAI:
                    // The item has another name here than when it was committed.
                    return
                        #"{\#(kind),"event_id":"event_TODO","item_id":"item_other\#(item.number)","content_index":0,"transcript":"\#(item.text)"}"#
                case .vLLM:
                    // What was sent before this is forgotten.
                    recognizer.reset()
                    isGenerating = false
                    return
                        #"{"type":"transcription.done","text":" \#(item.text)","usage":{"prompt_tokens":12,"total_tokens":20,"completion_tokens":8}}"#
                }
            }
        }

        private func error(_ code: String?, _ message: String) -> String {
            guard server != .vLLM else { return #"{"type":"error","error":"\#(message)","code":"\#(code ?? "")"}"# }
            let code = code.map { "\"\($0)\"" } ?? "null"
            return
                #"{"type":"error","event_id":"","error":{"type":"invalid_request_error","message":"\#(message)","code":\#(code),"event_id":null,"param":null}}"#
        }

        private static func samples(_ audio: Any?) -> [Int] {
            let bytes = Array(Data(base64Encoded: audio as? String ?? "") ?? Data())
            return stride(from: 0, to: bytes.count - 1, by: 2).map {
                Int(Int16(bitPattern: UInt16(bytes[$0]) | UInt16(bytes[$0 + 1]) << 8))
            }
        }
    }
}
#endif
