import DictationCore

/// A stretch of speech as cepstra, with the time of each frame.
struct SphinxUtterance: Sendable {
    /// The frames, one after another.
    var cepstra: [Float] = []
    /// The time when each frame begins. The times jump where silence was left out.
    private(set) var starts: [Duration] = []
    /// The sum of the frames.
    private(set) var sum = CepstralSum()
    let width: Int
    /// The time from the start of one frame to the start of the next.
    private let spacing: Duration

    init(width: Int, spacing: Duration) {
        self.width = width
        self.spacing = spacing
    }

    var count: Int { starts.count }

    /// Returns the time range of some frames.
    func range(of frames: Range<Int>) -> Range<Duration> {
        guard let last = starts.indices.last else { return .zero..<(.zero) }
        let lower = starts[min(last, max(0, frames.lowerBound))]
        let upper = starts[min(last, max(0, frames.upperBound - 1))] + spacing
        return lower..<max(lower, upper)
    }

    /// The time range of the utterance.
    var range: Range<Duration> { range(of: 0..<count) }

    /// Returns the cepstra of some frames.
    func frames(_ range: Range<Int>) -> ArraySlice<Float> {
        let inside = range.clamped(to: 0..<count)
        return cepstra[(inside.lowerBound * width)..<(inside.upperBound * width)]
    }

    /// Adds the start times of the frames that were just appended to `cepstra`.
    mutating func place(_ starts: [Duration]) {
        for start in starts {
            self.starts.append(start)
            sum.add(cepstra[((count - 1) * width)..<(count * width)])
        }
    }

    /// Removes the frames from `index` on and returns them as a new utterance.
    mutating func split(at index: Int) -> SphinxUtterance {
        var rest = SphinxUtterance(width: width, spacing: spacing)
        var head = rest
        for frame in 0..<count {
            if frame < index { head.append(frame, of: self) } else { rest.append(frame, of: self) }
        }
        self = head
        return rest
    }

    private mutating func append(_ frame: Int, of other: SphinxUtterance) {
        cepstra.append(contentsOf: other.frames(frame..<(frame + 1)))
        place([other.starts[frame]])
    }

    /// Returns the frame in the quietest part of a range, where a cut is the least likely to split a word.
    func quietest(in range: Range<Int>) -> Int {
        let inside = range.clamped(to: 0..<count)
        let half = 5
        var best = (level: Float.infinity, index: inside.upperBound)
        for middle in inside {
            let window = max(0, middle - half)..<min(count, middle + half + 1)
            var level: Float = 0
            for frame in window { level += cepstra[frame * width] }
            level /= Float(window.count)
            if level < best.level { best = (level, middle) }
        }
        return best.index
    }
}

/// A sum of cepstra, from which their mean is computed.
struct CepstralSum: Sendable {
    private(set) var total: [Double] = []
    private(set) var count = 0.0

    init() {}

    /// Creates the sum of `count` frames with the mean `mean`.
    init(mean: [Float], count: Double) {
        total = mean.map { Double($0) * count }
        self.count = count
    }

    mutating func add(_ frame: ArraySlice<Float>) {
        if total.isEmpty { total = Array(repeating: 0, count: frame.count) }
        for (index, value) in zip(total.indices, frame) { total[index] += Double(value) }
        count += 1
    }

    static func + (a: CepstralSum, b: CepstralSum) -> CepstralSum {
        guard a.count > 0 else { return b }
        guard b.count > 0 else { return a }
        var sum = a
        for (index, value) in zip(sum.total.indices, b.total) { sum.total[index] += value }
        sum.count += b.count
        return sum
    }

    /// Returns a sum with the same mean that stands for at most `limit` frames.
    func limited(to limit: Double) -> CepstralSum {
        guard count > limit, count > 0 else { return self }
        var sum = self
        sum.total = total.map { $0 * limit / count }
        sum.count = limit
        return sum
    }

    var mean: [Float] { total.map { count > 0 ? Float($0 / count) : 0 } }
}
