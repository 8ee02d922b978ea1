import DictationCore

/// A report as a page: sums, plots and failures. It is one file without a script, and asks for nothing else.
struct ReportPage {
    private let report: BatchReport

    init(_ report: BatchReport) { self.report = report }

    var html: String {
        let sections = [
            table("Sums", rows: [("all", report.total)] + report.groups.sorted { $0.key < $1.key }.map { ($0, $1) }),
            plot("Speed", "seconds of audio for each second of work", report.speeds),
            plot("Confidence", "mean of an item's words", report.confidences),
            plot("Length", "seconds", report.lengths),
            overTime, failures,
        ]
        return """
            <!DOCTYPE html>
            <html lang="en">
            <head>
            <meta charset="utf-8" />
            <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'" />
            <meta name="viewport" content="width=device-width, initial-scale=1" />
            <title>Batch of \(report.total.items) recordings</title>
            <style>\(Self.style)</style>
            </head>
            <body>
            <h1>Batch of \(report.total.items) recordings</h1>
            <p>\(about)</p>
            \(sections.joined(separator: "\n"))
            </body>
            </html>

            """
    }

    private static let style = """
        :root { color-scheme: light dark; }
        body { margin: 0 auto; padding: 1.5rem; max-width: 46rem; font: 1rem/1.5 system-ui, sans-serif; }
        table { border-collapse: collapse; } caption { text-align: start; font-weight: bold; }
        th, td { padding: .2rem .8rem .2rem 0; text-align: start; font-weight: normal; overflow-wrap: anywhere; }
        td.number { text-align: end; font-variant-numeric: tabular-nums; }
        svg { display: block; width: 100%; height: auto; } figure { margin: 1.5rem 0; } figcaption { font-weight: bold; }
        rect { fill: #37719f; } rect.failed { fill: #c2513b; } text { fill: currentColor; font-size: 12px; }
        """

    private var about: String {
        let settings = report.settings
        let model = settings.model.map { ", model \($0)" } ?? ""
        let hash = settings.modelHash.map { " (SHA-256 \($0.prefix(16))…)" } ?? ""
        return "\(settings.engine)\(model)\(hash), \(settings.locale.identifier), \(settings.manifest)".inPage
    }

    private func table(_ title: String, rows: [(String, BatchReport.Totals)]) -> String {
        let hasErrors = rows.contains { $0.1.wordErrors != nil }
        let heads = ["", "items", "failed", "hours", "speed"] + (hasErrors ? ["words wrong"] : [])
        let body = rows.map { name, totals in
            let cells = [
                "\(totals.items)", "\(totals.failed)", BatchProgress.decimal(totals.hours, 2),
                BatchProgress.decimal(totals.speed, 1) + "×",
            ]
            let errors = totals.wordErrors.map { BatchProgress.decimal($0.percent, 2) + " %" } ?? "–"
            return "<tr><th scope=\"row\">\(name.inPage)</th>"
                + (cells + (hasErrors ? [errors] : [])).map { "<td class=\"number\">\($0)</td>" }.joined() + "</tr>"
        }
        return "<table><caption>\(title)</caption><thead><tr>" + heads.map { "<th scope=\"col\">\($0)</th>" }.joined()
            + "</tr></thead><tbody>\n" + body.joined(separator: "\n") + "\n</tbody></table>"
    }

    // MARK: Plots

    private static let (width, height) = (640.0, 160.0)

    /// A plot; nothing if no item has a value, as where the engine tells no confidence.
    private func plot(_ title: String, _ unit: String, _ histogram: Histogram) -> String {
        guard histogram.counts.contains(where: { $0 > 0 }) else { return "" }
        let last = histogram.start + histogram.width * Double(histogram.counts.count)
        let labels = (BatchProgress.decimal(histogram.start, 0), "\(BatchProgress.decimal(last, 0)) and more")
        return figure(title, unit, histogram.counts.map { ($0, 0) }, labels)
    }

    /// The items of up to 60 equal times from the first to the last result.
    private var overTime: String {
        guard let first = report.minutes.keys.min(), let last = report.minutes.keys.max() else { return "" }
        let step = (last - first) / 60 + 1
        var bars = Array(repeating: (done: 0, failed: 0), count: (last - first) / step + 1)
        for (minute, counts) in report.minutes {
            let index = (minute - first) / step
            bars[index].done += counts.done
            bars[index].failed += counts.failed
        }
        let labels = ("begin", "\(last - first + 1) minutes later")
        return figure("Results over time", "failed ones in red", bars.map { ($0.done, $0.failed) }, labels)
    }

    private func figure(
        _ title: String, _ unit: String, _ bars: [(done: Int, failed: Int)], _ labels: (String, String)
    ) -> String {
        let most = bars.map { $0.done + $0.failed }.max() ?? 0
        let width = Self.width / Double(max(1, bars.count))
        let shapes = bars.enumerated().flatMap { index, bar -> [String] in
            let done = Self.height * Double(bar.done) / Double(max(1, most))
            let failed = Self.height * Double(bar.failed) / Double(max(1, most))
            return [
                (bar.done, done, Self.height - done, ""),
                (bar.failed, failed, Self.height - done - failed, " class=\"failed\""),
            ]
            .filter { $0.0 > 0 }.map { count, height, top, style in
                "<rect\(style) x=\"\(Self.number(Double(index) * width))\" y=\"\(Self.number(top))\" "
                    + "width=\"\(Self.number(width * 0.9))\" height=\"\(Self.number(height))\"><title>\(count)</title></rect>"
            }
        }
        return """
            <figure>
            <figcaption>\(title), \(unit)</figcaption>
            <svg viewBox="0 0 \(Self.number(Self.width)) \(Self.number(Self.height + 20))" role="img" aria-label="\(title): at most \(most) items in a bar">
            \(shapes.joined(separator: "\n"))
            <text x="0" y="\(Self.number(Self.height + 15))">\(labels.0)</text>
            <text x="\(Self.number(Self.width))" y="\(Self.number(Self.height + 15))" text-anchor="end">\(labels.1)</text>
            </svg>
            </figure>
            """
    }

    private static func number(_ value: Double) -> String { BatchProgress.decimal(value, 2) }

    private var failures: String {
        guard !report.failures.isEmpty else { return "" }
        let rows = report.failures.map { "<tr><td>\($0.id.inPage)</td><td>\($0.error.inPage)</td></tr>" }
        let more = report.total.failed - report.failures.count
        return "<table><caption>Failures</caption><tbody>\n" + rows.joined(separator: "\n") + "\n</tbody></table>"
            + (more > 0 ? "\n<p>And \(more) more.</p>" : "")
    }
}

extension String {
    /// The text for an element of a page.
    fileprivate var inPage: String {
        visible.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
    }
}
