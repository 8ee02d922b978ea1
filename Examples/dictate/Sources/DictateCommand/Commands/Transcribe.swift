import DictationCapture
import DictationCore
import DictationEngines
import DictationText
import Synchronization

extension Command {
    static let transcribe: Command = Command(
        name: "transcribe", abstract: "Turn recordings into text.",
        discussion:
            "Prints text as it becomes final. A recording that fails does not stop the others.",
        operands: Operands(
            placeholder: "FILE", help: "A recording, or - for standard input.", completion: .files),
        flags: Options.recognitionFlags + [Options.preview], options: [Options.jobs.spec] + Options.recognition
    ) { invocation, console in
        let files = invocation.operands
        guard files.count(where: { $0 == "-" }) < 2 else {
            throw UsageError("Standard input can be read only once.", command: "transcribe")
        }
        var request = try RecognitionRequest(invocation, basedOn: .fileTranscription())
        request.options.volatileResults = invocation.has(Options.preview)
        let destination = try request.destination(of: files, from: files)
        let panel = request.isQuiet || !console.draws ? nil : LivePanel(on: console.errors)
        console.signals.look(after: panel)
        defer { panel?.end() }

        panel?.show([.init(text: "Getting ready…", style: .dim)])
        let choice = try await request.findEngine()
        try await choice.engine.prepare(request.options)
        let complain = { @Sendable (problem: String) in
            guard let panel else { return console.complain(problem) }
            panel.interrupt { console.complain(problem) }
        }
        let output = try TranscriptOutput(
            sources: files.map { choice.source(named: $0) }, destination: destination, format: request.format,
            withWords: request.withWords, say: complain
        ) { text throws(OutputError) in
            guard let panel else { return try console.output.write(text) }
            try panel.interrupt { () throws(OutputError) in try console.output.write(text) }
        }
        let batch = TranscriptionBatch(
            files: files, choice: choice, options: request.options,
            jobs: try invocation.value(Options.jobs) ?? processorCount(), output: output,
            board: panel.map { ProgressBoard(panel: $0, count: files.count) }, complain: complain)
        let code = await batch.run(interruptedBy: console.signals)
        panel?.end()
        try output.close()
        return code
    }
}

/// Transcribes several recordings at once.
final class TranscriptionBatch: Sendable {
    private struct State {
        var next = 0
        var code = ExitCode.done
        var isInterrupted = false
    }

    private let files: [String]
    private let choice: FoundEngine
    private let options: RecognitionOptions
    private let jobs: Int
    private let output: TranscriptOutput
    private let board: ProgressBoard?
    private let complain: @Sendable (String) -> Void
    private let state = Mutex(State())

    init(
        files: [String], choice: FoundEngine, options: RecognitionOptions, jobs: Int, output: TranscriptOutput,
        board: ProgressBoard?, complain: @escaping @Sendable (String) -> Void
    ) {
        self.files = files
        self.choice = choice
        self.options = options
        self.jobs = jobs
        self.output = output
        self.board = board
        self.complain = complain
    }

    /// Transcribes all recordings; an interrupt ends the work with the text so far.
    func run(interruptedBy signals: Signals) async -> ExitCode {
        let work = DictationRuntime.current.task { [self] in await runAll() }
        let drawing = DictationRuntime.current.task { [board] in await board?.drawUntilCancelled() }
        signals.receive { [self] in
            state.withLock { $0.isInterrupted = true }
            work.cancel()
        }
        await work.value
        endUntaken()
        signals.receive(nil)
        drawing.cancel()
        await drawing.value
        return state.withLock { $0.isInterrupted ? .interrupted : $0.code }
    }

    /// Files run side by side; spare cores share the work on each file.
    private func runAll() async {
        let atOnce = min(jobs, files.count, choice.engine.capabilities.maximumSessions ?? .max)
        // Several workers return only final text.
        let workers = options.volatileResults ? 1 : max(1, jobs / max(1, atOnce))
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<max(1, atOnce) {
                group.addTask { [self] in
                    while let index = take() { await transcribe(index, workers: workers) }
                }
            }
        }
    }

    private func take() -> Int? {
        state.withLock { state in
            guard state.next < files.count, !state.isInterrupted, output.failure == nil else { return nil }
            state.next += 1
            return state.next - 1
        }
    }

    /// Ends the recordings that an interrupt left unread, because a document reports on every recording.
    private func endUntaken() {
        for index in state.withLock({ $0.next })..<files.count {
            output.end(Transcript(locale: options.locale, isComplete: false), of: index, isInterrupted: true)
        }
    }

    private func transcribe(_ index: Int, workers: Int) async {
        let transcript = await transcript(of: index, workers: workers)
        output.end(transcript, of: index, isInterrupted: Task.isCancelled)
        board?.end(index, hasFailed: transcript.error != nil)
        if let error = transcript.error {
            let name = files[index].visible
            let isNamed = error.message.contains(name) || files[index] == "-"
            complain((isNamed ? "" : "\(name): ") + error.saidOnce)
            state.withLock { $0.code = .someFailed }
        }
    }

    private func transcript(of index: Int, workers: Int) async -> Transcript {
        do throws(DictationError) {
            let input = try await InputFile(files[index])
            // Text on the screen should appear in small steps.
            let source = FileCapturer(
                path: input.path, bufferDuration: options.volatileResults ? .milliseconds(100) : nil)
            board?.begin(index, name: files[index]) { source.progress.duration }
            var updates = choice.engine.transcribe(
                source, options: options, converters: SampleRateConverters(), workers: workers
            ).updates().makeAsyncIterator()
            do throws(DictationError) {
                while output.failure == nil, let update = try await updates.next() {
                    if let result = update.finalResult { output.add(result, of: index) }
                    board?.apply(update, of: index)
                }
            } catch {
                var transcript = updates.transcript
                transcript.error = transcript.duration > .zero ? error : input.explain(error)
                transcript.isComplete = false
                return transcript
            }
            var transcript = updates.transcript
            transcript.isComplete = transcript.isComplete && !Task.isCancelled && output.failure == nil
            return transcript
        } catch {
            return Transcript(locale: options.locale, error: error, isComplete: false)
        }
    }
}
