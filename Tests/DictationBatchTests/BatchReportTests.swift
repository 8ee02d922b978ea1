import DictationCore
import DictationTesting
import Foundation
import TestSupport
import Testing

@testable import DictationBatch

struct BatchReportTests {
    /// Somebody may divide a report by the names of a million items.
    @Test func aThousandGroupsAreEnough() {
        let settings = BatchSettings(engine: "scripted", manifest: "list")
        let result = BatchResult(item: BatchItem(path: "a"), transcript: Transcript(), workTime: .seconds(1))
        let record = BatchRecord(result, settings: settings, time: 0)
        var report = BatchReport(settings)
        for item in 0..<1_200 { report.add(record, group: "\(item)") }
        report.add(record, group: "7")
        #expect(report.groups.count == 1_001 && report.groups["…"]?.items == 200 && report.groups["7"]?.items == 2)
    }

    /// A report of items with these lengths in seconds, each done 20 times as fast, at these times in seconds.
    private func report(
        _ lengths: [Double], at times: [Int64] = [], failed: Set<Int> = [], silent: Set<Int> = []
    ) -> BatchReport {
        let settings = BatchSettings(engine: "scripted", manifest: "list")
        var report = BatchReport(settings)
        for (index, length) in lengths.enumerated() {
            let error = failed.contains(index) ? DictationError(.engineFailed, "It broke.") : nil
            let text = SpeechResult(range: .zero..<Duration.seconds(length), text: "words")
            let transcript = Transcript(
                segments: silent.contains(index) ? [] : [text], duration: .seconds(length), error: error)
            let result = BatchResult(
                item: BatchItem(path: "\(index).wav"), transcript: transcript, workTime: .seconds(length / 20))
            let time = index < times.count ? times[index] : 0
            report.add(BatchRecord(result, settings: settings, time: 1_700_000_000 + time), group: nil)
        }
        return report
    }

    /// The texts beside the axes of a plot, and its numbers of items.
    private func axes(_ title: String, _ report: BatchReport) throws -> (texts: Set<Substring>, counts: [Int]) {
        let plot = try #require(
            ReportPage(report).html.components(separatedBy: "<figure>").first { $0.contains("<b>\(title)") })
        let texts = plot.matches(of: /<text[^>]*>([^<]*)</).map(\.1)
        return (Set(texts), plot.matches(of: /<title>(\d+)</).compactMap { Int($0.1) })
    }

    @Test func theAxesFitTheItems() throws {
        let short = try axes("Length", report([2, 2.5, 3, 4]))
        #expect(short.texts.isSuperset(of: ["0 s", "10 s"]) && short.counts.reduce(0, +) == 4)
        let long = try axes("Length", report([600, 900, 7_000, 30]))
        #expect(long.texts.isSuperset(of: ["0 min", "110 min"]) && long.counts.reduce(0, +) == 4)
        // No room is left for lengths that no recording has.
        #expect(try axes("Length", report([3_600, 3_700, 3_800])).texts.contains("60 min"))
        #expect(try axes("Length", report([3_600, 3_700, 3_800])).texts.isDisjoint(with: ["0 min", "0 s", "0 h"]))
        let speed = try axes("Speed", report([2, 3]))
        #expect(speed.texts.contains("20.0×") && !speed.texts.contains { $0.hasPrefix("200") })
    }

    @Test(arguments: RandomRuns.seeds(20)) func aHistogramHasAPlaceForEachValue(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let scale: PlotScale = seed % 2 == 0 ? .time : .number("×")
        let values = (0..<200).map { _ in pow(10, Double.random(in: -2...6, using: &random)) }
        func histogram(_ values: [Double]) -> BatchReport.Histogram {
            var histogram = BatchReport.Histogram(from: 0, width: seed % 2 == 0 ? 1 : 0.1, count: 120)
            for value in values + [.infinity, .nan] { histogram.add(value, scale: scale) }
            return histogram
        }
        let whole = histogram(values)
        #expect(whole.counts.reduce(0, +) == 200)
        // The order of the items does not matter.
        #expect(histogram(values.sorted()).counts == whole.counts)
        let shown = try #require(whole.shown(atMost: 24, scale: scale))
        #expect(shown.counts.count <= 24 && shown.counts.reduce(0, +) == 200 && scale.isNice(shown.width))
        for (index, count) in shown.counts.enumerated() where count > 0 {
            let lower = shown.start + shown.width * Double(index)
            let range = lower * 0.999...(lower + shown.width) * 1.001
            #expect(values.contains { range.contains($0) })
        }
    }

    @Test func oneIsWrittenInTheSingular() {
        let page = ReportPage(report([14])).html
        #expect(page.contains("<h1>Batch of 1 recording</h1>") && page.contains("<dt>recording</dt><dd>1</dd>"))
        #expect(page.contains("All results came within 1 minute of 2023-11-14 22:13 UTC."))
        #expect(page.contains("<dt>of audio</dt><dd>14 s</dd>"))
        #expect(report([14]).total.line == "1 item, 14 s, 20.0× real time")
        #expect(ReportPage(report([1, 2], failed: [1])).html.contains("<h2>1 recording failed</h2>"))
    }

    /// A batch whose microphone was muted looks like any other otherwise.
    @Test func recordingsWithoutTextAreCounted() {
        let report = report([1, 2, 3], failed: [0], silent: [0, 1])
        #expect(report.total.line == "3 items, 6.0 s, 20.0× real time, 1 failed, 1 without text")
        #expect(ReportPage(report).html.contains("<dt>without text</dt><dd>1</dd>"))
        #expect(!ReportPage(self.report([1])).html.contains("without text"))
    }

    @Test func resultsOverTimeHaveTheirTimesAndFailures() throws {
        let report = report(Array(repeating: 5, count: 90), at: (0..<90).map { $0 * 60 }, failed: [3, 80])
        let plot = try axes("Results", report)
        #expect(plot.texts.isSuperset(of: ["0", "30 min", "1 h", "90 min"]) && plot.counts.reduce(0, +) == 90)
        let page = ReportPage(report).html
        #expect(page.contains("became text") && page.contains("class=\"failed\""))
        #expect(page.contains("in each 2 min since 2023-11-14 22:13 UTC"))
        #expect(page.contains("prefers-color-scheme: dark") && !page.contains("<script"))
        #expect(!ReportPage(self.report([5])).html.contains("became text"))
    }
}
