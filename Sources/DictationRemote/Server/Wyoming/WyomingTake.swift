#if Server
import DictationCore
import DictationText

/// One take of a Wyoming client: audio in, text out.
final class WyomingTake: Sendable {
    private struct Written: Sendable {
        var segments: [String] = []
        var text = ""
    }

    private let live: LiveTranscription
    private let place: WorkPlace
    private let core: ServerCore
    private let start: Duration
    private let entry: ServerLogEntry
    private let locale: SpeechLocale
    private let written: Watched<Written>
    private let send: @Sendable (WyomingMessage) async -> Bool

    init(
        _ model: ServedModel, _ locale: SpeechLocale, core: ServerCore, client: String,
        send: @escaping @Sendable (WyomingMessage) async -> Bool
    ) async throws(ServerRefusal) {
        (self.core, self.locale, self.send) = (core, locale, send)
        place = try await core.streams.place(for: client)
        start = core.runtime.now()
        var entry = ServerLogEntry(interface: .wyoming, client: client, status: 200)
        entry.model = model.name
        self.entry = entry
        let written = Watched(Written())
        self.written = written
        do throws(DictationError) {
            live = try await LiveTranscription(
                model.engine, RecognitionOptions(locale: locale), limit: core.limits.audioDuration,
                runtime: core.runtime
            ) { update in
                guard let result = update.finalResult else { return }
                let part = written.change { written in
                    written.segments.append(result.text)
                    let all = locale.join(written.segments)
                    defer { written.text = all }
                    return String(decoding: all.utf8.dropFirst(written.text.utf8.count), as: UTF8.self)
                }
                _ = await send(WyomingMessage(type: "transcript-chunk", data: ["text": .text(part)]))
            }
        } catch {
            throw ServerRefusal(error)
        }
        let language = JSONValue.text(locale.language)
        _ = await send(WyomingMessage(type: "transcript-start", data: ["language": language]))
    }

    func feed(_ samples: [UInt8], in format: AudioFormat) async throws(ServerRefusal) {
        do throws(DictationError) { try await live.feed(samples, in: format) } catch { throw ServerRefusal(error) }
    }

    /// Sends the text, or the error that keeps it from being whole.
    ///
    /// - Returns: `false` if the conversation is over.
    func finish() async -> Bool {
        do throws(DictationError) { try await live.finish() } catch {
            await live.cancel()
            let refusal = ServerRefusal(error)
            note(refusal.status, error: error.description)
            _ = await send(.error(refusal))
            return false
        }
        note(200)
        let data: [String: JSONValue] = ["text": .text(written.value.text), "language": .text(locale.language)]
        let isSent = await send(WyomingMessage(type: "transcript", data: data))
        return await send(WyomingMessage(type: "transcript-stop")) && isSent
    }

    /// Ends the take without a text.
    func fail(_ refusal: ServerRefusal) async {
        await live.cancel()
        note(refusal.status, error: refusal.logged)
    }

    private func note(_ status: UInt32, error: String? = nil) {
        var entry = entry
        entry.status = Int(status)
        entry.audioSeconds = live.position.inSeconds
        entry.workSeconds = (core.runtime.now() - start).inSeconds
        entry.error = error
        if core.configuration.logsTexts { entry.text = written.value.text }
        core.note(entry)
    }
}

extension WyomingMessage {
    static func error(_ refusal: ServerRefusal) -> WyomingMessage {
        let code = refusal.error.code ?? refusal.error.type ?? ""
        return WyomingMessage(type: "error", data: ["text": .text(refusal.error.message), "code": .text(code)])
    }
}
#endif
