#if SystemBus
import DictationCore
import Foundation
import Testing

@testable import DictationDesktop
@testable import DictationService

/// The socket and the bus, asked the same.
@Suite struct TwoListenerTests {
    /// The properties of the bus and their signal tell this.
    private static let onlyOnTheSocket: Set<String> = ["status", "follow", "pong"]

    @Test func everyIntentOfTheSocketIsAMethodOnTheBus() {
        let names = WireRequest.Kind.named.map(\.key)
        #expect(Set(names).count == names.count)
        #expect(
            Set(BusInterface.methods.map(\.intent)) == Set(names).subtracting(Self.onlyOnTheSocket))
    }

    /// Each listener has a service of its own, and gets the same requests in the same states.
    @Test func bothListenersAnswerEachIntentInTheSameWay() async throws {
        let (bus, onSocket, onBus) = (try TestBus(), try OpenListener(), try OpenListener())
        let listener = try BusListener.open(onBus.service, at: bus.address)
        let (client, caller) = (try RawClient(onSocket.path), try BusCaller(bus))
        #expect(try await client.kind() == "dictation")

        func agree(_ intent: String, profile: String? = nil) async throws {
            let request = WireRequest(id: 1, kind: try #require(WireRequest.Kind(intent: intent, profile: profile)))
            try await client.send(bytes: WireLine.bytes(request))
            let line = try #require(try await client.line())
            let socketAnswer = try WireLine.value(WireReply.self, in: Array(line.utf8)).content
            let method = try #require(BusInterface.methods.first { $0.intent == intent })
            var busAnswer: String
            do {
                busAnswer = try await kind(caller.ask(method.name, profile: method.takesProfile ? profile ?? "" : nil))
            } catch let error as DictationError {
                busAnswer = error.underlying?.message ?? error.message
            }
            #expect(kind(socketAnswer) == busAnswer, "\(intent)")
        }
        func record() async {
            #expect(await onSocket.hasWords())
            #expect(await onBus.hasWords())
        }

        let methods = BusInterface.methods.map(\.intent)
        for intent in methods where !["start", "toggle", "hold"].contains(intent) { try await agree(intent) }
        for intent in ["start", "toggle", "hold"] { try await agree(intent, profile: "missing") }
        for end in ["stop", "toggle", "cancel"] {
            for intent in ["start", "pause", "pause", "resume", "start", "hold", "release", "reload"] {
                try await agree(intent)
            }
            await record()
            for intent in [end, end == "toggle" ? "stop" : end, "last"] { try await agree(intent) }
        }
        try await agree("hold")
        await record()
        for intent in ["pause", "resume", "release", "release", "last"] { try await agree(intent) }
        await listener.close()
        await onBus.listener.close()
        await onSocket.listener.close()
    }

    /// The kind of an answer and its take, or the words of an error. The texts differ by the moment.
    private func kind(_ content: WireReply.Content) -> String {
        switch content {
        case .answer(.text(let text)): "text \(text.take.number) \(text.text.isEmpty)"
        case .answer(let answer): "\(answer.name) \(answer.take?.number ?? 0)"
        case .holding(let take): "holding \(take.number)"
        case .failure(let error): error.description
        case .ping: "ping"
        case .order: "order"
        }
    }
}
#endif
