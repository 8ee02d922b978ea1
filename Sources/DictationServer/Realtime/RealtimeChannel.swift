#if Server
import DictationCore
import DictationHTTP
import DictationMessages
import FoundationEssentials
import Synchronization

/// Sends and receives the messages of a realtime connection.
final class RealtimeChannel: Sendable {
    private struct State {
        var framing = WebSocketFraming(.server, messageLimit: 16 << 20)
        var eventCount = 0
    }

    private let socket: ClientSocket
    private let share: MessageShare
    private let idleTimeout: Duration
    private let runtime: DictationRuntime
    /// Used by the thread that reads, and by those who send.
    private let state = Mutex(Unchecked(value: State()))
    /// Whether messages are being worked on. Meanwhile nothing is read, not even a ping.
    private let isWorking = Watched(false)
    private let outbox = Mailbox<[UInt8], Never>(capacity: 64)
    private let sending: Task<Void, Never>

    init(_ socket: ClientSocket, _ share: MessageShare, idleTimeout: Duration, runtime: DictationRuntime) {
        (self.socket, self.share, self.idleTimeout, self.runtime) = (socket, share, idleTimeout, runtime)
        sending = runtime.task { [outbox] in
            while let bytes = await outbox.next(), await socket.send(bytes) {}
            outbox.finish()
        }
    }

    /// Waits for messages; `nil` at the end of the connection.
    ///
    /// - Throws: A refusal of a message for which there is no room.
    func receive() async throws(ServerRefusal) -> [WebSocketMessage]? {
        isWorking.change { $0 = false }
        let arriving = state.withLock { $0.value.framing.arriving }
        // The messages that were worked on need no room any more.
        try await share.hold(arriving: arriving)
        // A client that reads no answers can't ask for more of them.
        guard await outbox.room(), let bytes = socket.receive(within: idleTimeout) else { return nil }
        return try await take(bytes)
    }

    /// Takes bytes, and returns the messages that they complete; `nil` at the end of the connection.
    ///
    /// - Throws: A refusal of a message for which there is no room.
    func take(_ bytes: [UInt8]) async throws(ServerRefusal) -> [WebSocketMessage]? {
        let (messages, isOpen, arriving) = state.withLock { state in
            let messages = bytes.withUnsafeBytes { state.value.framing.receive($0) }
            flush(&state.value)
            return (messages, state.value.framing.isReceiving, state.value.framing.arriving)
        }
        isWorking.change { $0 = true }
        guard isOpen else { return messages.isEmpty ? nil : messages }
        try await share.hold(arriving: arriving, whole: messages.reduce(0) { $0 + $1.byteCount })
        return messages
    }

    /// Tells the client now and then that the server lives, while it has much to do.
    func beat(every interval: Duration = .seconds(5)) async {
        while await isWorking.first({ $0 ? true : nil }) == true, (try? await runtime.sleep(interval)) != nil {
            guard isWorking.value else { continue }
            state.withLock { state in
                state.value.framing.ping()
                flush(&state.value)
            }
        }
    }

    /// Sends events, in order.
    func send(_ events: [OpenAIRealtimeMessage]) {
        state.withLock { state in
            for var event in events {
                state.value.eventCount += 1
                event.eventID = "event_\(state.value.eventCount)"
                let json = (try? JSONEncoder().encode(event)) ?? Data()
                state.value.framing.send(.text(String(decoding: json, as: UTF8.self)))
            }
            flush(&state.value)
        }
    }

    /// Says why the connection ends, and waits until everything is sent.
    func close(code: UInt16, reason: String = "") async {
        state.withLock { state in
            state.value.framing.send(.close(code: code, reason: reason))
            flush(&state.value)
        }
        outbox.finish()
        await sending.value
    }

    private func flush(_ state: inout State) {
        let output = state.framing.output
        guard !output.isEmpty else { return }
        state.framing.written(output.count)
        outbox.put(output)
    }
}
#endif
