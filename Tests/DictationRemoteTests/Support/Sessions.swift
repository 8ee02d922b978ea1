import DictationCore
import Testing

/// What a session said.
struct Heard: Sendable {
    var updates: [SpeechUpdate] = []
    var finals: [SpeechResult] = []
    var interruptions: [SpeechUpdate.EngineInterruption] = []
    var volatileCount = 0
    var error: DictationError?

    var text: String { finals.map(\.text).joined(separator: " ") }
}

/// Gives buffers to a session of an engine, and returns what it said.
func hear(
    _ buffers: [AudioBuffer], with engine: any SpeechEngine, _ options: RecognitionOptions = .liveDictation()
) async -> Heard {
    await hear(AudioInput(buffers), with: engine, options)
}

extension AudioInput {
    /// Returns the buffers at the speed of speech, as if it had begun at a time.
    static func live(_ buffers: [AudioBuffer], since start: Duration) -> AudioInput {
        let runtime = DictationRuntime.system
        return AudioInput {
            var rest = buffers[...]
            return { () async throws(DictationError) in
                guard let buffer = rest.popFirst() else { return nil }
                try? await runtime.sleep(buffer.end - (runtime.now() - start))
                return buffer
            }
        }
    }
}

/// Gives audio to a session of an engine, and returns what it said.
func hear(
    _ input: sending AudioInput, with engine: any SpeechEngine, _ options: RecognitionOptions
) async -> Heard {
    var heard = Heard()
    do throws(DictationError) {
        let session = try await engine.makeSession(options)
        try session.start(input)
        for try await update in session.results {
            heard.updates.append(update)
            switch update {
            case .final(let result): heard.finals.append(result)
            case .volatile: heard.volatileCount += 1
            case .interrupted(let interruption): heard.interruptions.append(interruption)
            case .revoked, .finalized, .voice, .turnEnded: break
            }
        }
    } catch {
        heard.error = error
    }
    return heard
}
