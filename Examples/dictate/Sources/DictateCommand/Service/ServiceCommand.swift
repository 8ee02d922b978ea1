import DictationCapture
import DictationCore
import DictationEngines
import DictationService

extension Command {
    static let service: Command = Command(
        name: "service", abstract: "Keep a session ready, for keys, bars and other programs.",
        discussion: """
            'dictate toggle' and the other commands talk to this service, and start it when it isn't running.
            Ctrl-C ends it. The text of a take that is recorded then is kept.
            """,
        flags: [Options.trustDevice, Options.noJournal, Options.inProcess, Options.quiet] + Options.writing,
        options: [
            Options.device.spec, Options.length.spec, Options.silence.spec, Options.socket.spec, Options.engine.spec,
            Options.locale.spec, Options.model.spec, Options.priority.spec, Options.script.spec, Options.context.spec,
            Options.vocabulary.spec,
        ]
    ) { invocation, console in
        var request = try RecognitionRequest(invocation, basedOn: .liveDictation())
        let microphone = try Microphone(invocation)
        let choice = try await request.findEngine()
        choice.problems.forEach(console.complain)
        var configuration = DictationConfiguration(recognition: request.options)
        configuration.recognition.volatileResults = choice.engine.capabilities.features.contains(.volatileResults)
        configuration.capture.device = microphone.device
        configuration.maximumLength = try invocation.value(Options.length)
        configuration.stopAfterSilence = try invocation.value(Options.silence)
        let keeping = try Keeping(invocation)
        let session = DictationSession(
            engine: choice.engine, capturer: microphone.capturer, converters: SampleRateConverters(),
            spool: keeping.spool, configuration: configuration)
        let service = DictationService(
            session: session, model: choice.model, processors: request.text.processors, journal: keeping.journal)
        let door = try DictationDoor.open(service, at: try socketPath(invocation))

        let (ends, end) = AsyncStream<Void>.makeStream()
        console.signals.receive { end.yield() }
        if !request.isQuiet {
            console.say("dictate: ready with \(choice.description). Its socket is \(door.path). Ctrl-C ends it.")
        }
        let preparing = DictationRuntime.current.task {
            do throws(DictationError) { try await service.prepare() } catch {
                if error.code != .cancelled { console.complain(request.advised(error)) }
            }
            await service.recover()
        }
        for await _ in ends { break }
        preparing.cancel()
        await service.close()
        await door.close()
        return .done
    }
}

/// Where a service keeps texts and audio.
private struct Keeping {
    var journal: TextJournal?
    var spool: WaveSpool?

    init(_ invocation: Invocation) throws(UsageError) {
        guard !invocation.has(Options.noJournal), let path = TextJournal.standardPath else { return }
        journal = TextJournal(path: path)
        spool = WaveSpool(folder: FilePath(path).folderToOpen + "audio")
    }
}

extension FoundEngine {
    /// The engine and its model, for people.
    fileprivate var description: String { [id.rawValue, model].compactMap(\.self).joined(separator: ", ").visible }
}
