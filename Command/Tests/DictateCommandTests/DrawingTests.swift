import DictationCore
import Testing

@testable import DictateCommand

@Suite struct DrawingTests {
    @Test func aPanelNeverHasMoreLinesThanThereIsRoomFor() {
        let long = LivePanel.Line(text: String(repeating: "word ", count: 200), style: .dim, wraps: true)
        let last = LivePanel.Line(text: "● 0:07 listening")
        let lines = layOut([long, last], columns: 20, rows: 5)
        #expect(lines.count == 5)
        #expect(lines.last?.text == "● 0:07 listening")
        #expect(lines.dropLast().allSatisfy { $0.style == .dim })
        #expect(layOut([long, last], columns: 1, rows: 1).count == 1)
    }

    @Test func textThatMayStillChangeIsDimmed() {
        let line = LivePanel.Line(text: "buy milk and bread", style: .dim, wraps: true, plainCount: 7)
        #expect(line.drawn == "buy milk \u{1B}[2mand bread\u{1B}[0m")
        let rows = layOut([line], columns: 9, rows: 5)
        #expect(rows.map(\.drawn) == ["buy milk", "\u{1B}[2mand\u{1B}[0m", "\u{1B}[2mbread\u{1B}[0m"])
        #expect(layOut([line], columns: 9, rows: 1).map(\.drawn) == ["\u{1B}[2mbread\u{1B}[0m"])
        var stable = line
        stable.plainCount = 15
        #expect(stable.drawn == "buy milk and bread")
    }

    @Test func aLineThatIsTooLongShowsItsBeginning() {
        let line = LivePanel.Line(text: "50 %  a-recording-with-a-long-name.wav 日本")
        #expect(layOut([line], columns: 21, rows: 5).map(\.text) == ["50 %  a-recording-wi"])
        #expect(layOut([line], columns: 43, rows: 5).map(\.text) == ["50 %  a-recording-with-a-long-name.wav 日"])
    }

    @Test func theInvitationToSpeakComesWithTheFirstAudio() {
        var shown = DictationSession.Snapshot(state: .recording)
        #expect(LiveView.words(for: shown) == "opening the microphone…")
        shown.isEngineReady = true
        #expect(LiveView.words(for: shown) == "opening the microphone…")
        shown.apply(DictationEvent(take: shown.take, elapsed: .milliseconds(20), kind: .level(.silence)))
        #expect(LiveView.words(for: shown).hasPrefix("listening"))
        shown.isEngineReady = false
        #expect(LiveView.words(for: shown).contains("speak already"))
    }

    @Test func nothingOnTheScreenCommandsTheTerminal() {
        #expect(printable("a\u{1B}[2Jb\u{9B}c\nd\u{7F}") == #"a\u{1b}[2Jb\u{9b}c\u{a}d\u{7f}"#)
        #expect(printable("a\tb\u{202E}c", keeping: "\t") == "a\tb\\u{202e}c")
        let line = LivePanel.Line(text: "x\u{1B}]0;title\u{7}y")
        #expect(layOut([line], columns: 80, rows: 3).allSatisfy { !$0.text.contains("\u{1B}") })
    }

    @Test(arguments: [(0.0, 0), (0.5, 5), (1.0, 10), (7, 10), (-1, 0), (.nan, 0), (.infinity, 0)])
    func barsFillFromTheLeft(part: Double, blocks: Int) {
        let text = bar(part, columns: 10)
        #expect(text.count == 12)
        #expect(text.count { $0 == "█" } == blocks)
    }

    @Test func levelsAreBars() {
        #expect(meter(.silence, columns: 4) == "▕    ▏")
        #expect(meter(AudioLevel(rms: Decibels(-30), peak: Decibels(-20)), columns: 4) == "▕██  ▏")
        #expect(meter(AudioLevel(rms: Decibels(0), peak: Decibels(0)), columns: 4) == "▕████▏")
    }

    @Test(arguments: [(0, "0:00"), (67, "1:07"), (3_723, "1:02:03"), (-5, "0:00")])
    func timesAreReadAsOnACounter(seconds: Int, text: String) { #expect(clock(.seconds(seconds)) == text) }

    /// A terminal of 80 columns shows all of it, however long the name of a model is.
    @Test func theProgressOfAnInstallationFitsOnATerminal() {
        let progress = ModelAsset.Progress(completedBytes: 25_260_000, totalBytes: 1_156_300_000, bytesPerSecond: 1e5)
        let lines = ModelInstaller.lines(progress, "sherpa-onnx-kws-zipformer-gigaspeech-3.3M")
        #expect(layOut(lines, columns: 80, rows: 24).map(\.text) == lines.map(\.text))
        #expect(lines.map(\.text).joined().contains("  25.3 MB / 1156.3 MB  0.1 MB/s  3:08:30 left"), "\(lines)")
    }

    @Test func aFinishedDownloadHasNoRate() {
        let progress = ModelAsset.Progress(completedBytes: 10_000_000, totalBytes: 10_000_000, bytesPerSecond: 0)
        let lines = ModelInstaller.lines(progress, "small").map(\.text)
        #expect(lines.last?.hasSuffix("100 %  10.0 MB / 10.0 MB") == true, "\(lines)")
    }

    @Test func shownSizesAddUp() {
        let sizes: [Int64] = [10_560_000, 56_380_000]
        #expect(sizes.map(megabytes) == ["10.6 MB", "56.4 MB"])
        #expect(megabytes(sumOf: sizes) == "67.0 MB")
        #expect(megabytes(sumOf: [10_560_000, nil]) == nil)
        #expect(megabytes(sumOf: [.max, .max]) != nil)
    }
}
