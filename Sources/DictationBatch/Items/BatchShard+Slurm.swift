public import DictationCore

extension BatchShard {
    /// Returns the shard of this task in a Slurm array; `nil` outside an array.
    ///
    /// - Parameter environment: The environment variables.
    /// - Throws: `invalidInput` for an array that does not count from 0 in steps of 1. A part of an array that is submitted
    ///   again does not, and its tasks must name their shards themselves.
    public static func inSlurmArray(_ environment: [String: String]) throws(DictationError) -> BatchShard? {
        guard let index = environment["SLURM_ARRAY_TASK_ID"].flatMap({ Int($0) }) else { return nil }
        let numbers = ["SLURM_ARRAY_TASK_MIN", "SLURM_ARRAY_TASK_MAX", "SLURM_ARRAY_TASK_COUNT"].map { name in
            environment[name].flatMap { Int($0) }
        }
        guard let first = numbers[0], let last = numbers[1], let count = numbers[2], first == 0, count > 0,
            last == count - 1
        else {
            throw DictationError(
                .invalidInput, "This part of a Slurm array does not tell into how many shards the batch is divided.",
                recovery: "Name the shard, with the number of all shards.")
        }
        return try BatchShard(index, of: count)
    }
}
