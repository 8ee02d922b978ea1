#if Server
import DictationCore
import DictationMessages
import DictationText
import Synchronization

/// Serves one client of Wyoming: any number of takes, one after another.
final class WyomingConnection: Sendable {
    private let socket: ClientSocket
    private let core: ServerCore
    private let client: String

    init(_ socket: ClientSocket, core: ServerCore) {
        (self.socket, self.core, client) = (socket, core, socket.peer)
    }

    /// What a client asked for its next take.
    private struct Wish {
        var model: String?
        var language: String?
    }

    func run() async {
        var take: WyomingTake?
        do throws(ServerRefusal) {
            try await talk(&take)
            // Some clients end their half of the connection after the last sound, and wait for the text.
            if socket.isOpen { _ = await take.take()?.finish() }
        } catch {
            if let take { await take.fail(error) } else { core.note(entry(of: error)) }
            take = nil
            _ = await socket.send(WyomingMessage.error(error).bytes)
        }
        await take?.fail(ServerRefusal(499, "The client left.", type: "invalid_request_error"))
        // Its place is free before the client has read the last answer.
        take = nil
        socket.finish()
    }

    private func talk(_ take: inout WyomingTake?) async throws(ServerRefusal) {
        var reader = WyomingReader()
        var wish = Wish()
        let share = core.makeShare()
        socket.note(isIdle: true)
        while let bytes = socket.receive(within: core.limits.idleTimeout) {
            reader.append(bytes)
            while let message = try Self.next(&reader) {
                guard try await handle(message, &wish, &take) else { return }
            }
            socket.note(isIdle: take == nil)
            try await share.hold(arriving: reader.arriving)
        }
    }

    private static func next(_ reader: inout WyomingReader) throws(ServerRefusal) -> WyomingMessage? {
        do throws(DictationError) { return try reader.next() } catch { throw ServerRefusal(error) }
    }

    private func entry(of refusal: ServerRefusal) -> DictationServer.Configuration.LogEntry {
        var entry = DictationServer.Configuration.LogEntry(
            interface: .wyoming, client: client, status: Int(refusal.status))
        entry.error = refusal.logged
        return entry
    }

    /// - Returns: `false` if the client has left.
    private func handle(
        _ message: WyomingMessage, _ wish: inout Wish, _ take: inout WyomingTake?
    ) async throws(ServerRefusal) -> Bool {
        switch message.type {
        case "describe":
            return await send("info", await WyomingInformation.data(of: core.models))
        case "ping":
            return await send("pong", message.data["text"].map { ["text": $0] } ?? [:])
        case "transcribe":
            wish = Wish(model: message.data["name"]?.text, language: message.data["language"]?.text)
        case "audio-start":
            // What was said before has its text, also without an `audio-stop`.
            guard await take.take()?.finish() ?? true else { return false }
            take = try await begin(wish)
        case "audio-chunk":
            let format = try Self.format(of: message)
            if take == nil { take = try await begin(wish) }
            try await take?.feed(message.payload, in: format)
        case "audio-stop":
            return await take.take()?.finish() ?? true
        default: break
        }
        return true
    }

    private func begin(_ wish: Wish) async throws(ServerRefusal) -> WyomingTake {
        try core.checkAccepting()
        try socket.begin(for: client)
        let model = try core.models.model(named: wish.model)
        let locale = try await model.locale(for: wish.language)
        return try await WyomingTake(model, locale, core: core, client: client) { [socket] message in
            await socket.send(message.bytes)
        }
    }

    private static func format(of message: WyomingMessage) throws(ServerRefusal) -> AudioFormat {
        let types: [Int: AudioFormat.SampleType] = [2: .int16, 3: .int24, 4: .int32]
        let width = message.data["width"]?.whole ?? 2
        guard let type = types[width] else {
            throw .invalid("Samples of \(width) bytes can't be used. Send 16-bit samples.")
        }
        let format = AudioFormat(
            sampleRate: message.data["rate"]?.whole ?? 16_000, channelCount: message.data["channels"]?.whole ?? 1,
            sampleType: type)
        do throws(DictationError) { return try format.validated() } catch { throw ServerRefusal(error) }
    }

    @discardableResult
    private func send(_ type: String, _ data: [String: JSONValue]) async -> Bool {
        await socket.send(WyomingMessage(type: type, data: data).bytes)
    }
}
#endif
