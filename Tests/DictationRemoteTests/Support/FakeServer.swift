/// A speech server of a test, whose connections each have a thread.
protocol FakeServer: Sendable {
    /// Sets the limits of a connection, or makes it misbehave.
    var prepare: @Sendable (_ peer: Peer, _ connection: Int) -> Void { get }
    /// Serves a connection; the first has the number 1.
    func serve(_ peer: Peer, _ number: Int)
}

extension FakeServer {
    func start() throws -> LoopbackServer {
        try LoopbackServer { peer, number in
            prepare(peer, number)
            serve(peer, number)
        }
    }
}
