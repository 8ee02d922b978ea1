#if Remote
import DictationMessages
import Foundation
import Synchronization

@testable import DictationRemote

/// A server with the messages of sherpa-onnx's that recognizes ``CodedSpeech``.
struct FakeSherpaServer: FakeServer {
    /// Whether `Done!` overtakes the last result.
    var isDoneEarly = false
    /// A text in a message at which the server gets stuck.
    var stallsAt: String?
    /// Changes a message before it is sent.
    var change: @Sendable (_ text: String, _ connection: Int) -> [WebSocketMessage] = { text, _ in [.text(text)] }
    var prepare: @Sendable (_ peer: Peer, _ connection: Int) -> Void = { _, _ in }
    /// The number of samples that arrived on all connections.
    let samples = Counter()

    func serve(_ peer: Peer, _ number: Int) {
        guard let framing = WebSocketPeer.accept(peer) else { return }
        var recognizer = CodedSpeech.Recognizer()
        var isStuck = false
        func send(_ text: String) {
            isStuck = isStuck || stallsAt.map(text.contains) == true
            guard !isStuck else { return }
            for message in change(text, number) { framing.send(message) }
        }
        while let messages = WebSocketPeer.exchange(framing, with: peer) {
            for message in messages {
                switch message {
                case .binary(let audio):
                    samples.add(audio.count / 4)
                    for index in stride(from: 0, to: audio.count - 3, by: 4) {
                        let bits = audio[index..<index + 4].reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
                        if recognizer.take(Int((Float(bitPattern: bits) * 32_768).rounded())) {
                            send(Self.result(recognizer))
                        }
                        if recognizer.isEndpoint {
                            send(Self.result(recognizer, isFinal: true))
                            recognizer.reset()
                        }
                    }
                case .text("Done"):
                    let last = Self.result(recognizer, isEnd: true)
                    for text in isDoneEarly ? ["Done!", last] : [last, "Done!"] { send(text) }
                    recognizer = CodedSpeech.Recognizer()
                case .text, .close: return
                }
            }
        }
    }

    static func result(_ recognizer: CodedSpeech.Recognizer, isFinal: Bool = false, isEnd: Bool = false) -> String {
        let tokens = recognizer.words.map { "\" w\($0.number)\"" }.joined(separator: ", ")
        let times = recognizer.words.map { "\($0.second)" }.joined(separator: ", ")
        return """
            {"text": "\(recognizer.text)", "tokens": [\(tokens)], "timestamps": [\(times)], "segment": 0, \
            "start_time": \(Double(recognizer.origin) / 16_000), "is_final": \(isFinal), "is_eof": \(isEnd)}
            """
    }
}

/// A number that threads add to.
final class Counter: Sendable {
    private let count = Mutex(0)
    var value: Int { count.withLock { $0 } }
    func add(_ more: Int) { count.withLock { $0 += more } }
}
#endif
