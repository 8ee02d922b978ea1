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
        var worth = Worth()
    }

    /// What is known of a document that decides whether it is kept, and whether it may replace another.
    private struct Worth {
        var isComplete = true
        var hasText = false
        /// Whether it tells why there is no text.
        var tellsOfFailure = false
    }

    private struct State {
        var slots: [Slot]
        var head = 0
        var document: OutputFile?
        var failure: OutputError?
    }

    private let state: Mutex<State>
    private let sources: [String]
    private let destination: Destination
    private let paths: [String]
    private let format: OutputFormat
    private let replacesFiles: Bool
    private let say: @Sendable (String) -> Void
    private let write: @Sendable (String) throws(OutputError) -> Void

    /// Makes an output; the closures speak to the user and write to standard output.
    init(
        sources: [String], destination: Destination, format: OutputFormat, withWords: Bool, replacesFiles: Bool = true,
        say: @escaping @Sendable (String) -> Void = { _ in },
        write: @escaping @Sendable (String) throws(OutputError) -> Void
    ) throws(OutputError) {
        self.sources = sources
        self.destination = destination
        self.format = format
        self.replacesFiles = replacesFiles
        self.say = say
        self.write = write
        paths = destination.paths(for: sources, format: format)
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
            if !segment.text.isEmpty { state.slots[index].worth.hasText = true }
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
            state.slots[index].worth.isComplete = report.transcript.isComplete && report.transcript.error == nil
            state.slots[index].worth.tellsOfFailure = report.transcript.error != nil && format.reportsFailures
            if case .folder = destination { return closeFile(of: index, &state) }
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
            guard let document else { return }
            let worths = state.slots.map(\.worth)
            let isDone = state.slots.allSatisfy(\.isDone)
            try finish(
                document,
                Worth(
                    isComplete: isDone && worths.allSatisfy(\.isComplete), hasText: worths.contains(where: \.hasText),
                    tellsOfFailure: worths.contains(where: \.tellsOfFailure)))
        }
    }

    // MARK: Inside

    private func begin(_ index: Int) -> String {
        state.withLock { $0.slots[index].formatter.begin(sources[index], index: index, of: sources.count) }
    }

    private func emit(_ text: String, of index: Int, _ state: inout State) {
        guard !text.isEmpty else { return }
        if case .folder = destination {
            return attempt(&state) { state throws(OutputError) in
                try file(of: index, &state).write(text)
            }
        }
        if index == state.head {
            attempt(&state) { state throws(OutputError) in try put(text, &state) }
        } else {
            state.slots[index].waiting += text
        }
    }

    private func file(of index: Int, _ state: inout State) throws(OutputError) -> OutputFile {
        if let file = state.slots[index].file { return file }
        let file = try OutputFile(path: paths[index])
        state.slots[index].file = file
        let formatter = state.slots[index].formatter
        try file.write(formatter.opening)
        return file
    }

    private func closeFile(of index: Int, _ state: inout State) {
        attempt(&state) { state throws(OutputError) in
            let file = try file(of: index, &state)
            state.slots[index].file = nil
            do throws(OutputError) { try file.write(state.slots[index].formatter.closing) } catch {
                file.discard()
                throw error
            }
            try finish(file, state.slots[index].worth)
        }
        state.slots[index].file?.discard()
        state.slots[index].file = nil
    }

    /// Gives a document its name, if it is worth one. Only one that is complete takes the name of another.
    private func finish(_ file: OutputFile, _ worth: Worth) throws(OutputError) {
        if worth.isComplete, replacesFiles { return try file.commit() }
        guard worth.isComplete || worth.hasText || (worth.tellsOfFailure && !file.isTaken) else {
            return file.discard()
        }
        let name = try file.commitSparingOthers()
        if name != file.path { say("'\(file.path)' stays as it was; the text is in '\(name)'.") }
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
