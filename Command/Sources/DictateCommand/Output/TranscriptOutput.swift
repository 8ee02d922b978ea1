import DictationCore
import DictationText
import Glibc
import Synchronization

/// Writes the text of recordings to where the user wants it: one document for all, or a file for each in a folder.
final class TranscriptOutput: Sendable {
    private struct Document {
        var text: OrderedTranscripts
        var file: OutputFile?
        var isOpen = false
        var isClosed = false
        /// The recordings that have not ended.
        var remaining: Int
        var isWhole = true
        var hasText = false
        /// Whether the document states why there is no text.
        var reportsFailure = false

        /// Whether all recordings became text, without an error or an interruption.
        var isDone: Bool { isWhole && remaining == 0 }
    }

    private struct State {
        var documents: [Document]
        var ended: Set<Int> = []
        var failure: OutputError?
    }

    private let state: Mutex<State>
    private let destination: Destination
    private let paths: [String]
    private let format: OutputFormat
    private let replacesFiles: Bool
    private let say: @Sendable (String) -> Void
    private let write: @Sendable (String) throws(OutputError) -> Void

    /// Opens an output. `say` reports to the user, and `write` writes to standard output.
    init(
        sources: [TranscriptSource], destination: Destination, format: OutputFormat, withWords: Bool,
        replacesFiles: Bool = true, beginsLate: Bool = false, say: @escaping @Sendable (String) -> Void = { _ in },
        write: @escaping @Sendable (String) throws(OutputError) -> Void
    ) throws(OutputError) {
        self.destination = destination
        self.format = format
        self.replacesFiles = replacesFiles
        self.say = say
        self.write = write
        paths = destination.paths(for: sources.map(\.name), format: format)
        let shares = destination.isSeparate ? sources.map { [$0] } : [sources]
        let writer = format.writer(withWords: withWords, showsSources: shares.contains { $0.count > 1 })
        let documents = shares.map {
            Document(text: OrderedTranscripts(sources: $0, writer: writer, beginsLate: beginsLate), remaining: $0.count)
        }
        state = Mutex(State(documents: documents))
        switch destination {
        case .folder(let path):
            guard mkdir(path, 0o777) == 0 || errno == EEXIST else { throw .failed(name: path, code: errno) }
        case .besideRecordings: break
        case .file, .standardOutput:
            // A file that can't be written is an error now. An error of standard output is reported at the end.
            try state.withLock { state throws(OutputError) in
                attempt(&state) { state throws(OutputError) in try open(0, &state) }
                if case .file = destination, let failure = state.failure { throw failure }
            }
        }
    }

    /// The first error; nothing is written after it.
    var failure: OutputError? { state.withLock { $0.failure } }

    /// Adds a result of a recording.
    func add(_ result: SpeechResult, of index: Int) {
        state.withLock { state in
            let (document, index) = place(of: index)
            if !result.text.isEmpty { state.documents[document].hasText = true }
            put(state.documents[document].text.add(result, of: index), into: document, &state)
        }
    }

    /// Adds lost audio of a recording, before the results that come after it.
    func add(_ gap: AudioGap, of index: Int) {
        state.withLock { state in
            let (document, index) = place(of: index)
            put(state.documents[document].text.add(gap, of: index), into: document, &state)
        }
    }

    /// Sets the title and the summary of a recording, before its text.
    func describe(_ index: Int, title: TranscriptDigest?, summary: TranscriptDigest?) {
        state.withLock { state in
            let (document, index) = place(of: index)
            state.documents[document].text.describe(index, title: title, summary: summary)
        }
    }

    /// Ends the text of a recording.
    func end(_ transcript: Transcript, of index: Int, isInterrupted: Bool = false) {
        state.withLock { state in
            guard state.ended.insert(index).inserted else { return }
            let (document, index) = place(of: index)
            state.documents[document].remaining -= 1
            if transcript.error != nil || isInterrupted { state.documents[document].isWhole = false }
            if transcript.error != nil, format.reportsFailures { state.documents[document].reportsFailure = true }
            if !transcript.isEmpty { state.documents[document].hasText = true }
            put(state.documents[document].text.end(transcript, of: index), into: document, &state)
            if destination.isSeparate { close(document, &state) }
        }
    }

    /// Ends all documents. Throws the first error.
    func close() throws(OutputError) {
        try state.withLock { state throws(OutputError) in
            for document in state.documents.indices { close(document, &state) }
            if let failure = state.failure { throw failure }
        }
    }

    // MARK: Implementation

    /// The document of a recording, and its index in the document.
    private func place(of index: Int) -> (document: Int, index: Int) {
        destination.isSeparate ? (index, 0) : (0, index)
    }

    private func put(_ text: String, into document: Int, _ state: inout State) {
        guard !text.isEmpty else { return }
        attempt(&state) { state throws(OutputError) in
            try open(document, &state)
            try write(text, into: document, state)
        }
    }

    private func write(_ text: String, into document: Int, _ state: State) throws(OutputError) {
        guard !text.isEmpty else { return }
        if let file = state.documents[document].file { try file.write(text) } else { try write(text) }
    }

    /// Opens the document's file and writes its beginning, once.
    private func open(_ document: Int, _ state: inout State) throws(OutputError) {
        guard !state.documents[document].isOpen else { return }
        state.documents[document].isOpen = true
        if !paths.isEmpty { state.documents[document].file = try OutputFile(path: paths[document]) }
        let beginning = state.documents[document].text.begin()
        try write(beginning, into: document, state)
    }

    private func close(_ document: Int, _ state: inout State) {
        guard !state.documents[document].isClosed else { return }
        state.documents[document].isClosed = true
        attempt(&state) { state throws(OutputError) in
            try open(document, &state)
            let end = state.documents[document].text.finish()
            try write(end, into: document, state)
            guard let file = state.documents[document].file else { return }
            state.documents[document].file = nil
            try keep(file, of: state.documents[document])
        }
        state.documents[document].file?.discard()
        state.documents[document].file = nil
    }

    /// Gives a finished document its name, or deletes an empty one. Only a document without errors replaces an older
    /// file, even with nothing: an older text would not be the text of this recording.
    private func keep(_ file: OutputFile, of document: Document) throws(OutputError) {
        let isWorthAFile = document.hasText || (document.isDone && format.reportsFailures)
        if document.isDone, replacesFiles, isWorthAFile || file.isTaken {
            if !isWorthAFile, !file.isSpecial { say("There is no text, so “\(file.path)” is empty now.") }
            return try file.commit()
        }
        guard isWorthAFile || (document.reportsFailure && !file.isTaken) else {
            if document.isDone, !file.isSpecial { say("There is no text, so “\(file.path)” was not created.") }
            return file.discard()
        }
        let name = try file.commitSparingOthers()
        if name != file.path { say("“\(file.path)” stays as it was; the text is in “\(name)”.") }
    }

    /// Runs `body` unless writing failed before, and keeps its error.
    private func attempt(_ state: inout State, _ body: (inout State) throws(OutputError) -> Void) {
        guard state.failure == nil else { return }
        do throws(OutputError) { try body(&state) } catch { state.failure = error }
    }
}
