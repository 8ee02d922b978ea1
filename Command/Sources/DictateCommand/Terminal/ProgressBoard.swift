import DictationCore
import Synchronization

/// Shows progress: a bar for each recording, one for all, and volatile text.
final class ProgressBoard: Sendable {
    private struct Row {
        var name: String
        var progress: @Sendable () -> Transcription.Progress

        var line: String {
            let (name, progress) = (FilePath.lastName(of: name).visible, progress())
            let times = clock(progress.position) + (progress.duration.map { " / \(clock($0))" } ?? "")
            guard let fraction = progress.fraction else { return "\(times)  \(name)" }
            return "\(bar(fraction, columns: 20)) \(percent(fraction))  \(times)  \(name)"
        }
    }

    private struct State {
        var rows: [Int: Row] = [:]
        var done = 0
        var failed = 0
        var texts: [Int: TranscriptAccumulator] = [:]
    }

    private let panel: LivePanel
    private let count: Int
    private let state = Mutex(State())

    init(panel: LivePanel, count: Int) {
        self.panel = panel
        self.count = count
    }

    func begin(_ index: Int, name: String, progress: @escaping @Sendable () -> Transcription.Progress) {
        state.withLock { $0.rows[index] = Row(name: name, progress: progress) }
    }

    func end(_ index: Int, hasFailed: Bool) {
        state.withLock { state in
            state.rows[index] = nil
            state.texts[index] = nil
            state.done += 1
            if hasFailed { state.failed += 1 }
        }
        draw()
    }

    /// Shows volatile text if there is only one recording.
    func apply(_ update: SpeechUpdate, of index: Int) {
        guard count == 1 else { return }
        state.withLock { $0.texts[index, default: TranscriptAccumulator()].apply(update) }
        draw()
    }

    func draw() { panel.show(lines) }

    /// Draws ten times a second.
    func drawUntilCancelled() async {
        let runtime = DictationRuntime.current
        repeat { draw() } while (try? await runtime.sleep(.milliseconds(100))) != nil
    }

    private var lines: [LivePanel.Line] {
        let (rows, done, failed, tail) = state.withLock { state in
            let tail = count == 1 ? state.texts.values.first?.volatileTail ?? [] : []
            return (state.rows.sorted { $0.key < $1.key }.map(\.value), state.done, state.failed, tail)
        }
        var lines: [LivePanel.Line] = []
        if !tail.isEmpty {
            lines.append(.init(text: tail.map(\.text).joined(separator: " "), style: .dim, wraps: true))
        }
        var fractions = Double(done)
        for row in rows {
            fractions += row.progress().fraction ?? 0
            lines.append(.init(text: row.line))
        }
        if count > 1 {
            let part = fractions / Double(count)
            let failures = failed > 0 ? ", \(failed) failed" : ""
            lines.append(
                .init(text: "\(bar(part, columns: 20)) \(percent(part))  \(done) of \(count) done\(failures)"))
        }
        return lines
    }
}

/// A fraction as a percentage, three columns wide.
func percent(_ part: Double) -> String {
    let number = String(Int((min(1, max(0, part)) * 100).rounded(.down)))
    return String(repeating: " ", count: 3 - number.count) + number + " %"
}
