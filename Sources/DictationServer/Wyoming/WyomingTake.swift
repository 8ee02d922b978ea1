#if Server
import DictationCore
import DictationMessages
import DictationText

/// One take of a Wyoming client: audio in, text out.
final class WyomingTake: Sendable {
    private struct Written: Sendable {
        var segments: [String] = []
        var text = GrowingText()
        /// Why the engine ended early.
        var failure: DictationError?
        var lost = LostAudio()

        mutating func fail(_ error: DictationError) {
            failure = error
            lost.breakOff()
        }
    }

    private let live: LiveTranscription
    private let place: WorkPlace
    private let core: ServerCore
    private let start: Duration
    private let entry: DictationServer.Configuration.LogEntry
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
        var entry = DictationServer.Configuration.LogEntry(interface: .wyoming, client: client, status: 200)
        entry.model = model.name
        self.entry = entry
        let written = Watched(Written())
        self.written = written
        do throws(DictationError) {
            live = try await LiveTranscription(
                model.engine, RecognitionOptions(locale: locale), limit: core.limits.audioDuration,
                runtime: core.runtime
            ) { update in
                written.change { $0.lost.apply(update) }
                guard let result = update.finalResult else { return }
                let part = written.change { written in
                    written.segments.append(result.text)
                    return written.text.grow(to: locale.join(written.segments)) ?? ""
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
        guard written.value.failure == nil else { return }
        do throws(DictationError) { try await live.feed(samples, in: format) } catch {
            let refusal = ServerRefusal(error)
            // The text before a failure of the engine is sent at the end.
            guard refusal.status == 500, !written.value.segments.isEmpty else { throw refusal }
            written.change { $0.fail(error) }
        }
    }

    /// Sends the text, and what it lacks, or the error that leaves no text.
    ///
    /// - Returns: `false` if the conversation is over.
    func finish() async -> Bool {
        do throws(DictationError) {
            if let failure = written.value.failure { throw failure }
            let outcome = try await live.finish()
            written.change { $0.lost.apply(outcome) }
            if let loss, written.value.segments.isEmpty { throw DictationError(.engineFailed, loss) }
        } catch {
            await live.cancel()
            let refusal = ServerRefusal(error)
            guard refusal.status == 500, !written.value.segments.isEmpty else {
                note(refusal.status, error: error.description)
                _ = await send(.error(refusal))
                return false
            }
            written.change { $0.fail(error) }
        }
        note(200, error: written.value.failure?.description)
        var data: [String: JSONValue] = ["text": .text(written.value.text.sent), "language": .text(locale.language)]
        if let loss { data["loss"] = .text(loss) }
        let isSent = await send(WyomingMessage(type: "transcript", data: data))
        return await send(WyomingMessage(type: "transcript-stop")) && isSent
    }

    /// What the text lacks; `nil` for a complete one.
    private var loss: String? { written.value.lost.description }

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
        (entry.error, entry.loss) = (error, loss)
        if core.configuration.logsTexts { entry.text = written.value.text.sent }
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
