/// Bars with two axes, as SVG. It is drawn in the colors of its page.
struct BarPlot {
    /// A bar: how many items became text, and how many failed.
    typealias Bar = (done: Int, failed: Int)

    let title: String
    /// What an item's place in the plot means.
    let explanation: String
    let bars: [Bar]
    /// The labels below the edges of bars, by the number of bars before them.
    let labels: [(place: Int, text: String)]

    private static let (width, height) = (640.0, 150.0)
    /// The room for the numbers beside the plot, above it and below it.
    private static let (left, top, bottom) = (48.0, 18.0, 24.0)
    /// The width of a digit.
    private static let digit = 7.0

    var html: String {
        let hasFailures = bars.contains { $0.failed > 0 }
        let legend =
            hasFailures
            ? " <span class=\"key\"></span> became text <span class=\"failed key\"></span> failed" : ""
        return """
            <figure>
            <figcaption><b>\(title)</b>, \(explanation)\(legend)</figcaption>
            <svg viewBox="0 0 \(Self.number(Self.left + Self.width + 24)) \(Self.number(Self.top + Self.height + Self.bottom))" role="img" aria-label="\(title), \(explanation): \(words)">
            \((countAxis + valueAxis + shapes).joined(separator: "\n"))
            </svg>
            </figure>
            """
    }

    /// The plot for a reader who does not see it.
    private var words: String {
        let highest = bars.indices.max { total(bars[$0]) < total(bars[$1]) } ?? 0
        let label = labels.last { $0.place <= highest }?.text ?? ""
        return "the highest of \(bars.count) bars has \(bars.isEmpty ? 0 : total(bars[highest])) items, from \(label)"
    }

    private func total(_ bar: Bar) -> Int { bar.done + bar.failed }
    private var pitch: Double { Self.width / Double(max(1, bars.count)) }
    /// The distance of the lines, and the number at the top line.
    private var counts: (step: Int, top: Int) {
        let most = max(1, bars.map(total).max() ?? 1)
        var step = 1
        // 1, 2, 5, 10, 20 …
        while step * 4 < most { step = "\(step)".hasPrefix("2") ? step / 2 * 5 : step * 2 }
        return (step, (most + step - 1) / step * step)
    }

    private func y(_ count: Int) -> Double {
        Self.top + Self.height * (1 - Double(count) / Double(counts.top))
    }

    private var countAxis: [String] {
        stride(from: 0, through: counts.top, by: counts.step).map { count in
            let place = Self.number(y(count))
            return "<path d=\"M\(Self.number(Self.left)) \(place)h\(Self.number(Self.width))\" />"
                + "<text x=\"\(Self.number(Self.left - 8))\" y=\"\(Self.number(y(count) + 4))\" text-anchor=\"end\">\(count)</text>"
        }
    }

    private var valueAxis: [String] {
        labels.map { label in
            let x = Self.number(Self.left + Double(label.place) * pitch)
            return "<path d=\"M\(x) \(Self.number(Self.top + Self.height))v5\" />"
                + "<text x=\"\(x)\" y=\"\(Self.number(Self.top + Self.height + 18))\" text-anchor=\"middle\">\(label.text)</text>"
        }
    }

    private var shapes: [String] {
        let gap = min(3, pitch * 0.15)
        let hasRoom = bars.count <= 24 && bars.allSatisfy { Double("\(total($0))".utf8.count) * Self.digit < pitch }
        return bars.enumerated().flatMap { index, bar -> [String] in
            let x = Self.left + Double(index) * pitch
            func shape(_ count: Int, from lower: Int, _ style: String) -> String? {
                guard count > 0 else { return nil }
                return "<rect\(style) x=\"\(Self.number(x + gap / 2))\" y=\"\(Self.number(y(lower + count)))\" "
                    + "width=\"\(Self.number(pitch - gap))\" height=\"\(Self.number(y(lower) - y(lower + count)))\">"
                    + "<title>\(count)</title></rect>"
            }
            let count =
                hasRoom && total(bar) > 0
                ? "<text x=\"\(Self.number(x + pitch / 2))\" y=\"\(Self.number(y(total(bar)) - 5))\" text-anchor=\"middle\">\(total(bar))</text>"
                : nil
            return [shape(bar.done, from: 0, ""), shape(bar.failed, from: bar.done, " class=\"failed\""), count]
                .compactMap(\.self)
        }
    }

    private static func number(_ value: Double) -> String { BatchProgress.decimal(value, 2) }
}

extension BarPlot {
    /// A plot of a histogram; `nil` if it has no values.
    init?(_ title: String, _ explanation: String, _ histogram: BatchReport.Histogram, _ scale: PlotScale) {
        guard let shown = histogram.shown(atMost: 24, scale: scale) else { return nil }
        let every = [1, 2, 5].first { shown.counts.count <= $0 * 12 } ?? shown.counts.count
        // Labels have round numbers, wherever the first bar begins.
        let before = Int(((shown.start - histogram.start) / shown.width).rounded())
        let places = (0...shown.counts.count).filter { (before + $0).isMultiple(of: every) }
        self.init(
            title: title, explanation: explanation, bars: shown.counts.map { ($0, 0) },
            labels: places.map {
                ($0, scale.label(shown.start + shown.width * Double($0), step: shown.width))
            })
    }
}
