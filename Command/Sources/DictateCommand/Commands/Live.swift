import DictationCapture
import DictationCore
import DictationEngines
import Synchronization

extension Command {
    static let live: Command = Command(
        name: "live", abstract: "Turn speech from the microphone into text.",
        discussion: "Ctrl-C stops and prints the rest of the text. A second Ctrl-C discards the rest.",
        flags: [Options.meter, Options.trustDevice] + Options.recognitionFlags + Options.textFlags,
        options: [Options.device.spec, Options.length.spec, Options.silence.spec, Options.spool.spec]
            + Options.recognition + Options.text
    ) { invocation, console in
        var request = try await RecognitionRequest(invocation, basedOn: .liveDictation())
        let microphone = try Microphone(invocation)
        let plan = try request.plan(of: [microphone.name], from: [microphone.file].compactMap(\.self))
        let choice = try await request.findEngine()
        choice.problems.forEach(console.complain)
        request.sayNotices(console.complain)
        var configuration = DictationSession.Configuration(recognition: request.options, stopMode: .full)
        configuration.recognition.volatileResults =
            choice.engine.capabilities.features.contains(.volatileResults)
        configuration.capture.device = microphone.device
        configuration.maximumLength = try invocation.value(Options.length)
        configuration.endingSilence = try invocation.value(Options.silence)
        let spoolFolder = try invocation.value(Options.spool)
        let session = DictationSession(
            engine: choice.engine, capturer: microphone.capturer, converters: SampleRateConverter.Provider(),
            spool: spoolFolder.map { WaveSpool(folder: $0) }, configuration: configuration)

        let panel = request.isQuiet || !console.draws ? nil : LivePanel(on: console.errors)
        console.signals.look(after: panel)
        defer { panel?.end() }
        let paper = PanelConsole(console: console, panel: panel)
        let output = TranscriptOutputs(
            try plan.map { planned in
                try TranscriptOutput(
                    sources: [choice.source(named: microphone.name, in: request.options.locale)],
                    destination: planned.destination, format: planned.format, withWords: request.withWords,
                    // All takes of a microphone share one name, and none can be repeated.
                    replacesFiles: !planned.destination.isSeparate, beginsLate: request.text.isLate,
                    say: paper.complain,
                    write: paper.write)
            })
        let texts = WrittenTexts(request.text, of: 1, in: request.options.locale, to: output, say: paper.say)
        let view = panel.map {
            LiveView(panel: $0, session: session, texts: texts, showsMeter: invocation.has(Options.meter))
        }
        let take = LiveDictation(session: session, output: output, texts: texts, view: view, complain: paper.complain)
        let ending = await take.run(interruptedBy: console.signals)
        panel?.end()

        let transcript =
            ending.transcript
            ?? Transcript(
                segments: ending.segments, duration: ending.elapsed, locale: request.options.locale, isComplete: false)
        await texts.end(transcript, of: 0, isInterrupted: ending.isCancelled || ending.error != nil)
        try output.close()
        if ending.error == nil, !ending.isCancelled, let complaint = transcript.complaint {
            console.complain(complaint)
        } else if ending.error == nil, !ending.isCancelled, transcript.segments.isEmpty, transcript.duration > .zero,
            plan.contains(where: { $0.hidesSilence() })
        {
            console.complain("No speech was found.")
        }
        if let error = ending.error {
            let isAtBeginning = transcript.duration == .zero
            console.complain(request.advised(isAtBeginning ? await microphone.explain(error) : error))
            if let spoolFolder, transcript.duration > .zero {
                console.say("The audio is kept in \(spoolFolder); “dictate transcribe” can read it.")
            }
        }
        // The spool deletes the audio once its text is safe.
        await session.waitUntilSettled()
        if let error = ending.error { return ExitCode(error) }
        if ending.isCancelled { return .interrupted }
        if texts.hasFailed { return .someFailed }
        return ExitCode(transcript)
    }
}

/// The source of live audio.
struct Microphone: Sendable {
    let capturer: any AudioCapturer
    let device: AudioDevice.ID?
    /// The recording in place of a microphone.
    let file: String?
    let name: String

