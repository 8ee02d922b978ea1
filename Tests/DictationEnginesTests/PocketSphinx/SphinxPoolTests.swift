#if PocketSphinx
import DictationCore
import Testing

@testable import DictationEngines

@Suite(.serialized) struct SphinxPoolTests {
    private func plan(_ text: String, _ new: [RecognitionOptions.ContextualString] = []) throws -> SphinxPlan {
        let model = try #require(Sphinx.engine.models.first)
        return try SphinxPlan(RecognitionOptions(task: .alignment(text), contextualStrings: new), model: model)
    }

    @Test func decodersForGrammarsAreShared() throws {
        let pool = SphinxPool(retention: .processLifetime)
        let (first, second) = (try plan("go forward").configuration, try plan("ten meters").configuration)
        pool.give(try pool.take(first))
        #expect(pool.hasIdle(second))
        let decoder = try pool.take(second)
        #expect(decoder.configuration == second)
        #expect(!pool.hasIdle(first))
        pool.give(decoder)
    }

    @Test func aDecoderKeepsTheWordsThatItHasLearned() throws {
        let one = try plan("xyzzyx", [RecognitionOptions.ContextualString("xyzzyx", pronunciation: "Z IH Z IH K")])
            .configuration
        let same = try plan("go xyzzyx", [RecognitionOptions.ContextualString("xyzzyx", pronunciation: "Z IH Z IH K")])
            .configuration
        let other = try plan("xyzzyx", [RecognitionOptions.ContextualString("xyzzyx", pronunciation: "Z AY Z IH K")])
            .configuration
        var decoder = try SphinxDecoder(one)
        #expect(try decoder.change(to: plan("go forward").configuration))
        #expect(try decoder.change(to: same))
        #expect(try !decoder.change(to: other), "a word has only one pronunciation")
    }
}
#endif
