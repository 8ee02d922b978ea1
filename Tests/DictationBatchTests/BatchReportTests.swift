import DictationCore
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
}
