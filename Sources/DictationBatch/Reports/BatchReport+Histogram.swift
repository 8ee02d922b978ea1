extension BatchReport {
    /// How often values fall into ranges of equal width.
    public struct Histogram: Sendable, Hashable, Codable {
        /// The first value of the first range.
        public let start: Double
        /// The width of a range. It grows with the values.
        public private(set) var width: Double
        /// The number of values in each range. The first also has the values below it.
        public private(set) var counts: [Int]

        init(from start: Double, width: Double, count: Int) {
            self.start = start
            self.width = width
            counts = Array(repeating: 0, count: max(1, count))
        }

        /// Adds a value. One beyond the last range makes the ranges wider, until it has a place.
        mutating func add(_ value: Double, scale: PlotScale) {
            guard value.isFinite else { return }
            while value >= start + width * Double(counts.count) { join(scale.factor(after: width)) }
            counts[Int(max(0, ((value - start) / width).rounded(.down)))] += 1
        }

        private mutating func join(_ factor: Int) {
            let joined = joined(factor)
            counts = joined + Array(repeating: 0, count: counts.count - joined.count)
            width *= Double(factor)
        }

        /// Returns the counts of ranges that are wider by a factor.
        private func joined(_ factor: Int) -> [Int] {
            stride(from: 0, to: counts.count, by: factor).map { first in
                counts[first..<min(counts.count, first + factor)].reduce(0, +)
            }
        }

        /// Returns the ranges that have values, with some around them if these are few; `nil` if there are no values.
        ///
        /// - Parameters:
        ///   - limit: The greatest number of ranges. They get wider to be as few.
        ///   - scale: Which widths a reader finds easy.
        func shown(atMost limit: Int, scale: PlotScale) -> Histogram? {
            for factor in 1...counts.count where scale.isNice(width * Double(factor)) {
                let joined = joined(factor)
                guard let first = joined.firstIndex(where: { $0 > 0 }), let last = joined.lastIndex(where: { $0 > 0 })
                else { return nil }
                guard last - first < limit else { continue }
                let fewest = min(limit, joined.count, 10)
                let lower = max(0, min(first, (first + last + 1 - fewest) / 2, joined.count - fewest))
                let upper = max(last + 1, lower + fewest)
                let width = width * Double(factor)
                var shown = Histogram(from: start + width * Double(lower), width: width, count: 1)
                shown.counts = Array(joined[lower..<upper])
                return shown
            }
            return nil
        }
    }
}

/// How an axis counts: which steps a reader finds easy, and how values are written.
enum PlotScale {
    /// Numbers, with a sign after them.
    case number(String)
    /// Parts of one, in percent.
    case percent
    /// Seconds, which are written as seconds, minutes or hours.
    case time

    private static let times: [Double] = [1, 2, 10, 30, 60, 120, 600, 1_800, 3_600]

    /// Returns the whole number by which a width of ranges grows to the next one.
    func factor(after width: Double) -> Int {
        switch self {
        case .time:
            guard let index = Self.times.firstIndex(of: width), index + 1 < Self.times.count else { return 2 }
            return Int(Self.times[index + 1] / width)
        case .number, .percent: return Self.mantissa(of: width) == 2 ? 5 : 2
        }
    }

    func isNice(_ width: Double) -> Bool {
        switch self {
        case .time where width >= 60:
            [60, 120, 300, 600, 900, 1_800].contains(width) || width.remainder(dividingBy: 3_600) == 0
        case .time: [1, 2, 5, 10, 15, 30].contains(width)
        case .number, .percent: Self.mantissa(of: width) != nil
        }
    }

    /// Returns a value as it is written at an axis whose steps have the given width.
    func label(_ value: Double, step: Double) -> String {
        func text(_ value: Double, _ step: Double) -> String {
            BatchProgress.decimal(value, step >= 1 ? 0 : step >= 0.1 ? 1 : 2)
        }
        return switch self {
        case .number(let unit): text(value, step) + unit
        case .percent: text(value * 100, step * 100) + " %"
        case .time where step >= 3_600: text(value / 3_600, step / 3_600) + " h"
        case .time where step >= 60: text(value / 60, step / 60) + " min"
        case .time: text(value, step) + " s"
        }
    }

    /// Returns 1, 2 or 5 for a width that is this times a power of ten.
    private static func mantissa(of width: Double) -> Int? {
        var rest = width
        while rest >= 9.99 { rest /= 10 }
        while rest > 0, rest < 0.999 { rest *= 10 }
        return [1, 2, 5].first { abs(rest - Double($0)) < 0.001 }
    }
}
