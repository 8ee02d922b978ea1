import DictationBatch
import DictationCore
import Testing

struct ShardTests {
    @Test func eachItemIsInExactlyOneShard() throws {
        let shards = try (0..<8).map { try BatchShard($0, of: 8) }
        for item in 0..<1_000 { #expect(shards.count { $0.contains("recording-\(item).wav") } == 1) }
    }

    @Test(arguments: [(8, 8), (-1, 8), (0, 0), (0, -1)]) func aShardOutsideItsCountIsRefused(index: Int, count: Int) {
        #expect(throws: DictationError.self) { try BatchShard(index, of: count) }
    }

    @Test func aNamesShardNeverChanges() throws {
        #expect(try BatchShard(0, of: 8).contains("a.wav"))
    }
}

struct SlurmArrayTests {
    private func shard(_ id: Int, _ first: Int, _ last: Int, _ count: Int) throws -> BatchShard? {
        try BatchShard.inSlurmArray([
            "SLURM_ARRAY_TASK_ID": "\(id)", "SLURM_ARRAY_TASK_MIN": "\(first)", "SLURM_ARRAY_TASK_MAX": "\(last)",
            "SLURM_ARRAY_TASK_COUNT": "\(count)",
        ])
    }

    @Test func aTaskOfAWholeArrayIsAShard() throws {
        #expect(try shard(3, 0, 7, 8) == BatchShard(3, of: 8))
        #expect(try BatchShard.inSlurmArray([:]) == nil)
    }

    @Test(arguments: [(3, 3, 3, 1), (2, 2, 5, 2), (0, 0, 6, 4), (1, 1, 8, 8), (0, 0, .max, .min), (0, 0, -1, 0)])
    func aPartOfAnArrayDoesNotGuess(id: Int, first: Int, last: Int, count: Int) {
        #expect(throws: DictationError.self) { try shard(id, first, last, count) }
    }
}
