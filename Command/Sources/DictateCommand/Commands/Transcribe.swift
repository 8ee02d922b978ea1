import DictationCapture
import DictationCore
import DictationEngines
import DictationText
import Glibc
import Synchronization

extension Command {
    static let transcribe: Command = Command(
        name: "transcribe", abstract: "Turn recordings into text.",
        discussion:
            "Prints text as it becomes final. A recording that fails does not stop the others.",
        examples: ["talk.flac", "--format srt --output talk.srt --remove-fillers talk.mp4"],
        operands: Operands(
            placeholder: "FILE", help: "A recording, or - for standard input.", completion: .files),
        flags: Options.recognitionFlags + [Options.embedAudio, Options.preview] + Options.textFlags,
        options: [Options.jobs.spec] + Options.recording + Options.recognition + Options.text
    ) { invocation, console in
        let files = invocation.operands
        guard files.count(where: { $0 == "-" }) < 2 else {
            throw UsageError("Standard input can be read only once.", command: "transcribe")
        }
        var request = try await RecognitionRequest(invocation, basedOn: .fileTranscription())
        request.options.volatileResults = invocation.has(Options.preview)
        guard !request.embedsAudio || !files.contains("-") else {
            throw UsageError("--embed-audio needs a recording that is a file.", command: "transcribe")
        }
        let plan = try request.plan(of: files, from: files)
        let audio = try plan.map { try PageAudioSource(isEmbedded: request.embedsAudio).audio(of: files, in: $0) }
        let panel = request.isQuiet || !console.draws ? nil : LivePanel(on: console.errors)
        console.signals.look(after: panel)
        defer { panel?.end() }

        panel?.show([.init(text: "Getting ready…", style: .dim)])
        let choice = try await request.findEngine()
        choice.problems.forEach(console.complain)
        request.sayNotices(console.complain)
        let unreadable = InputFile.unreadable(files)
        // A model takes seconds to load. Without a recording that can be opened, nothing would use it.
        if unreadable.count < files.count {
            do throws(DictationError) { try await choice.engine.prepare(request.options) } catch {
                throw request.advised(error)
            }
        }
        let paper = PanelConsole(console: console, panel: panel)
        let output = TranscriptOutputs(
            try zip(plan, audio).map { planned, audio in
                try TranscriptOutput(
                    sources: zip(files, audio).map { choice.source(named: $0, in: request.options.locale, audio: $1) },
                    destination: planned.destination, format: planned.format, withWords: request.withWords,
                    // Nobody named the files beside the recordings.
                    replacesFiles: planned.destination != .besideRecordings, beginsLate: request.text.isLate,
                    say: paper.complain, write: paper.write)
            })
        let texts = WrittenTexts(request.text, of: files.count, in: request.options.locale, to: output, say: paper.say)
        let batch = TranscriptionBatch(
            files: files, unreadable: unreadable, channels: try invocation.value(Options.channels) ?? .mixed,
            track: try invocation.value(Options.track) ?? 1, choice: choice, options: request.options,
            jobs: try invocation.value(Options.jobs) ?? processorCount(),
            decodesInHelper: !invocation.has(Options.inProcess), output: output,
            texts: texts, board: panel.map { ProgressBoard(panel: $0, count: files.count) },
            tellsSilence: plan.contains { $0.hidesSilence(of: files.count) },
            complain: paper.complain)
        let code = await batch.run(interruptedBy: console.signals)
        panel?.end()
        try output.close()
        // A person wants to know where the text is.
        if panel != nil {
            let written = plan.flatMap { planned in files.indices.map { planned.path(of: $0, in: files) } }.compactMap(
                \.self)
            var named: Set<String> = []
            for path in written where named.insert(path).inserted && access(path, F_OK) == 0 {
                console.say("dictate: The text is in “\(path.visible)”.")
            }
        }
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
    /// The errors of files that can't be opened, by their index.
    private let unreadable: [Int: DictationError]
    private let channels: RecordingChannels
    private let track: Int
    private let choice: FoundEngine
    private let options: RecognitionOptions
    private let jobs: Int
    private let decodesInHelper: Bool
    private let output: TranscriptOutputs
    private let texts: WrittenTexts
    private let board: ProgressBoard?
    /// Whether nothing else says that a recording has no speech.
    private let tellsSilence: Bool
    private let complain: @Sendable (String) -> Void
    private let state = Mutex(State())

    init(
        files: [String], unreadable: [Int: DictationError], channels: RecordingChannels, track: Int,
        choice: FoundEngine, options: RecognitionOptions, jobs: Int, decodesInHelper: Bool,
        output: TranscriptOutputs, texts: WrittenTexts, board: ProgressBoard?, tellsSilence: Bool,
        complain: @escaping @Sendable (String) -> Void
    ) {
        self.files = files
        self.unreadable = unreadable
        self.channels = channels
        self.track = track
        self.choice = choice
        self.options = options
        self.jobs = jobs
        self.decodesInHelper = decodesInHelper
        self.output = output
        self.texts = texts
        self.board = board
        self.tellsSilence = tellsSilence
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
        let sessions = choice.engine.capabilities.maximumSessions
        // A recording with separate channels may need all sessions.
        let atOnce = channels == .separate && sessions != nil ? 1 : min(jobs, files.count, sessions ?? .max)
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
        await texts.end(transcript, of: index, isInterrupted: Task.isCancelled)
        board?.end(index, hasFailed: transcript.error != nil)
        if texts.hasFailed { state.withLock { $0.code.add(.someFailed) } }
        if let error = transcript.error {
            let name = files[index].visible
            let isNamed = error.message.contains(name) || files[index] == "-"
            complain((isNamed ? "" : "\(name): ") + error.saidOnce)
            state.withLock { $0.code.add(.someFailed) }
        } else if !Task.isCancelled, output.failure == nil, let complaint = transcript.complaint {
            complain((files[index] == "-" ? "" : "\(files[index].visible): ") + complaint)
            state.withLock { $0.code.add(ExitCode(transcript)) }
        } else if tellsSilence, transcript.isComplete, transcript.segments.isEmpty {
            let what = if case .keyphrases = options.task { "no keyphrase was heard" } else { "no speech was found" }
            complain("\(files[index] == "-" ? "Standard input" : files[index].visible): \(what).")
        }
    }

    private func transcript(of index: Int, workers: Int) async -> Transcript {
        do throws(DictationError) {
            if let error = unreadable[index] { throw error }
            let input = try await InputFile(files[index])
            // Text on the screen should appear in small steps.
            let transcription = choice.engine.transcribe(
                file: input.path, channels: channels, track: track, options: options,
                bufferDuration: options.volatileResults ? .milliseconds(100) : nil, workers: workers,
                inHelper: decodesInHelper)
            board?.begin(index, name: files[index]) { transcription.progress }
            var updates = transcription.updates().makeAsyncIterator()
            do throws(DictationError) {
                while output.failure == nil, let update = try await updates.next() {
                    if let result = update.finalResult {
                        for gap in updates.transcript.gaps { texts.add(gap, of: index) }
                        texts.add(result, of: index)
                    }
                    board?.apply(update, of: index)
                }
            } catch {
                var transcript = updates.transcript
                transcript.error = transcript.duration > .zero ? input.naming(error) : input.explain(error)
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
