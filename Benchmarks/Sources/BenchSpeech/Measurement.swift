import FoundationEssentials

/// The result of a benchmark: the figure of each run, and the figures of a peer for comparison.
package struct Measurement: Codable {
    /// The other side of a comparison, measured in turns with this side.
    package struct Peer: Codable {
        package var name: String
        package var runs: [Double]

        package init(name: String, runs: [Double]) {
            self.name = name
            self.runs = runs
        }
    }

    package var name: String
    package var unit: String
    package var runs: [Double]
    package var peer: Peer?

    package init(name: String, unit: String, runs: [Double], peer: Peer? = nil) {
        self.name = name
        self.unit = unit
        self.runs = runs
        self.peer = peer
    }

    /// Our median divided by the peer's median.
    package var ratio: Double? {
        guard let peer, peer.runs.median > 0 else { return nil }
        return runs.median / peer.runs.median
    }

    /// Measures both sides in turns, so that a slow machine slows both.
    package static func inTurns(
        _ name: String, _ unit: String, runs: Int, against peer: String, ours: () async throws -> Double,
        theirs: () async throws -> Double
    ) async throws -> Measurement {
        var (own, other): ([Double], [Double]) = ([], [])
        for _ in 0..<runs {
            own.append(try await ours())
            other.append(try await theirs())
        }
        return Measurement(name: name, unit: unit, runs: own, peer: Peer(name: peer, runs: other))
    }
}

extension Encodable {
    /// Writes the value as JSON that people can read.
    package func writeJSON(to file: URL) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        try encoder.encode(self).write(to: file)
    }
}

extension [Double] {
    package var median: Double { part(0.5) }

    /// Returns the figure below which this share of all figures lies.
    package func part(_ part: Double) -> Double {
        guard !isEmpty else { return 0 }
        let sorted = sorted()
        let place = part * Double(count - 1)
        let (low, high) = (sorted[Int(place)], sorted[Swift.min(count - 1, Int(place) + 1)])
        return low + (high - low) * (place - place.rounded(.down))
    }
}
