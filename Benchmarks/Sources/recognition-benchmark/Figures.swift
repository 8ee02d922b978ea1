import BenchSpeech
import DictationBatch

extension Contest {
    /// Returns the measurements for the table of all benchmarks: our ways, each with its references.
    func figures(_ measured: Measurements) -> [Measurement] {
        var figures: [Measurement] = []
        for way in counted.map(Way.init) {
            for (set, name) in [("testdata", "pocketsphinx-testdata"), ("audio", "DICTATION_AUDIO")] {
                guard let reference = references(of: way).first,
                    let both = measured.percents(way.text, reference, where: { $0.hasPrefix(set) })
                else { continue }
                figures.append(
                    Measurement(
                        name: "words, \(title), \(way.text): \(name)", unit: "% wrong", runs: [both.0],
                        peer: .init(name: reference, runs: [both.1])))
            }
        }
        for length in Length.allCases {
            for way in timed(length).map(Way.init) {
                for reference in references(of: way) {
                    let (ours, theirs) = (measured.runs(length, way.text), measured.runs(length, reference))
                    guard !ours.isEmpty, !theirs.isEmpty else { continue }
                    for (unit, figure) in [("s", \Measurements.Run.wall), ("s CPU", \.cpu)] {
                        figures.append(
                            Measurement(
                                name: "speed, \(title), \(way.text): \(length.rawValue)", unit: unit,
                                runs: ours.map { $0[keyPath: figure] },
                                peer: .init(name: reference, runs: theirs.map { $0[keyPath: figure] })))
                    }
                }
            }
        }
        return figures
    }
}
