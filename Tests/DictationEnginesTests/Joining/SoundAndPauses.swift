import DictationTesting

/// Returns audio of the given lengths in seconds, by turns sound and near silence. Like speech, the sound has short dips.
func soundAndPauses(_ lengths: [Double], loud: Int16 = 8_000, quiet: Int16 = 3, seed: UInt64 = 1) -> [Int16] {
    var random = SplitMix64(seed: seed)
    return lengths.enumerated().flatMap { index, seconds in
        (0..<Int(seconds * 16_000)).map { sample in
            let isLoud = index.isMultiple(of: 2) && sample % 3_200 < 2_880
            let most = isLoud ? loud : quiet
            return Int16.random(in: -most...most, using: &random)
        }
    }
}
