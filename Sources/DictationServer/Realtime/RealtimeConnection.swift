#if Server
import DictationCore
import DictationMessages
import Synchronization

/// Serves one client of the realtime interface. A ``RealtimeMachine`` decides; this carries it out.
final class RealtimeConnection: Sendable {
    private let channel: RealtimeChannel
    private let socket: ClientSocket
    private let core: ServerCore
    private let client: String
    private let firstModel: String?

    /// A stream of audio that has begun. Each commit ends a session of the engine, so that all of its audio becomes text.
    private struct Stream: Sendable {
        var live: LiveTranscription?
        let items: Watched<RealtimeItems>
        let place: WorkPlace
        let start: Duration
        let model: ServedModel
        let options: RecognitionOptions
    }

    /// A conversation: only the thread that reads the connection uses it.
    private struct Talk: Sendable {
        var machine: RealtimeMachine
        var stream: Stream?
    }

    init(_ socket: ClientSocket, core: ServerCore, client: String, model: String?) {
        (self.socket, self.core, self.client, firstModel) = (socket, core, client, model)
        channel = RealtimeChannel(
            socket, core.makeShare(), idleTimeout: core.limits.idleTimeout, runtime: core.runtime)
    }

    func run(_ received: [UInt8]) async {
        var talk = Talk(machine: RealtimeMachine(model: firstModel))
        let beating = core.runtime.task { [channel] in await channel.beat() }
        defer { beating.cancel() }
        channel.send([event(OpenAIRealtimeMessage.Event.created, talk.machine.settings)])
        var refusal: ServerRefusal?
        do throws(ServerRefusal) {
            var messages = try await channel.take(received)
            while let some = messages, try await handle(some, &talk) {
                socket.note(isIdle: talk.machine.isIdle)
                messages = try await channel.receive()
            }
        } catch {
            let rest = error.status == 500 ? talk.stream?.items.change { $0.breakOff() } : nil
            channel.send((rest ?? []) + [Self.error(error)])
            refusal = error
        }
        await end(&talk, refusal)
        await channel.close(code: refusal?.closeCode ?? (core.phase.value == .stopping ? 1_001 : 1_000))
        socket.finish()
    }

    /// - Returns: `false` at the end of the conversation.
    /// - Throws: A refusal that ends it.
    private func handle(_ messages: [WebSocketMessage], _ talk: inout Talk) async throws(ServerRefusal) -> Bool {
        for message in messages {
            do throws(ServerRefusal) {
                let step = try talk.machine.step(for: message)
                if step == .end { return false }
                try await carryOut(step, &talk)
            } catch {
                guard !RealtimeMachine.ends(after: error) else { throw error }
                channel.send([Self.error(error)])
            }
        }
        return true
    }

    private func carryOut(_ step: RealtimeMachine.Step, _ talk: inout Talk) async throws(ServerRefusal) {
        switch step {
        case .end: break
        case .change(let settings):
            _ = try await core.models.model(named: settings.model).locale(for: settings.language)
            talk.machine.changed(to: settings)
            channel.send([event(OpenAIRealtimeMessage.Event.updated, settings)])
        case .feed(let samples):
            try socket.begin(for: client)
            if talk.stream == nil {
                talk.stream = try await begin(talk.machine.settings)
                talk.machine.began()
            }
            do throws(DictationError) { try await feed(samples, &talk) } catch { throw ServerRefusal(error) }
        case .commit: try await commit(&talk)
        case .clear:
            await end(&talk, nil)
            channel.send([OpenAIRealtimeMessage(OpenAIRealtimeMessage.Event.cleared)])
        }
    }

    private func begin(_ settings: RealtimeMachine.Settings) async throws(ServerRefusal) -> Stream {
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

    private func feed(_ samples: [UInt8], _ talk: inout Talk) async throws(DictationError) {
        guard let stream = talk.stream else { return }
        let live: LiveTranscription
        if let open = stream.live {
            live = open
        } else {
            live = try await LiveTranscription(
                stream.model.engine, stream.options, limit: core.limits.audioDuration - talk.machine.committed,
                runtime: core.runtime
            ) { [channel, items = stream.items] update in
                let events = items.change { $0.apply(update) }
                if !events.isEmpty { channel.send(events) }
            }
            talk.stream?.live = live
            talk.machine.opened()
        }
        try await live.feed(samples, in: AudioFormat(sampleRate: talk.machine.settings.sampleRate))
    }

    private func commit(_ talk: inout Talk) async throws(ServerRefusal) {
        guard let live = talk.stream?.live, live.position > .zero else { throw .nothingToCommit }
        let outcome: FinalizationOutcome
        do throws(DictationError) { outcome = try await live.finish() } catch { throw ServerRefusal(error) }
        talk.stream?.live = nil
        talk.machine.committed(at: live.position)
        guard let items = talk.stream?.items else { return }
        let end = talk.machine.committed
        channel.send(
            items.change { items in
                defer { items.restart(at: end) }
                return items.commit(outcome)
            })
    }

    /// Ends the stream. Its place is free before the client has read the last answer.
    private func end(_ talk: inout Talk, _ refusal: ServerRefusal?) async {
        guard let stream = talk.stream else { return }
        await stream.live?.cancel()
        var entry = DictationServer.Configuration.LogEntry(
            interface: .realtime, client: client, status: Int(refusal?.status ?? 200))
        entry.path = "/v1/realtime"
        entry.model = stream.model.name
        entry.audioSeconds = (talk.machine.committed + (stream.live?.position ?? .zero)).inSeconds
        entry.workSeconds = (core.runtime.now() - stream.start).inSeconds
        entry.error = refusal?.logged
        entry.loss = stream.items.value.lost.description
        core.note(entry)
        talk.stream = nil
        talk.machine.cleared()
    }

    private func event(_ type: String, _ settings: RealtimeMachine.Settings) -> OpenAIRealtimeMessage {
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
