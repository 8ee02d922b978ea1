import DictationCore
import DictationTesting
import Synchronization
import Testing

@testable import DictationService

/// A destination that answers as it is told, and keeps what it was asked.
final class FakeDestination: TextDestination {
    let name: String
    let followsFocus: Bool
    private let outcome: TextDelivery.Outcome
    private let field: FocusedField?
    private let got = Mutex<[String]>([])

    init(
        _ name: String, _ outcome: TextDelivery.Outcome = .delivered, followsFocus: Bool = false, focus: String? = nil
    ) {
        (self.name, self.outcome, self.followsFocus) = (name, outcome, followsFocus)
        field = focus.map { FocusedField(id: $0) }
    }

    /// Each text, and the field it was for.
    var texts: [String] { got.withLock { $0 } }

    func problem() async -> DictationError? { nil }
    func focusedField() async -> FocusedField? { field }

    func preview(_ text: String, in field: FocusedField?) async { got.withLock { $0.append("preview " + text) } }

    func deliver(_ text: DictatedText, into field: FocusedField?) async -> TextDelivery.Outcome {
        got.withLock { $0.append(text.text + (field.map { " in " + $0.id } ?? "")) }
        return outcome
    }

    func settle() async { got.withLock { $0.append("settled") } }
}

@Suite struct DestinationChainTests {
    @Test func whatATextDisplacedIsBackBeforeTheServiceEnds() async throws {
        try await VirtualTime.run { _ in
            let destination = FakeDestination("paste")
            let service = countingService()
            service.profiles.all.usual.destinations = DestinationChain([destination])
            await service.close()
            #expect(destination.texts == ["settled"])
        }
    }

    /// What became of a text at two destinations, of which the second takes everything.
    private func attempts(
        _ first: TextDelivery.Outcome, thenFollowsFocus follows: Bool = false
    ) async -> [String] {
        let chain = DestinationChain([
            FakeDestination("first", first, followsFocus: true), FakeDestination("second", followsFocus: follows),
        ])
        return await chain.deliver(DictatedText("Hello.")).attempts.map { "\($0.destination) \($0.outcome.name)" }
    }

    @Test func theFirstThatTakesTheTextEndsTheWay() async {
        #expect(await attempts(.delivered) == ["first delivered"])
        #expect(await attempts(.noField) == ["first noField", "second delivered"])
        #expect(await attempts(.unavailable("off")) == ["first unavailable", "second delivered"])
    }

    @Test func nothingIsTypedIntoAFieldThatRefused() async {
        #expect(await attempts(.refused("a password"), thenFollowsFocus: true) == ["first refused"])
        #expect(await attempts(.refused("a password")) == ["first refused", "second delivered"])
    }

    @Test func aTextOfWhichAPartMayBeThereIsNotDoubled() async {
        #expect(await attempts(.incomplete("half")) == ["first incomplete"])
    }

    @Test func anEmptyTextTriesNothing() async {
        #expect(await DestinationChain([FakeDestination("first")]).deliver(DictatedText("")).attempts.isEmpty)
    }

    @Test func eachDestinationGetsBackTheFieldThatItFound() async {
        let (one, two) = (FakeDestination("one", .noField, focus: "a"), FakeDestination("two", focus: "b"))
        let chain = DestinationChain([one, two])
        let focus = await chain.focus()
        #expect(await chain.deliver(DictatedText("x"), in: focus).destination == "two")
        _ = await chain.deliver(DictatedText("y"))
        #expect(one.texts == ["x in a", "y"])
        #expect(two.texts == ["x in b", "y"])
    }

    @Test(arguments: [
        TextDelivery.Outcome.delivered, .noField, .refused("a"), .unavailable("b"), .incomplete("c"),
    ])
    func anOutcomeGoesThroughJSON(_ outcome: TextDelivery.Outcome) throws {
        let delivery = TextDelivery(take: TakeID(number: 3), attempts: [.init("wtype", outcome)])
        let read = try WireLine.value(TextDelivery.self, in: WireLine.bytes(delivery))
        #expect(read == delivery)
        #expect(read.destination == (outcome == .delivered ? "wtype" : nil))
    }
}
