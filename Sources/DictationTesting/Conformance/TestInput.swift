import DictationCore

/// An input that a suite controls, such as audio, a gate that waits, and more audio.
final class TestInput: Sendable {
    enum Step: Sendable {
        case audio([AudioBuffer])
        /// Waits until the gate is opened.
        case gate
        case fail(DictationError)
        /// Repeats the same audio, with a short wait before each buffer.
        case forever(AudioBuffer)
    }

    struct State {
        var pulls = 0
        var isAtGate = false
        var isOpen = false
        var wasCancelled = false
    }

    let state = Watched(State())
    private let steps: [Step]
    private let runtime = DictationRuntime.current

    init(_ steps: Step...) { self.steps = steps }

    func open() { state.change { $0.isOpen = true } }

    var input: AudioInput {
        AudioInput {
            var cursor = Cursor(steps: self.steps[...])
            return { () throws(DictationError) in try await self.next(&cursor) }
        }
    }

    private struct Cursor {
        var steps: ArraySlice<Step>
        var buffers: ArraySlice<AudioBuffer> = []
        var time: Duration = .zero
    }

    private func next(_ cursor: inout Cursor) async throws(DictationError) -> AudioBuffer? {
        state.change { $0.pulls += 1 }
        while true {
            if let buffer = cursor.buffers.popFirst() {
                cursor.time = buffer.end
                return buffer
            }
            switch cursor.steps.first {
            case nil: return nil
            case .audio(let buffers): cursor.buffers = buffers[...]
            case .fail(let error): throw error
            case .gate:
                state.change { $0.isAtGate = true }
                guard await state.first({ $0.isOpen ? true : nil }) != nil else {
                    state.change { $0.wasCancelled = true }
                    return nil
                }
            case .forever(let buffer):
                do { try await runtime.sleep(.milliseconds(10)) } catch {
                    state.change { $0.wasCancelled = true }
                    return nil
                }
                let moved = buffer.moved(to: cursor.time)
                cursor.time = moved.end
                return moved
            }
            cursor.steps.removeFirst()
        }
    }
}
