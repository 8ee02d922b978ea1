#if Server
import DictationCore
import DictationHTTP

/// What all interfaces of a server share.
final class ServerCore: Sendable {
    /// Whether the server takes requests.
    enum Phase: Sendable, Hashable {
        /// The models are being loaded. Requests wait for them.
        case loading
        case ready
        case failed(DictationError)
        case stopping
    }

    let models: [ServedModel]
    let configuration: DictationServer.Configuration
    let recordings: WorkPlaces
    let streams: WorkPlaces
    let messages: MessageMemory
    let clients: ClientRegister
    let metrics = ServerMetrics()
    let phase = Watched(Phase.loading)
    let runtime = DictationRuntime.current

    init(_ models: [ServedModel], _ configuration: DictationServer.Configuration) {
        self.models = configuration.takesOpenAINames ? models.withOpenAINames : models
        self.configuration = configuration
        let limits = configuration.limits
        recordings = WorkPlaces(
            places: limits.recordings, waiting: limits.waitingRecordings, perClient: limits.perClient,
            extra: limits.recordings > 1 ? 1 : 0)
        streams = WorkPlaces(places: limits.streams, waiting: 0, perClient: limits.perClient)
        messages = MessageMemory(limit: limits.messageByteCount)
        clients = ClientRegister(
            .init(
                connections: limits.connections, workPerClient: 2 * max(1, min(limits.perClient, 1 << 20)),
                uploadBytes: limits.uploadByteCount, uploadBytesPerClient: limits.uploadByteCountPerClient))
    }

    var limits: DictationServer.Configuration.Limits { configuration.limits }

    /// Loads the models, so that the first request is as fast as the others.
    func load() async {
        var phase = Phase.ready
        do throws(DictationError) {
            for model in models {
                let locales = await model.engine.supportedLocales
                guard let locale = model.locale ?? locales.first else { continue }
                try await model.engine.prepare(.fileTranscription(locale))
            }
        } catch {
            phase = .failed(error)
        }
        self.phase.change { if $0 == .loading { $0 = phase } }
    }

    /// Returns the room of a new connection for its messages.
    func makeShare() -> MessageShare {
        MessageShare(of: messages, timeout: limits.idleTimeout, runtime: runtime)
    }

    func checkAccepting() throws(ServerRefusal) {
        if phase.value == .stopping { throw .stopping }
    }

    /// Counts and logs what has ended.
    func note(_ entry: DictationServer.Configuration.LogEntry) {
        metrics.count(entry)
        configuration.log?(entry)
    }

    var metricsText: String {
        metrics.text([
            ("recordings_running", "Recordings that are worked on.", recordings.runningCount),
            ("recordings_waiting", "Recordings that wait for their turn.", recordings.waitingCount),
            ("streams_running", "Live streams.", streams.runningCount),
            ("connections", "Connections that are open.", clients.connectionCount),
            ("upload_bytes", "Bytes of uploaded recordings that the server holds.", clients.uploadByteCount),
            ("ready", "Whether the models are loaded and the server takes requests.", phase.value == .ready ? 1 : 0),
        ])
    }
}
#endif
