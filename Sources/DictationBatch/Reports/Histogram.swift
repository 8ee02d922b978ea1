/// How often values fall into ranges of equal width.
public struct Histogram: Sendable, Hashable, Codable {
    /// The first value of the first range.
    public let start: Double
    /// The width of a range.
    public let width: Double
    /// The number of values in each range. The first and last also have the values beyond them.
    public private(set) var counts: [Int]

    init(from start: Double, width: Double, count: Int) {
        self.start = start
        self.width = width
        counts = Array(repeating: 0, count: max(1, count))
    }

    mutating func add(_ value: Double) {
        let index = ((value - start) / width).rounded(.down)
        counts[index.isNaN ? 0 : Int(min(Double(counts.count - 1), max(0, index)))] += 1
    }
}
