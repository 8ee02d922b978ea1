import DictationCore
import Synchronization

/// Shows progress: a bar for each recording, one for all, and volatile text.
final class ProgressBoard: Sendable {
    private struct Row {
        var name: String
        /// The duration in the recording's header.
        var length: @Sendable () -> Duration?
        /// The length of the audio that was decoded, whose text may wait for the text before it.
        var decoded: @Sendable () -> Duration
        /// The length of the audio that became text. Reading is ahead of it.
        var recognized = Duration.zero

        private var done: Duration { max(recognized, decoded()) }
        /// From 0 to 1, where the length is known.
        var fraction: Double? { length().flatMap { $0 > .zero ? min(1, done / $0) : nil } }

        var line: String {
            let name = FilePath.lastName(of: name).visible
            let times = clock(done) + (length().map { " / \(clock($0))" } ?? "")
            guard let fraction else { return "\(times)  \(name)" }
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

    func begin(
        _ index: Int, name: String, length: @escaping @Sendable () -> Duration?,
        decoded: @escaping @Sendable () -> Duration
    ) {
        state.withLock { $0.rows[index] = Row(name: name, length: length, decoded: decoded) }
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

    /// Moves a recording's bar, and shows volatile text if there is only one recording.
    func apply(_ update: SpeechUpdate, of index: Int) {
        state.withLock { state in
            let end = update.result?.range.upperBound ?? update.finalizedThrough ?? .zero
            if let row = state.rows[index] { state.rows[index]?.recognized = max(row.recognized, end) }
            if count == 1 { state.texts[index, default: TranscriptAccumulator()].apply(update) }
        }
        if count == 1 { draw() }
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
            fractions += row.fraction ?? 0
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
