import DictationBatch
import DictationCore
import Testing

struct ShardTests {
    @Test func eachItemIsInExactlyOneShard() throws {
        let shards = try (0..<8).map { try Shard($0, of: 8) }
        for item in 0..<1_000 { #expect(shards.count { $0.contains("recording-\(item).wav") } == 1) }
    }

    @Test(arguments: [(8, 8), (-1, 8), (0, 0), (0, -1)]) func aShardOutsideItsCountIsRefused(index: Int, count: Int) {
        #expect(throws: DictationError.self) { try Shard(index, of: count) }
    }

    @Test func aNamesShardNeverChanges() throws {
        #expect(try Shard(0, of: 8).contains("a.wav"))
    }
}
