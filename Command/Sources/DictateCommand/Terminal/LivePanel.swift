import DictationCore
import DictationText
import Glibc
import Synchronization

/// A few lines at the bottom of a terminal that change: volatile text, a meter, progress.
///
/// The cursor stays at the start of the panel. Erasing from the cursor on removes the panel, whatever a new window size
/// does to its lines.
final class LivePanel: Sendable {
    /// A line and its style.
    struct Line: Sendable, Hashable {
        enum Style: String, Sendable { case plain = "", dim = "\u{1B}[2m" }
        var text: String
        var style = Style.plain
        /// Whether it can wrap; if there is no room, its end is shown.
        var wraps = false
        /// The number of characters at the beginning that are drawn plain, without spaces.
        var plainCount = 0

        /// The line as the terminal gets it.
        var drawn: String {
            guard style != .plain, !text.isEmpty else { return text }
            let (plain, rest) = text.split(afterCharacters: plainCount)
            return rest.isEmpty ? text : plain + style.rawValue + rest + "\u{1B}[0m"
        }
    }

    private struct State {
        var lines: [Line] = []
        var isShown = false
        var isSuspended = false
        var isOver = false
        var typing: termios?
    }

    private let stream: OutputStream
    private let state = Mutex(State())

    init(on stream: OutputStream) { self.stream = stream }

    /// Replaces the lines.
    func show(_ lines: [Line]) {
        state.withLock { state in
            guard !state.isOver else { return }
            state.lines = lines
            draw(&state)
        }
    }

    /// Hides the panel, writes something that stays, and draws the panel below it.
    func interrupt<E: Error>(_ write: () throws(E) -> Void) throws(E) {
        try state.withLock { state throws(E) in
            if state.isShown { try? stream.write("\r\u{1B}[J") }
            try write()
            if state.isShown { draw(&state) }
        }
    }

    /// Draws the panel again, after a new window size or after `suspend()`.
    func redraw() {
        state.withLock { state in
            state.isSuspended = false
            if !state.isOver, !state.lines.isEmpty { draw(&state) }
        }
    }

    /// Restores the terminal until `redraw()`.
    func suspend() {
        state.withLock { state in
            restore(&state)
            state.isSuspended = true
        }
    }

    /// Restores the terminal.
    func end() {
        state.withLock { state in
            restore(&state)
            state.isOver = true
        }
    }

    private func restore(_ state: inout State) {
        if state.isShown { try? stream.write("\r\u{1B}[J\u{1B}[?25h") }
        if var typing = state.typing { tcsetattr(STDIN_FILENO, TCSANOW, &typing) }
        state.typing = nil
        state.isShown = false
    }

    private func draw(_ state: inout State) {
        guard !state.isSuspended, isInForeground else { return }
        hideTyping(&state)
        state.isShown = true
        let (columns, rows) = size
        let lines = layOut(state.lines, columns: columns, rows: max(1, rows - 1))
        // Wrapping is off: in a window that just became narrower, the lines must not take more rows.
        var text = "\u{1B}[?25l\u{1B}[?7l\r\u{1B}[J"
        for (index, line) in lines.enumerated() {
            if index > 0 { text += "\r\n" }
            text += line.drawn
        }
        if lines.count > 1 { text += "\u{1B}[\(lines.count - 1)A" }
        try? stream.write(text + "\r\u{1B}[?7h")
    }

    /// Stops the terminal from echoing what is typed into the panel.
    private func hideTyping(_ state: inout State) {
        guard state.typing == nil, isatty(STDIN_FILENO) == 1, tcgetpgrp(STDIN_FILENO) == getpgrp() else { return }
        var settings = termios()
        guard tcgetattr(STDIN_FILENO, &settings) == 0 else { return }
        state.typing = settings
        settings.c_lflag &= ~tcflag_t(ECHO)
        tcsetattr(STDIN_FILENO, TCSANOW, &settings)
    }

    /// A job in the background leaves the screen to the shell.
    private var isInForeground: Bool {
        let group = tcgetpgrp(stream.descriptor)
        return group < 0 || group == getpgrp()
    }

    private var size: (columns: Int, rows: Int) {
        var size = winsize()
        guard ioctl(stream.descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else {
            return (80, 24)
        }
        return (Int(size.ws_col), Int(size.ws_row))
    }
}

/// Returns the rows that fit. Where there is no room, the first rows of a wrapped line are left out.
func layOut(_ lines: [LivePanel.Line], columns: Int, rows: Int) -> [LivePanel.Line] {
    var laidOut: [LivePanel.Line] = []
    let fixed = lines.count { !$0.wraps }
    for line in lines {
        let text = line.text.onOneLine
        let all = line.wraps ? text.wrapped(columns: columns - 1) : [cut(text, columns: columns - 1)]
        var plain = line.plainCount
        let drawn = all.map { row in
            defer { plain = max(0, plain - row.count { !$0.isWhitespace }) }
            return LivePanel.Line(text: row, style: line.style, plainCount: plain)
        }
        laidOut += line.wraps ? drawn.suffix(max(1, rows - fixed)) : drawn[...]
    }
    return Array(laidOut.suffix(rows))
}

extension String {
    /// Cuts the text after a number of characters that are no spaces.
    fileprivate func split(afterCharacters count: Int) -> (String, String) {
        var rest = count
        let place = indices.first { index in
            if self[index].isWhitespace { return false }
            rest -= 1
            return rest < 0
        }
        guard let place else { return (self, "") }
        return (String(self[..<place]), String(self[place...]))
    }
}

/// The console beside a panel, which stays below what is written; or the console alone.
struct PanelConsole: Sendable {
    let console: Console
    let panel: LivePanel?

    @Sendable func complain(_ problem: String) { beside { console.complain(problem) } }
    @Sendable func say(_ line: String) { beside { console.say(line) } }
    @Sendable func write(_ text: String) throws(OutputError) {
        try beside { () throws(OutputError) in try console.output.write(text) }
    }

    private func beside<Problem: Error>(_ write: () throws(Problem) -> Void) throws(Problem) {
        guard let panel else { return try write() }
        try panel.interrupt(write)
    }
}