    /// Interprets `--device`: a microphone, or a recording to play.
    ///
    /// - Parameter lingering: The time for which a microphone stays open after a take.
    init(_ invocation: Invocation, lingering: Duration = .seconds(30)) throws(UsageError) {
        let device = try invocation.value(Options.device)
        name = device ?? "microphone"
        guard let device, device.utf8.starts(with: "file:".utf8) else {
            capturer = ALSACapturer(
                lingering: lingering,
                trustedDevices: invocation.has(Options.trustDevice) ? [device].compactMap(\.self) : [])
            self.device = device
            file = nil
            return
        }
        let file = String(Substring(device.utf8.dropFirst(5)))
        self.file = file
        capturer = FileCapturer(path: file, pacing: .live, inHelper: !invocation.has(Options.inProcess))
        self.device = nil
    }

    /// An error at the start, with advice for the user of the command.
    func explain(_ error: DictationError) async -> DictationError {
        if let file { return (try? await InputFile(file))?.explain(error) ?? error }
        var error = error
        if error.code == .deviceNotFound {
            error.recovery = [error.recovery, "“dictate devices” lists the microphones."].compactMap(\.self)
                .joined(separator: " ")
        }
        return error
    }
}

/// One take from a microphone, from its start to its last word.
final class LiveDictation: Sendable {
    /// How a take ended.
    struct Ending: Sendable {
        var transcript: Transcript?
        /// The final results of a take that ended without a transcript, and the length of its audio.
        var segments: [SpeechResult] = []
        var elapsed = Duration.zero
        var error: DictationError?
        var isCancelled = false
    }

    private let session: DictationSession
    private let output: TranscriptOutputs
    private let texts: WrittenTexts
    private let view: LiveView?
    private let complain: @Sendable (String) -> Void
    private let isCancelled = Mutex(false)

    init(
        session: DictationSession, output: TranscriptOutputs, texts: WrittenTexts, view: LiveView?,
        complain: @escaping @Sendable (String) -> Void
    ) {
        self.session = session
        self.output = output
        self.texts = texts
        self.view = view
        self.complain = complain
    }

    /// Dictates until an interrupt, an end of its own, or an error.
    func run(interruptedBy signals: Signals) async -> Ending {
        let runtime = DictationRuntime.current
        let events = session.events()
        let interrupts = Mutex(0)
        signals.receive { [self] in
            let isFirst = interrupts.withLock { count in
                count += 1
                return count == 1
            }
            if !isFirst { isCancelled.withLock { $0 = true } }
            runtime.task { [session] in
                if isFirst { await session.stop() } else { await session.cancel() }
            }
        }
        let start = runtime.task { [session] () -> DictationError? in
            do throws(DictationError) { try await session.start() } catch { return error }
            // An interrupt before the start had nothing to stop.
            if interrupts.withLock({ $0 > 0 }) { await session.stop() }
            return nil
        }
        var ending = await follow(events)
        signals.receive(nil)
        ending.isCancelled = isCancelled.withLock { $0 } && ending.transcript == nil
        if ending.transcript == nil, !ending.isCancelled { ending.error = await start.value }
        return ending
    }

    private func follow(_ events: DictationSession.Events) async -> Ending {
        var written: [SpeechResult] = []
        func write(_ segments: some Sequence<SpeechResult>) {
            for segment in segments {
                texts.add(segment, of: 0)
                written.append(segment)
            }
        }
        for await event in events {
            view?.apply(event)
            switch event.kind {
            case .text(let change): write(change.finalResults)
            case .snapshot(let snapshot):
                // A listener that fell behind gets everything at once.
                for gap in snapshot.transcript.gaps { texts.add(gap, of: 0) }
                write(snapshot.transcript.segments.dropFirst(written.count))
            case .gap(let gap): texts.add(gap, of: 0)
            case .ended(let transcript):
                write(transcript.segments.dropFirst(written.count))
                return Ending(transcript: transcript, error: transcript.error)
            case .spoolFailed(let error): complain("the audio is not kept: \(error.saidOnce)")
            case .cancelled: return Ending(segments: written, elapsed: event.elapsed)
            case .state(.failed(let error)): return Ending(segments: written, elapsed: event.elapsed, error: error)
            default: break
            }
            if output.failure != nil { await session.cancel() }
        }
        return Ending(segments: written)
    }
}
