import DictationCapture
import DictationCore
import DictationEngines
import DictationService
import DictationTesting
import EditorPlugin
import Foundation
import Synchronization
import Testing

/// An editor with buffers, which the plug-in writes into.
private final class Editor: Sendable {
    struct State {
        var buffers: [String: String] = [:]
        var preview = "", message = ""
    }

    private let state = Mutex(State())
    private let plugin = Mutex<EditorPlugin?>(nil)

    init(_ control: any DictationControl) {
        let plugin = EditorPlugin(control: control) { [weak self] in self?.obey($0) }
        self.plugin.withLock { $0 = plugin }
    }

    func send(_ line: String) -> String? { plugin.withLock { $0 }?.receive(line) }

    func state<Value>(_ read: (State) -> Value) -> Value { state.withLock { read($0) } }

    private func obey(_ line: String) {
        guard let action = try? JSONDecoder().decode(EditorAction.self, from: Data(line.utf8)) else { return }
        state.withLock { state in
            switch action.action {
            case .write: state.buffers[action.buffer ?? "", default: ""] += action.text
            case .preview: state.preview = action.text
            case .message: state.message = action.text
            }
        }
        if let number = action.number { #expect(send(#"{"event":"written","number":\#(number)}"#) == nil) }
    }
}

@Suite struct EditorPluginTests {
    private func service() -> DictationService {
        let engine = ScriptedEngine([
            .volatile("buy", at: .seconds(1)), .final("buy milk", at: .seconds(2)), .volatile("and", at: .seconds(3)),
            .final("and bread", at: .seconds(4)),
        ])
        let microphone = ScriptedCapturer([.tone(440, for: .seconds(60))])
        return DictationService(session: DictationSession(engine: engine, capturer: microphone))
    }

    @Test func aTakeIsWrittenIntoTheBufferWhereItBegan() async throws {
        try await VirtualTime.run { clock in
            let editor = Editor(service())
            _ = editor.send(#"{"event":"focus","buffer":"notes","before":""}"#)
            _ = editor.send(#"{"event":"press"}"#)
            await clock.advance(by: .seconds(1.5))
            #expect(editor.state(\.preview) == "Buy")
            await clock.advance(by: .seconds(1))
            #expect(editor.state(\.buffers) == ["notes": "Buy milk"])

            // The cursor moves, and the rest waits.
            _ = editor.send(#"{"event":"focus","buffer":"letter","before":"Dear"}"#)
            await clock.advance(by: .seconds(2))
            #expect(editor.state(\.message).contains("and bread"))
            _ = editor.send(#"{"event":"release"}"#)
            await clock.advance(by: .seconds(1))
            #expect(editor.state(\.buffers) == ["notes": "Buy milk"])
            _ = editor.send(#"{"event":"focus","buffer":"notes","before":"Buy milk"}"#)
            #expect(editor.state(\.buffers) == ["notes": "Buy milk and bread"])
            #expect(editor.state(\.message) == "")
        }
    }

    @Test func aSecretBufferRefusesAndABadLineIsNamed() async throws {
        try await VirtualTime.run { clock in
            let service = service()
            let editor = Editor(service)
            _ = editor.send(#"{"event":"focus","buffer":"keys","isSecret":true}"#)
            _ = editor.send(#"{"event":"toggle"}"#)
            await clock.advance(by: .seconds(1))
            #expect(editor.state(\.message) == "No dictation in a private field.")
            let status = try? await service.status()
            #expect(status?.state == .idle)
            #expect(editor.send("sing")?.contains("sing") == true)
        }
    }
}
