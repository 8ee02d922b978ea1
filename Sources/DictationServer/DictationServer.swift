#if Server
public import DictationCore
import DictationHTTP
import Synchronization

/// Offers engines to other programs, through interfaces that their clients speak already: the OpenAI-compatible one,
/// with recordings and in realtime, and Wyoming.
///
/// ```swift
/// let engine = ScriptedEngine()
/// var configuration = DictationServer.Configuration()
/// configuration.http = .init(port: 0)
/// let server = try DictationServer([ServedModel("scripted", engine: engine)], configuration)
/// try await server.ready()
/// print("http://127.0.0.1:\(server.httpPort ?? 0)/v1")
/// await server.stop(within: .seconds(5))
/// ```
///
/// One server uses one machine. To use several, put an ordinary load balancer in front of them; the article
/// <doc:ServingEngines> shows how.
public final class DictationServer: Sendable {
    /// The port of the OpenAI-compatible interface; `nil` without it.
    public let httpPort: UInt16?
    /// The port of the Wyoming interface; `nil` without it.
    public let wyomingPort: UInt16?

    private let core: ServerCore
    private let http: HTTPDaemon?
    private let wyoming: WyomingListener?
    private let wyomingSocket: WyomingListener?
    private let connections = LiveConnections()
    private let loading: Task<Void, Never>

    /// Starts a server. It listens when this returns, and loads its models after that.
    ///
    /// - Parameters:
    ///   - models: The models to offer. The first one is for clients that name none.
    ///   - configuration: Where and how to serve.
    /// - Throws: `invalidInput` for a configuration that would serve other machines without a token, or that can't be
    ///   used; `alreadyRunning` if another program uses a port.
    public init(
        _ models: [ServedModel], _ configuration: Configuration = Configuration()
    ) throws(DictationError) {
        try configuration.validate(models)
        let core = ServerCore(models, configuration)
        self.core = core
        if let place = configuration.http {
            var http = HTTPDaemon.Configuration()
            (http.address, http.port) = (place.address, place.port)
            http.connections = UInt32(clamping: configuration.limits.connections)
            http.idleSeconds = UInt32(clamping: max(1, configuration.limits.idleTimeout.components.seconds))
            http.identity = try configuration.identity()
            http.allowsUpgrades = true
            http.register = core.clients
            let site = OpenAISite(
                core: core, access: AccessRules(token: configuration.token),
                realtime: RealtimeConnections(core: core, connections: connections))
            self.http = try HTTPDaemon(http, site: site)
        } else {
            http = nil
        }
        wyoming =
            if let place = configuration.wyoming { try WyomingListener(at: place, core: core, connections) } else {
                nil
            }
        wyomingSocket =
            if let path = configuration.wyomingSocket {
                try WyomingListener(atPath: path, core: core, connections)
            } else { nil }
        (httpPort, wyomingPort) = (http?.port, wyoming?.port)
        loading = core.runtime.task { await core.load() }
    }

    deinit { connections.end() }

    /// Waits until the models are loaded.
    ///
    /// - Throws: The error of a model that can't be loaded; `cancelled` if the server stops first.
    public func ready() async throws(DictationError) {
        let phase = await core.phase.first { $0 == .loading ? nil : $0 }
        switch phase {
        case .ready: return
        case .failed(let error): throw error
        case .loading, .stopping, nil: throw DictationError(.cancelled, "The server was stopped.")
        }
    }

    /// The live streams at present.
    var streamCount: Int { core.streams.runningCount }

    /// The recordings that are worked on at present, and those that wait.
    var recordingCounts: (running: Int, waiting: Int) { (core.recordings.runningCount, core.recordings.waitingCount) }

    /// Stops the server: takes no more requests, lets those that run finish, then ends the rest.
    ///
    /// - Parameter limit: How long requests may go on.
    public func stop(within limit: Duration = .seconds(30)) async {
        core.phase.change { $0 = .stopping }
        loading.cancel()
        http?.quiesce()
        await wyoming?.quiesce()
        await wyomingSocket?.quiesce()
        connections.retire()
        _ = await core.runtime.within(limit) { [core, connections, http] in
            await core.recordings.empty()
            // Each client is told before its connection ends.
            await connections.empty()
            // Uploads run as well. What comes of them is known here only as requests.
            await http?.idle()
        }
        connections.end()
        await connections.empty()
        guard let http else { return }
        // The last answers may be on their way. Who does not read them has to do without.
        _ = await core.runtime.within(.seconds(5)) { await http.idle() }
        try? await BlockingWork("server", runtime: core.runtime).run { () throws(DictationError) in http.close() }
        // Engines close what they have open.
        _ = await core.runtime.within(.seconds(5)) { [core] in await core.recordings.empty() }
    }
}
#else
public import DictationCore

/// Offers engines to other programs.
@available(*, unavailable, message: "Enable the “Server” trait of swift-dictation.")
public final class DictationServer: Sendable {
    /// Unavailable in this build.
    public let httpPort: UInt16? = nil
    /// Unavailable in this build.
    public let wyomingPort: UInt16? = nil
    /// Unavailable in this build.
    public init(_ models: [ServedModel]) throws(DictationError) {}
    /// Unavailable in this build.
    public func ready() async throws(DictationError) {}
    /// Unavailable in this build.
    public func stop(within limit: Duration = .seconds(30)) async {}
}
#endif
