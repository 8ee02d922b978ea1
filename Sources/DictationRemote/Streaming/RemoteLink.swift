#if Remote
import DictationCore
import DictationSystem

/// A connection to a server with a conversation over it.
final class RemoteLink {
    let connection: RemoteConnection
    let conversation: any RemoteConversation
    /// Whether bytes arrived since the server took the conversation up.
    private(set) var hasAnswered = false
    /// Why the conversation is over. What the server said before is used first.
    private var failure: RemoteFailure?
    private let memory: UnsafeMutableRawBufferPointer = .allocate(byteCount: 1 << 16, alignment: 16)

    init(_ connection: RemoteConnection, _ conversation: any RemoteConversation) {
        self.connection = connection
        self.conversation = conversation
    }

    deinit { memory.deallocate() }

    /// Sends as much of the output as the connection takes. Returns whether anything was sent.
    func send() throws(RemoteFailure) -> Bool {
        guard failure == nil, case let output = conversation.output, !output.isEmpty else { return false }
        let count = try output.withUnsafeBufferPointer { bytes throws(RemoteFailure) in
            try connection.send(UnsafeRawBufferPointer(bytes))
        }
        conversation.sent(count)
        return count > 0
    }

    /// Reads what has arrived; `nil` if nothing has.
    func receive() throws(RemoteFailure) -> [RemoteEvent]? {
        if let failure { throw failure }
        guard let count = try connection.receive(into: memory) else { return nil }
        hasAnswered = true
        var events: [RemoteEvent] = []
        do throws(RemoteFailure) {
            try conversation.receive(UnsafeRawBufferPointer(rebasing: memory[..<count]), into: &events)
        } catch {
            guard !events.isEmpty else { throw error }
            failure = error
        }
        return events
    }
}

/// Makes links to a server, by one of its addresses after another.
final class RemoteLinks: Sendable {
    let server: RemoteServer
    let addresses: [RemoteAddress]
    private let begin: @Sendable (RemoteAddress, RecognitionOptions) -> any RemoteConversation
    private let runtime = DictationRuntime.current
    private let turns = Turns()
    private let ready = Handover<Ready>(limit: 4)

    private struct Ready {
        var link: RemoteLink
        var options: RecognitionOptions
        var since: Duration
    }

    /// How long a connection that was made ahead is kept.
    private static let shelfLife = Duration.seconds(20)

    /// - Parameters:
    ///   - server: The server.
    ///   - ports: The schemes that the server's kind knows, and the port of each if an address has none.
    ///   - begin: Begins a conversation.
    init(
        _ server: RemoteServer, ports: [String: Int],
        begin: @escaping @Sendable (RemoteAddress, RecognitionOptions) -> any RemoteConversation
    ) throws(DictationError) {
        self.server = server
        addresses = try RemoteAddress.list(of: server, ports: ports)
        self.begin = begin
    }

    /// Returns where a new session begins in the list of addresses, so that sessions are spread.
    func nextTurn() -> Int { turns.next() }

    /// Returns the address for a turn.
    func address(_ turn: Int) -> RemoteAddress { addresses[abs(turn % addresses.count)] }

    /// Connects, and waits until the server takes audio, or until the work is over for another reason.
    func open(
        _ address: RemoteAddress, for options: RecognitionOptions, waker: Waker = Waker(),
        unless isOver: @Sendable () -> Bool = { Task.isCancelled }
    ) throws(RemoteFailure) -> sending RemoteLink {
        let link = RemoteLink(try RemoteConnection(to: address, of: server), begin(address, options))
        guard !link.conversation.isReadyAtOnce else { return link }
        try converse(over: link, with: address, waker, within: server.responseTimeout, unless: isOver) {
            $0 == .opened
        }
        return link
    }

    /// Has a stretch of audio recognized over a connection of its own, and returns when that is done.
    ///
    /// - Parameters:
    ///   - audio: The audio.
    ///   - options: The options of the session.
    ///   - address: The server's address.
    ///   - hasSent: Becomes `true` once audio was sent.
    ///   - take: Receives the updates.
    func exchange(
        _ audio: AudioBuffer, for options: RecognitionOptions, with address: RemoteAddress, hasSent: inout Bool,
        take: (SpeechUpdate) -> Void
    ) throws(RemoteFailure) {
        let ready = takeReady(for: options)
        let link = if let ready { ready } else { try open(address, for: options) }
        link.conversation.send(audio)
        link.conversation.finalize()
        hasSent = true
        do throws(RemoteFailure) {
            try converse(
                over: link, with: address, Waker(), within: server.recognitionTimeout, afterSending: true
            ) { event in
                if case .update(let update) = event { take(update) }
                return if case .finished = event { true } else { false }
            }
        } catch {
            // The server may have closed a connection that nobody used.
            if ready != nil, !link.hasAnswered { hasSent = false }
            throw error
        }
    }

    /// Sends and receives until an event is the last.
    ///
    /// - Parameters:
    ///   - limit: How long the server has for that, whatever else it sends.
    ///   - afterSending: Whether the time begins when the last byte is sent.
    ///   - isOver: Whether nobody waits any more. Use the waker when that changes.
    ///   - isLast: Whether an event is the last.
    private func converse(
        over link: RemoteLink, with address: RemoteAddress, _ waker: Waker, within limit: Duration,
        afterSending: Bool = false, unless isOver: () -> Bool = { Task.isCancelled },
        until isLast: (RemoteEvent) -> Bool
    ) throws(RemoteFailure) {
        var deadline = runtime.now() + limit
        while true {
            let hasSent = try link.send()
            if hasSent, afterSending { deadline = runtime.now() + limit }
            let events = try link.receive()
            if let events, events.count(where: isLast) > 0 { return }
            let left = deadline - runtime.now()
            guard left > .zero else { throw .lost(address.text, "the server does not answer") }
            guard !isOver() else { throw .lost(address.text, "the request was cancelled") }
            if events == nil, !hasSent {
                link.connection.wait(
                    isWriting: !link.conversation.output.isEmpty, waker, atMost: min(left, .milliseconds(200)))
            }
        }
    }

    /// Connects ahead, for the next session with the options. Tries each address.
    func prepare(for options: RecognitionOptions) throws(RemoteFailure) {
        let turn = nextTurn()
        for step in addresses.indices {
            do throws(RemoteFailure) {
                let new = Ready(
                    link: try open(address(turn &+ step), for: options), options: options, since: runtime.now())
                return ready.put(new)
            } catch {
                if step == addresses.count - 1 { throw error }
            }
        }
    }

    /// Returns a link that was made ahead, if there is a fresh one.
    func takeReady(for options: RecognitionOptions) -> sending RemoteLink? {
        let now = runtime.now()
        ready.removeAll { now - $0.since > Self.shelfLife }
        return ready.take { $0.options == options }?.link
    }
}
#endif
