#if Server
import DictationCore
import DictationHTTP
import DictationText

/// The OpenAI-compatible interface over HTTP, and the places for those who operate the server.
struct OpenAISite: HTTPSite {
    let core: ServerCore
    let access: AccessRules
    let realtime: RealtimeConnections

    func plan(for request: HTTPRequest) -> HTTPPlan {
        // Load balancers ask these without a token.
        switch (request.method, request.path) {
        case ("GET", "/health"), ("HEAD", "/health"): return .answer(HTTPResponse(200, "ok\n"))
        case ("GET", "/ready"), ("HEAD", "/ready"): return .answer(readiness)
        default: break
        }
        do throws(ServerRefusal) {
            if let fault = request.fault { throw .invalid(fault) }
            if let refusal = access.refusal(of: request) { throw refusal }
            request.place?.know()
            return try route(request)
        } catch {
            note(error, of: request)
            return .answer(HTTPResponse(error))
        }
    }

    private func note(_ refusal: ServerRefusal, of request: HTTPRequest) {
        let path = request.path
        var entry = DictationServer.Configuration.LogEntry(
            interface: path == "/v1/realtime" ? .realtime : .http, client: client(of: request),
            status: Int(refusal.status))
        (entry.path, entry.error) = (path, refusal.logged)
        core.note(entry)
    }

    private func route(_ request: HTTPRequest) throws(ServerRefusal) -> HTTPPlan {
        let models = "/v1/models"
        switch (request.method, request.path) {
        case ("POST", "/v1/audio/transcriptions"):
            try core.checkAccepting()
            // A length beyond any number is too large as well.
            guard request.headers["content-length"] == nil || request.contentLength != nil,
                request.contentLength ?? 0 <= core.limits.requestByteCount
            else { throw .tooLarge }
            let client = client(of: request)
            do throws(ClientPlaces.Refusal) { try request.place?.begin(for: client) } catch { throw .busy(error) }
            return .read(
                TranscriptionForm(
                    limit: core.limits.requestByteCount, share: core.clients.upload(of: client)
                ) { [core] form in
                    await Transcriber(core: core, client: client, path: request.path).answer(
                        form.mapError { core.phase.value == .stopping && $0 == .leaving ? .endedByServer : $0 })
                })
        case ("GET", "/v1/realtime"):
            try core.checkAccepting()
            return .answer(try realtime.answer(to: request, from: client(of: request)))
        case ("GET", "/metrics"):
            return .answer(HTTPResponse(200, core.metricsText, type: "text/plain; version=0.0.4; charset=utf-8"))
        case ("GET", models):
            return .answer(.json(OpenAIModelList(data: core.models.map(OpenAIModel.init))))
        // A name may begin with an accent, which would join the slash to another letter.
        case ("GET", let path) where path.utf8.starts(with: (models + "/").utf8):
            let name = String(decoding: path.utf8.dropFirst(models.utf8.count + 1), as: UTF8.self)
            return .answer(.json(OpenAIModel(try core.models.model(named: name))))
        default:
            throw ServerRefusal(404, "There is nothing at this place.", type: "invalid_request_error")
        }
    }

    private var readiness: HTTPResponse {
        switch core.phase.value {
        case .ready: HTTPResponse(200, "ready\n")
        case .loading: HTTPResponse(503, "loading\n")
        case .failed: HTTPResponse(503, "failed\n")
        case .stopping: HTTPResponse(503, "stopping\n")
        }
    }

    /// Returns the name under which a client's share is counted.
    private func client(of request: HTTPRequest) -> String {
        guard core.configuration.isBehindProxy, let told = request.headers["x-forwarded-for"] else {
            return request.peer
        }
        // The proxy's own entry is the last one. The client may have written the others.
        return told.split(separator: ",").last.map { String($0.prefix(64)).filter { !$0.isWhitespace } } ?? request.peer
    }
}

/// A model as the OpenAI interface lists it.
struct OpenAIModel: Sendable, Hashable, Codable {
    var id: String
    var object = "model"
    var created = 0
    var owner = "swift-dictation"

    private enum CodingKeys: String, CodingKey {
        case id, object, created
        case owner = "owned_by"
    }

    init(_ model: ServedModel) { id = model.name }
}

/// The models as the OpenAI interface lists them.
struct OpenAIModelList: Sendable, Hashable, Codable {
    var object = "list"
    var data: [OpenAIModel]
}

extension HTTPResponse {
    static func json(_ value: some Encodable) -> HTTPResponse {
        HTTPResponse(200, JSONWriter.encode(value), type: "application/json")
    }

    init(_ refusal: ServerRefusal) {
        self.init(refusal.status, refusal.json, type: "application/json")
        if let seconds = refusal.retryAfter { headers["Retry-After"] = String(seconds) }
        if refusal.status == 401 { headers["WWW-Authenticate"] = "Bearer" }
    }
}
#endif
