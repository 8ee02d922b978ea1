#if Server
import DictationCore
import DictationHTTP
import DictationMessages

/// The realtime interface: websockets on which audio becomes text while it is spoken.
struct RealtimeConnections: Sendable {
    let core: ServerCore
    let connections: LiveConnections

    /// Returns the answer that begins a websocket.
    func answer(to request: HTTPRequest, from client: String) throws(ServerRefusal) -> HTTPResponse {
        guard request.headers["upgrade"]?.lowercased() == "websocket", let key = request.headers["sec-websocket-key"],
            key.utf8.count == 24, request.headers["sec-websocket-version"] == "13"
        else {
            throw ServerRefusal(426, "The realtime interface needs a websocket.", type: "invalid_request_error")
        }
        let model = request.query["model"].flatMap { $0.isEmpty ? nil : $0 }
        if let model { _ = try core.models.model(named: model) }
        var headers = ["Upgrade": "websocket", "Sec-WebSocket-Accept": WebSocketHandshake.answer(to: key)]
        let protocols = request.headers["sec-websocket-protocol"]?.split { $0 == "," || $0 == " " } ?? []
        if protocols.contains("realtime") { headers["Sec-WebSocket-Protocol"] = "realtime" }
        return HTTPResponse(
            101, headers,
            body: .upgrade { [core, connections] upgraded in
                let socket = ClientSocket(upgraded, runtime: core.runtime)
                let received = upgraded.received
                connections.serve(socket, named: "realtime-client", runtime: core.runtime) {
                    await RealtimeConnection(socket, core: core, client: client, model: model).run(received)
                }
            })
    }
}
#endif
