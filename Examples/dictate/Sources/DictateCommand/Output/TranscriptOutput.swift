import DictationCore
import Glibc
import Synchronization

/// Writes the texts of recordings that are worked on side by side, in the order in which they were named.
///
/// The text of the first that isn't done flows as it becomes final; that of those after it waits for its turn.
final class TranscriptOutput: Sendable {
    private struct Slot {
        var formatter: any TranscriptFormatter
        var waiting = ""
        var file: OutputFile?
        var isDone = false
        var hasText = false
    }

    private struct State {
        var slots: [Slot]
        var head = 0
        var document: OutputFile?
        /// Whether the document has anything that is worth keeping.
        var isWanted = false
        var failure: OutputError?
    }

    private let state: Mutex<State>
    private let sources: [String]
    private let destination: Destination
    private let format: OutputFormat
    private let write: @Sendable (String) throws(OutputError) -> Void

    /// Makes an output; the closure writes to standard output.
    init(
        sources: [String], destination: Destination, format: OutputFormat, withWords: Bool,
        write: @escaping @Sendable (String) throws(OutputError) -> Void
    ) throws(OutputError) {
        self.sources = sources
        self.destination = destination
        self.format = format
        self.write = write
        let formatter = format.makeFormatter(withWords: withWords)
        var state = State(slots: sources.map { _ in Slot(formatter: formatter) })
        switch destination {
        case .file(let path): state.document = try OutputFile(path: path)
        case .folder(let path):
            guard mkdir(path, 0o777) == 0 || errno == EEXIST else { throw .failed(name: path, code: errno) }
        case .standardOutput: break
        }
        self.state = Mutex(state)
        if case .folder = destination { return }
        try? put(formatter.opening + begin(0))
    }

    /// Why text can't be written any more.
    var failure: OutputError? { state.withLock { $0.failure } }

    /// Adds final text of a recording.
    func add(_ segment: SpeechResult, of index: Int) {
        state.withLock { state in
            state.slots[index].hasText = state.slots[index].hasText || !segment.text.isEmpty
            let text = state.slots[index].formatter.add(segment)
            emit(text, of: index, &state)
        }
    }

    /// Ends a recording's text.
    func end(_ report: SourceReport) {
        state.withLock { state in
            let index = report.index
            guard !state.slots[index].isDone else { return }
            emit(state.slots[index].formatter.end(report), of: index, &state)
            state.slots[index].isDone = true
            state.isWanted = state.isWanted || isWanted(state.slots[index], report)
            if case .folder = destination { return closeFile(of: index, report, &state) }
            while state.head < state.slots.count, state.slots[state.head].isDone {
                state.head += 1
                guard state.head < state.slots.count else { break }
                let waiting = state.slots[state.head].waiting
                state.slots[state.head].waiting = ""
                attempt(&state) { state throws(OutputError) in
                    let begin = state.slots[state.head].formatter.begin(
                        sources[state.head], index: state.head, of: sources.count)
                    try put(begin + waiting, &state)
                }
            }
        }
    }

    /// Ends the document. Throws what kept text from being written.
    func close() throws(OutputError) {
        try state.withLock { state throws(OutputError) in
            if case .folder = destination {
            } else {
                attempt(&state) { state throws(OutputError) in
                    try put(format.makeFormatter(withWords: false).closing, &state)
                }
            }
            let document = state.document
            state.document = nil
            if let failure = state.failure {
                document?.discard()
                throw failure
            }
            if state.isWanted { try document?.commit() } else { document?.discard() }
        }
    }

    // MARK: Inside

    private func begin(_ index: Int) -> String {
        state.withLock { $0.slots[index].formatter.begin(sources[index], index: index, of: sources.count) }
    }

    private func emit(_ text: String, of index: Int, _ state: inout State) {
        guard !text.isEmpty else { return }
        if case .folder(let folder) = destination {
            return attempt(&state) { state throws(OutputError) in
                try file(of: index, in: folder, &state).write(text)
            }
        }
        if index == state.head {
            attempt(&state) { state throws(OutputError) in try put(text, &state) }
        } else {
            state.slots[index].waiting += text
        }
    }

    private func file(of index: Int, in folder: String, _ state: inout State) throws(OutputError) -> OutputFile {
        if let file = state.slots[index].file { return file }
        let file = try OutputFile(path: path(of: index, in: folder))
        state.slots[index].file = file
        let formatter = state.slots[index].formatter
        try file.write(formatter.opening)
        return file
    }

    /// A recording that could not even be read leaves nothing behind.
    private func isWanted(_ slot: Slot, _ report: SourceReport) -> Bool {
        slot.hasText || report.transcript.error == nil || format.reportsFailures
    }

    private func closeFile(of index: Int, _ report: SourceReport, _ state: inout State) {
        guard case .folder(let folder) = destination else { return }
        let slot = state.slots[index]
        let isWanted = isWanted(slot, report)
        attempt(&state) { state throws(OutputError) in
            guard isWanted, state.failure == nil else {
                state.slots[index].file?.discard()
                return
            }
            let file = try file(of: index, in: folder, &state)
            try file.write(slot.formatter.closing)
            try file.commit()
        }
        state.slots[index].file = nil
    }

    /// The recording's name with the format's ending; a number tells apart those of the same name.
    private func path(of index: Int, in folder: String) -> String {
        let names = sources.map { source -> String in
            let last = source == "-" ? "standard-input" : lastName(of: source)
            guard let dot = last.lastIndex(of: "."), dot > last.startIndex else { return last }
            return String(last[..<dot])
        }
        let twins = names[..<index].count { $0 == names[index] }
        let number = twins > 0 ? "-\(twins + 1)" : ""
        let ending = format == .text ? "txt" : format.rawValue
        return folder + (folder.hasSuffix("/") ? "" : "/") + names[index] + number + "." + ending
    }

    private func put(_ text: String) throws(OutputError) {
        try state.withLock { state throws(OutputError) in
            do throws(OutputError) { try put(text, &state) } catch {
                state.failure = error
                throw error
            }
        }
    }

    private func put(_ text: String, _ state: inout State) throws(OutputError) {
        guard !text.isEmpty else { return }
        if let document = state.document { try document.write(text) } else { try write(text) }
    }

    /// Does something unless writing has failed before, and notes when it fails.
    private func attempt(_ state: inout State, _ body: (inout State) throws(OutputError) -> Void) {
        guard state.failure == nil else { return }
        do throws(OutputError) { try body(&state) } catch { state.failure = error }
    }
}
