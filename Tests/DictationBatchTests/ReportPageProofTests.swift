import DictationCore
import Foundation
import TestSupport
import Testing

@testable import DictationBatch

struct ReportPageProofTests {
    /// A report of items whose names try to break the page.
    private static func page() -> String {
        var report = BatchReport(
            BatchSettings(engine: "<script>", model: "a & b", modelHash: "0af1", manifest: "/x/<b>.jsonl"))
        for index in 0..<200 {
            let failed = index % 10 == 0
            let segments = [
                SpeechResult(
                    range: .zero..<(.seconds(2)), text: "one", words: [.init("one", confidence: Double(index) / 200)])
            ]
            let transcript = Transcript(
                segments: failed ? [] : segments, duration: .milliseconds(index * 300),
                error: failed ? DictationError(.engineFailed, "<img src=x onerror=alert(1)> & \u{202E}") : nil)
            var item = BatchItem(path: "</td><script>alert(\(index))</script>")
            item.id += "\(index)"
            item.reference = "one two"
            let result = BatchResult(item: item, transcript: transcript, workTime: .milliseconds(index * 7 + 1))
            report.add(
                BatchRecord(result, settings: report.settings, time: 1_700_000_000 + Int64(index * 40)),
                group: index % 2 == 0 ? "<even>" : "odd")
        }
        return ReportPage(report).html
    }

    @Test(arguments: ["light", "dark"]) func theReportOpensOffline(scheme: String) async throws {
        let folder = try PageFolder()
        let address = try folder.save(Data(Self.page().utf8), as: "report.html")
        let browser = try await Browser.open(address, in: folder, scheme: scheme)
        #expect(browser.complaints.isEmpty, "\(browser.complaints)")
        #expect(try await browser.value("document.querySelectorAll('script, img, link, iframe').length") == 0)
        #expect(try await browser.value("document.querySelectorAll('figure svg').length") == 4)
        let heads: [String] = try await browser.value(
            "[...document.querySelectorAll('tbody th')].map(cell => cell.textContent)")
        #expect(heads == ["all", "<even>", "odd"])
        let sums: [String] = try await browser.value(
            "[...document.querySelectorAll('tbody tr:first-child td.number')].map(cell => cell.textContent)")
        #expect(sums == ["200", "20", "1.66", "42.8×", "50.00 %"])
        let failures: Int = try await browser.value("document.querySelectorAll('table:last-of-type tbody tr').length")
        #expect(failures == 20)
        // Each bar lies in its plot, and all bars together are all items.
        let bars: [Int] = try await browser.value(
            """
            [...document.querySelectorAll("svg")].map(plot => [...plot.querySelectorAll("rect")].reduce((sum, bar) => {
              const [inner, outer] = [bar.getBoundingClientRect(), plot.getBoundingClientRect()];
              const fits = inner.left >= outer.left - 1 && inner.right <= outer.right + 1
                && inner.top >= outer.top - 1 && inner.bottom <= outer.bottom + 1;
              return sum + (fits ? Number(bar.textContent) : NaN);
            }, 0))
            """)
        #expect(bars == [180, 180, 180, 200])
        #expect(try await browser.value("document.documentElement.scrollWidth <= 800"))
    }
}
