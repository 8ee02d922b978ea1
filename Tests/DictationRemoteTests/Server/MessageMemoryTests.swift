#if Server
import DictationCore
import DictationTesting
import Testing

@testable import DictationRemote
@testable import DictationServer

@Suite struct MessageMemoryTests {
    private let memory = MessageMemory(limit: 1_000)
    private let small = MessageMemory.smallByteCount

    private func share(_ timeout: Duration) -> MessageShare {
        MessageShare(of: memory, timeout: timeout, runtime: .system)
    }

    @Test func aMessageWaitsForRoom() async throws {
        let first = share(.seconds(600))
        try await first.hold(arriving: small + 800)
        let waiting = share(.seconds(600))
        let second = Task { [small] in try await waiting.hold(arriving: small + 300) }
        // It still arrives, then it is worked on, and then there is room.
        try await first.hold(arriving: small + 800)
        try await first.hold(arriving: 0, whole: small + 800)
        try await first.hold(arriving: 0)
        try await second.value
        try await share(.seconds(600)).hold(arriving: small + 700)
    }

    @Test func whoFindsNoRoomIsTold() async throws {
        do {
            let first = share(.seconds(600))
            try await first.hold(arriving: small, whole: 1_000)
            await #expect(throws: ServerRefusal.noRoom) { try await share(.milliseconds(5)).hold(arriving: small + 1) }
            // Small messages always have room.
            for _ in 0..<100 { try await share(.milliseconds(5)).hold(arriving: small) }
        }
        // A connection that ends gives its room back.
        try await share(.seconds(600)).hold(arriving: small, whole: 1_000)
    }

    @Test func aMessageMustArriveInTime() async throws {
        try await VirtualTime.run { [memory, small] clock in
            let runtime = DictationRuntime.current
            let slow = MessageShare(of: memory, timeout: .seconds(60), runtime: runtime)
            try await slow.hold(arriving: small + 1)
            // What is worked on may take as long as it needs.
            let busy = MessageShare(of: memory, timeout: .seconds(60), runtime: runtime)
            try await busy.hold(arriving: 0, whole: small + 1)
            await clock.advance(by: .seconds(60))
            try await slow.hold(arriving: small + 1)
            await clock.advance(by: .seconds(1))
            await #expect(throws: ServerRefusal.slowMessage) { try await slow.hold(arriving: small + 1) }
            try await busy.hold(arriving: 0, whole: small + 1)
        }
    }
}
#endif
