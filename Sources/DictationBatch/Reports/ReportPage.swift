import DictationCore
import DictationSystem
import FoundationEssentials

/// A report as a page that can be passed on: sums, plots and failures. It is one file without a script, and asks for nothing
/// else.
struct ReportPage {
    private let report: BatchReport

    init(_ report: BatchReport) { self.report = report }

    var html: String {
        let plots = [
            BarPlot("Speed", "seconds of audio for each second of work", report.speeds, .number("×")),
            BarPlot("Confidence", "the mean of a recording’s words", report.confidences, .percent),
            BarPlot("Length", "of the recordings", report.lengths, .time), overTime,
        ]
        let sections = [sums, groups] + plots.map { $0?.html ?? "" } + [pace, failures, about]
        return """
            <!DOCTYPE html>
            <html lang="en">
            <head>
            <meta charset="utf-8" />
            <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'" />
            <meta name="viewport" content="width=device-width, initial-scale=1" />
            <title>\(title)</title>
            <style>\(Self.style)</style>
            </head>
            <body>
            <h1>\(title)</h1>
            \(sections.filter { !$0.isEmpty }.joined(separator: "\n"))
            </body>
            </html>

            """
    }

    private var title: String { "Batch of \(report.total.items.counted("recording"))" }

    // MARK: Sums

    /// The sums of all recordings, in large numbers.
    private var sums: String {
        let total = report.total
        var cards = [
            ("\(total.items)", total.items == 1 ? "recording" : "recordings"),
            (Self.length(hours: total.hours), "of audio"),
            (BatchProgress.decimal(total.speed, 1) + "×", "real time"), ("\(total.failed)", "failed"),
        ]
        if total.withoutText > 0 { cards.append(("\(total.withoutText)", "without text")) }
        if let errors = total.wordErrors {
            cards.append(
                (BatchProgress.decimal(errors.percent, 2) + " %", "of \(errors.words.counted("word")) wrong"))
        }
        let items = cards.map { number, text in "<div><dt>\(text)</dt><dd>\(number)</dd></div>" }
        return "<dl class=\"sums\">\n" + items.joined(separator: "\n") + "\n</dl>"
    }

    private static func length(hours: Double) -> String {
        if hours >= 2 { return BatchProgress.decimal(hours, 1) + " h" }
        let seconds = hours * 3_600
        return seconds >= 120
            ? BatchProgress.decimal(seconds / 60, 0) + " min" : BatchProgress.decimal(seconds, 0) + " s"
    }

    /// The sums by the values of a member of the manifest.
    private var groups: String {
        guard !report.groups.isEmpty else { return "" }
        let rows = [("all", report.total)] + report.groups.sorted { $0.key < $1.key }.map { ($0, $1) }
        let hasErrors = report.total.wordErrors != nil
        let isShort = report.total.hours < 0.005
        let heads =
            ["", "recordings", "failed", isShort ? "seconds" : "hours", "speed"] + (hasErrors ? ["words wrong"] : [])
        let body = rows.map { name, totals in
            let cells = [
                "\(totals.items)", "\(totals.failed)", BatchProgress.decimal(totals.hours * (isShort ? 3_600 : 1), 2),
                BatchProgress.decimal(totals.speed, 1) + "×",
            ]
            let errors = totals.wordErrors.map { BatchProgress.decimal($0.percent, 2) + " %" } ?? "–"
            return "<tr><th scope=\"row\">\(name.visible.inMarkup())</th>"
                + (cells + (hasErrors ? [errors] : [])).map { "<td class=\"number\">\($0)</td>" }.joined() + "</tr>"
        }
        return "<h2>Groups</h2>\n<table><thead><tr>"
            + heads.map { "<th scope=\"col\" class=\"number\">\($0)</th>" }.joined()
            + "</tr></thead><tbody>\n" + body.joined(separator: "\n") + "\n</tbody></table>"
    }

    // MARK: Time

    /// Numbers of minutes that a reader finds easy.
    private static let steps = [1, 2, 5, 10, 15, 30, 60, 120, 180, 360, 720, 1_440, 2_880, 7_200, 14_400]
    /// The first minute with a result, and the number of minutes until the last.
    private var span: (first: Int, minutes: Int)? {
        guard let first = report.minutes.keys.min(), let last = report.minutes.keys.max() else { return nil }
        return (first, last - first + 1)
    }

    /// The results of up to 60 equal times; `nil` if there are too few times to compare.
    private var overTime: BarPlot? {
        guard let (first, minutes) = span, minutes > 4 else { return nil }
        let day = 1_440
        let step = Self.steps.first { minutes <= $0 * 60 } ?? (minutes / 60 / day + 1) * day
        var bars: [BarPlot.Bar] = Array(repeating: (0, 0), count: (minutes - 1) / step + 1)
        for (minute, counts) in report.minutes {
            bars[(minute - first) / step].done += counts.done
            bars[(minute - first) / step].failed += counts.failed
        }
        let every = (Self.steps.first { bars.count * step <= $0 * 8 && $0 % step == 0 } ?? step * bars.count) / step
        let labels = stride(from: 0, through: bars.count, by: max(1, every)).map { place in
            (place: place, text: Self.clock(minutes: place * step))
        }
        return BarPlot(
            title: "Results", explanation: "in each \(Self.clock(minutes: step)) since \(Self.date(first))", bars: bars,
            labels: labels)
    }

    /// When the results came, for a batch that was so short that a plot would show nothing.
    private var pace: String {
        guard let (first, minutes) = span, minutes <= 4 else { return "" }
        return "<p>All results came within \(minutes.counted("minute")) of \(Self.date(first)).</p>"
    }

    private static func clock(minutes: Int) -> String {
        if minutes == 0 { return "0" }
        let days = minutes / 1_440
        if minutes % 1_440 == 0 { return days == 1 ? "1 day" : "\(days) days" }
        return minutes % 60 == 0 ? "\(minutes / 60) h" : "\(minutes) min"
    }

    private static func date(_ minute: Int) -> String {
        let date = Date(timeIntervalSince1970: Double(max(0, min(minute, 1 << 32))) * 60)
        return date.ISO8601Format().replacing("T", with: " ").prefix(16) + " UTC"
    }

    // MARK: Failures and settings

    private var failures: String {
        guard !report.failures.isEmpty else { return "" }
        let rows = report.failures.map {
            "<tr><td>\($0.id.visible.inMarkup())</td><td>\($0.error.visible.inMarkup())</td></tr>"
        }
        let more = report.total.failed - report.failures.count
        return "<h2>\(report.total.failed.counted("recording")) failed</h2>\n"
            + "<table><thead><tr><th scope=\"col\">recording</th><th scope=\"col\">reason</th></tr></thead><tbody>\n"
            + rows.joined(separator: "\n") + "\n</tbody></table>" + (more > 0 ? "\n<p>And \(more) more.</p>" : "")
    }

    private var about: String {
        let settings = report.settings
        let lines = [
            ("Engine", settings.engine), ("Model", settings.model), ("SHA-256 of the model", settings.modelHash),
            ("Language", settings.locale.identifier), ("List", settings.manifest),
        ]
        let items = lines.compactMap { name, value in value.map { "<dt>\(name)</dt><dd>\($0.visible.inMarkup())</dd>" }
        }
        return "<h2>Settings</h2>\n<dl class=\"about\">\n" + items.joined(separator: "\n") + "\n</dl>"
    }
}

extension Int {
    /// The number and the word, in the plural unless the number is one.
    func counted(_ word: String) -> String { self == 1 ? "1 \(word)" : "\(self) \(word)s" }
}
