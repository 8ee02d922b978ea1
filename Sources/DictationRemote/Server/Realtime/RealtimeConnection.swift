#if Server
import DictationCore
import FoundationEssentials
import Synchronization

/// Serves one client of the realtime interface.
final class RealtimeConnection: Sendable {
    private let channel: RealtimeChannel
    private let socket: ClientSocket
    private let core: ServerCore
    private let client: String

    /// What the client has set. Only the thread that reads the connection uses it.
    private struct Settings: Sendable {
        var model: String?
        var language: String?
        var sampleRate = 24_000
        var endsAtCommit = false
    }

    /// A stream of audio that has begun. Each commit ends a session of the engine, so that all of its audio becomes text.
    private struct Stream: Sendable {
        var live: LiveTranscription?
        let items: Watched<RealtimeItems>
        let place: WorkPlace
        let start: Duration
        let model: ServedModel
        let options: RecognitionOptions
        /// The audio of the sessions that have ended.
        var ended = Duration.zero

        var position: Duration { ended + (live?.position ?? .zero) }
    }

    init(_ socket: ClientSocket, core: ServerCore, client: String, model: String?) {
        (self.socket, self.core, self.client) = (socket, core, client)
        channel = RealtimeChannel(
            socket, core.makeShare(), idleTimeout: core.limits.idleTimeout, runtime: core.runtime)
        firstModel = model
    }

    private let firstModel: String?

    func run(_ received: [UInt8]) async {
        var settings = Settings(model: firstModel)
        var stream: Stream?
        let beating = core.runtime.task { [channel] in await channel.beat() }
        defer { beating.cancel() }
        channel.send([event(OpenAIRealtimeMessage.Event.created, settings)])
        var refusal: ServerRefusal?
        do throws(ServerRefusal) {
            var messages = try await channel.take(received)
            while let some = messages, try await handle(some, &settings, &stream) {
                socket.note(isIdle: stream?.live == nil)
                messages = try await channel.receive()
            }
        } catch {
            channel.send([Self.error(error)])
            refusal = error
        }
        if let stream { await end(stream, refusal) }
        // Its place is free before the client has read the last answer.
        stream = nil
        await channel.close(code: refusal?.closeCode ?? (core.phase.value == .stopping ? 1_001 : 1_000))
        socket.finish()
    }

    /// - Returns: `false` at the end of the conversation.
    /// - Throws: A refusal that ends it.
    private func handle(
        _ messages: [WebSocketMessage], _ settings: inout Settings, _ stream: inout Stream?
    ) async throws(ServerRefusal) -> Bool {
        for message in messages {
            do throws(ServerRefusal) {
                guard try await handle(message, &settings, &stream) else { return false }
            } catch {
                guard error.status < 500, error.status != 429 else { throw error }
                channel.send([Self.error(error)])
            }
        }
        return true
    }

    /// - Returns: `false` at the end of the conversation.
    private func handle(
        _ message: WebSocketMessage, _ settings: inout Settings, _ stream: inout Stream?
    ) async throws(ServerRefusal) -> Bool {
        let request: OpenAIRealtimeMessage
        switch message {
        case .close: return false
        case .binary: throw .invalid("Messages must be text.")
        case .text(let text):
            guard let decoded = try? JSONDecoder().decode(OpenAIRealtimeMessage.self, from: Data(text.utf8)) else {
                throw .invalid("The message is not an event of the realtime interface.")
            }
            request = decoded
        }
        switch request.type {
        case OpenAIRealtimeMessage.Request.update:
            guard stream == nil else { throw .invalid("The session can't be changed after its first audio.") }
            settings = try await changed(settings, by: request.session)
            channel.send([event(OpenAIRealtimeMessage.Event.updated, settings)])
        case OpenAIRealtimeMessage.Request.append:
            guard let audio = request.audio, let bytes = Data(base64Encoded: audio) else {
                throw .invalid("“audio” must be base64.", param: "audio")
            }
            guard bytes.count % 2 == 0 else {
                throw .invalid("“audio” must have whole samples of 16 bits.", param: "audio")
            }
            if stream == nil { stream = try await begin(settings) }
            try await feed(Array(bytes), in: AudioFormat(sampleRate: settings.sampleRate), to: &stream)
        case OpenAIRealtimeMessage.Request.commit:
            try await commit(&stream)
        case OpenAIRealtimeMessage.Request.clear:
            if let begun = stream { await end(begun, nil) }
            stream = nil
            channel.send([OpenAIRealtimeMessage(OpenAIRealtimeMessage.Event.cleared)])
        default: throw .invalid("This server does not know “\(request.type)”.", param: "type")
        }
        return true
    }

