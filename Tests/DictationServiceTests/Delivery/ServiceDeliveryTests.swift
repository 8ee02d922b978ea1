import DictationCapture
import DictationCore
import DictationEngines
import DictationTesting
import TestSupport
import Testing

@testable import DictationService

/// A service that delivers the text of each take.
@Suite struct ServiceDeliveryTests {
    private func service(_ destinations: [any TextDestination]) -> DictationService {
        let engine = ScriptedEngine(.counting)
        let configuration = DictationSession.Configuration(tail: .zero)
        let usual = DictationProfile(
            engine: engine, configuration: configuration, destinations: DestinationChain(destinations))
        return DictationService(
            profiles: DictationProfiles(
                usual: usual, named: ["quiet": .success(DictationProfile(engine: engine, configuration: configuration))]
            ),
            capturer: ScriptedCapturer([.tone(440, for: .seconds(3_600))]), converters: BasicConverter.Provider())
    }

    @Test func aTextGoesToTheFieldWhereItsTakeBegan() async throws {
        try await VirtualTime.run { clock in
            let field = FakeDestination("field", followsFocus: true, focus: "a")
            let service = service([field])
            try await service.start()
            await clock.advance(by: .milliseconds(2100))
            let text = try #require(try await service.stop())
            #expect(text.delivery?.destination == "field")
            #expect(field.texts.last == text.text + " in a")
            #expect(try await service.status().delivery == text.delivery)
            #expect(try await service.last() == text)
        }
    }

    @Test func whatCouldNotBeDeliveredIsKeptAndCanBeInsertedAgain() async throws {
        try await VirtualTime.run { clock in
            let field = FakeDestination("field", .refused("a password"), followsFocus: true, focus: "a")
            let service = service([field])
            try await service.start()
            await clock.advance(by: .milliseconds(2100))
            let text = try #require(try await service.stop())
            #expect(text.delivery?.attempts.map(\.outcome) == [.refused("a password")])
            #expect(try await service.last()?.text == text.text)
            let again = try #require(try await service.insertLast())
            #expect(again.text == text.text && again.delivery?.destination == nil)
            // The first time into the field of the take, and the second time to whatever has the focus.
            #expect(field.texts.filter { !$0.hasPrefix("preview") } == [text.text + " in a", text.text])
        }
    }

    @Test func aTakeThatEndsByItselfOrWithItsHolderIsDeliveredToo() async throws {
        try await VirtualTime.run { clock in
            let field = FakeDestination("field")
            let service = service([field])
            do {
                let hold = try await service.hold()
                await clock.advance(by: .milliseconds(2100))
                withExtendedLifetime(hold) {}
            }
            await clock.advance(by: .milliseconds(5000))
            #expect(field.texts.last == (try await service.last()?.text))
            #expect(field.texts.last?.isEmpty == false)
        }
    }

    @Test func aCancelledTakeIsDeliveredNowhere() async throws {
        try await VirtualTime.run { clock in
            let field = FakeDestination("field")
            let service = service([field])
            try await service.start()
            await clock.advance(by: .milliseconds(2100))
            try await service.cancel()
            await service.waitUntilSettled()
            #expect(!field.texts.contains { !$0.hasPrefix("preview") })
        }
    }

    @Test func aProfileWithoutDestinationsOnlyAnswersItsCaller() async throws {
        try await VirtualTime.run { clock in
            let field = FakeDestination("field")
            let service = service([field])
            #expect(try await service.insertLast() == nil)
            try await service.start(profile: "quiet")
            await clock.advance(by: .milliseconds(2100))
            let text = try #require(try await service.stop())
            #expect(text.delivery == nil && field.texts.isEmpty)
            let found = await error { try await service.insertLast() }
            #expect(found?.code == .unsupportedOption)
        }
    }

    /// A destination that never answers.
    private struct Hanging: TextDestination {
        let name = "hanging"
        func problem() async -> DictationError? { nil }
        func deliver(_ text: DictatedText, into field: FocusedField?) async -> TextDelivery.Outcome {
            try? await DictationRuntime.current.sleep(.seconds(1_000_000))
            return .delivered
        }
    }

    @Test func aDestinationThatHangsKeepsNobodyFromTheText() async throws {
        try await VirtualTime.run { clock in
            let service = service([Hanging(), FakeDestination("next")])
            try await service.start()
            await clock.advance(by: .milliseconds(2100))
            let began = DictationRuntime.current.now()
            let text = try #require(try await service.stop())
            #expect(!text.text.isEmpty && text.delivery?.destination == nil)
            #expect(DictationRuntime.current.now() - began < .seconds(60))
        }
    }

    @Test func volatileTextIsShownWhileItChangesAndGoneAtTheEnd() async throws {
        try await VirtualTime.run { clock in
            let field = FakeDestination("field", focus: "a")
            let service = service([field])
            try await service.start()
            await clock.advance(by: .milliseconds(3100))
            let text = try #require(try await service.stop())
            await clock.advance(by: .milliseconds(1000))
            let previews = field.texts.filter { $0.hasPrefix("preview") }
            #expect(previews.first == "preview one" && previews.last == "preview ", "\(previews)")
            #expect(previews.count > 3 && field.texts.contains(text.text + " in a"))
        }
    }
}
