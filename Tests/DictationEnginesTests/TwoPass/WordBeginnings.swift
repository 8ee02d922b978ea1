/// Where words of recordings begin, found without any engine.
///
/// They were read from spectrograms with windows of 6 ms and a grid of 20 ms, where the sound changes suddenly: after a
/// pause, at the edge of a fricative or a nasal, and where the closure of a stop begins. A rough idea of where to look
/// came from the speech of espeak-ng, laid over the recording by dynamic time warping. Words that run into the word
/// before without such an edge are left out, because two people would not agree on their beginnings.
enum WordBeginnings {
    /// The recordings, and the beginnings of words in them in milliseconds.
    static let recordings: [(name: String, words: [(word: String, start: Int)])] = [
        (
            "lj-LJ001-0001",
            [
                ("sense", 1_460), ("with", 1_990), ("we", 2_410), ("present", 2_800), ("concerned", 3_260),
                ("differs", 4_440), ("most", 5_175), ("if", 5_650), ("not", 5_930), ("all", 6_400), ("the", 6_630),
                ("and", 7_100), ("crafts", 7_200), ("represented", 7_800), ("in", 8_560),
            ]
        ),
        (
            "lj-LJ001-0003",
            [
                ("engraved", 3_770), ("in", 4_355), ("for", 5_000), ("centuries", 5_090), ("before", 5_720),
                ("the", 6_090), ("of", 6_875), ("netherlands", 7_110), ("by", 8_210), ("similar", 8_435),
            ]
        ),
        (
            "lj-LJ001-0004",
            [
                ("produced", 15), ("the", 595), ("block", 640), ("which", 1_790), ("were", 1_980), ("the", 2_105),
                ("of", 3_645), ("true", 3_845), ("printed", 4_155),
            ]
        ),
        (
            "lj-LJ001-0005",
            [
                ("the", 10), ("movable", 760), ("metal", 1_200), ("in", 2_110), ("fifteenth", 2_775),
                ("century", 3_310), ("may", 4_270), ("justly", 4_410), ("be", 4_935), ("considered", 5_105),
                ("as", 6_060), ("the", 6_225), ("of", 7_365), ("printing", 7_480),
            ]
        ),
        (
            "lj-LJ001-0006",
            [
                ("it", 600), ("is", 665), ("worth", 870), ("mention", 1_205), ("passing", 1_785), ("that", 2_805),
                ("as", 3_165), ("an", 3_300), ("of", 4_115),
            ]
        ),
        (
            "lj-LJ001-0010",
            [("now", 10), ("as", 835), ("books", 1_405), ("not", 1_980), ("composed", 6_670), ("form", 7_510)]
        ),
    ]
}