    private func changed(
        _ settings: Settings, by session: OpenAIRealtimeSession?
    ) async throws(ServerRefusal) -> Settings {
        var settings = settings
        guard session?.type ?? "transcription" == "transcription" else {
            throw .invalid("This server only transcribes.", param: "session.type")
        }
        guard let input = session?.audio?.input else { return settings }
        if let format = input.format {
            let rate = format.rate ?? settings.sampleRate
            guard format.type == "audio/pcm", (8_000...192_000).contains(rate) else {
                throw .invalid(
                    "The audio must be “audio/pcm” at 8000 to 192000 Hz.", param: "session.audio.input.format")
            }
            settings.sampleRate = rate
        }
        if let transcription = input.transcription {
            settings.model = transcription.model ?? settings.model
            settings.language = transcription.language ?? settings.language
            let model = try core.models.model(named: settings.model)
            _ = try await model.locale(for: settings.language)
            guard (transcription.prompt ?? "").isEmpty else {
                throw .invalid(
                    "The realtime interface takes no prompt.", param: "session.audio.input.transcription.prompt")
            }
        }
        switch input.turnDetection {
        case .unchanged: break
        case .off: settings.endsAtCommit = true
        case .server: settings.endsAtCommit = false
        }
        return settings
    }

    private func begin(_ settings: Settings) async throws(ServerRefusal) -> Stream {
        try core.checkAccepting()
        let model = try core.models.model(named: settings.model)
        let locale = try await model.locale(for: settings.language)
        let place = try await core.streams.place(for: client)
        var options = RecognitionOptions(locale: locale)
        options.volatileResults = model.engine.capabilities.features.contains(.volatileResults)
        return Stream(
            items: Watched(RealtimeItems(locale, endsAtCommit: settings.endsAtCommit)), place: place,
            start: core.runtime.now(), model: model, options: options)
    }

    private func feed(_ samples: [UInt8], in format: AudioFormat, to stream: inout Stream?) async throws(ServerRefusal)
    {
        guard let begun = stream else { return }
        do throws(DictationError) {
            let live: LiveTranscription
            if let open = begun.live { live = open } else { live = try await session(of: begun) }
            stream?.live = live
            try await live.feed(samples, in: format)
        } catch {
            throw ServerRefusal(error)
        }
    }

    private func session(of stream: Stream) async throws(DictationError) -> LiveTranscription {
        try await LiveTranscription(
            stream.model.engine, stream.options, limit: core.limits.audioDuration - stream.ended, runtime: core.runtime
        ) { [channel, items = stream.items] update in
            let events = items.change { $0.apply(update) }
            if !events.isEmpty { channel.send(events) }
        }
    }

    private func commit(_ stream: inout Stream?) async throws(ServerRefusal) {
        guard let live = stream?.live, live.position > .zero else {
            var empty = ServerRefusal.invalid("There is no audio to commit.")
            empty.error.code = "input_audio_buffer_commit_empty"
            throw empty
        }
        do throws(DictationError) { try await live.finish() } catch { throw ServerRefusal(error) }
        stream?.live = nil
        stream?.ended += live.position
        guard let stream else { return }
        channel.send(
            stream.items.change { items in
                defer { items.restart(at: stream.ended) }
                return items.commit()
            })
    }

    private func end(_ stream: Stream, _ refusal: ServerRefusal?) async {
        await stream.live?.cancel()
        var entry = ServerLogEntry(interface: .realtime, client: client, status: Int(refusal?.status ?? 200))
        entry.path = "/v1/realtime"
        entry.model = stream.model.name
        entry.audioSeconds = stream.position.inSeconds
        entry.workSeconds = (core.runtime.now() - stream.start).inSeconds
        entry.error = refusal?.logged
        core.note(entry)
    }

    private func event(_ type: String, _ settings: Settings) -> OpenAIRealtimeMessage {
        var session = OpenAIRealtimeSession()
        session.audio = .init(
            input: .init(
                format: .init(type: "audio/pcm", rate: settings.sampleRate),
                transcription: .init(model: settings.model ?? core.models.first?.name, language: settings.language),
                turnDetection: settings.endsAtCommit ? .off : .server()))
        var event = OpenAIRealtimeMessage(type)
        event.session = session
        return event
    }

    private static func error(_ refusal: ServerRefusal) -> OpenAIRealtimeMessage {
        var event = OpenAIRealtimeMessage(OpenAIRealtimeMessage.Event.error)
        event.error = refusal.error
        return event
    }
}

extension ServerRefusal {
    /// The code with which a websocket ends.
    fileprivate var closeCode: UInt16 {
        switch status {
        case 408: 1_008
        case 429, 503: 1_013
        default: 1_011
        }
    }
}
#endif
